//! Behaviour of the engine, compiled natively. Each file needs a `mod` here; a file without one is never compiled.

#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::float_arithmetic)]

mod asking;
mod budget;
mod calibration;
mod clipping;
mod codes;
mod collisions;
mod conformance;
mod contract;
mod documentation;
mod edits;
mod encoded;
mod frame;
mod hashing;
mod kept;
mod ladder;
mod last_tool_batch;
mod lexical;
mod long_run;
mod maps;
mod media;
mod memory;
mod must_keep;
mod native;
mod numbers;
mod outputs;
mod overflow;
mod own;
mod pairing;
mod pairs;
mod pastes;
mod phrases;
mod pins;
mod plain;
mod plans;
mod policies;
mod prices;
mod progress;
mod properties;
mod reads;
mod reasoning;
mod recall;
mod references;
mod repeats;
mod restoring;
mod rewinds;
mod seed;
mod shapes;
mod shortening;
mod speakers;
mod state;
mod steady;
mod summarizers;
mod summary;
mod support;
mod targets;
mod text;
mod thinking;
mod trust;
mod vectors;
mod words;
mod work;

/// A third of what properties cost is allocation, of which it needs a fraction of what the system's takes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
