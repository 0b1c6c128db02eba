//! Behaviour of the engine, compiled natively. Each file needs a `mod` here; a file without one is never compiled.

#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::float_arithmetic)]

mod budget;
mod calibration;
mod clipping;
mod codes;
mod conformance;
mod deeds;
mod defects;
mod documentation;
mod edits;
mod failures;
mod flaws;
mod frame;
mod fuzzed;
mod hashing;
mod ladder;
mod last_tool_batch;
mod lexical;
mod long_run;
mod maps;
mod media;
mod memory;
mod must_keep;
mod overflow;
mod pairs;
mod plain;
mod plans;
mod policies;
mod prices;
mod properties;
mod reasoning;
mod recall;
mod references;
mod requirements;
mod restoring;
mod seed;
mod shortening;
mod state;
mod summary;
mod support;
mod survivors;
mod trust;
mod vectors;
