//! The engine of precis: it decides how a chat stays inside a model's context window.
//!
//! It does no I/O, reads no clock, draws no random number, uses no floating point and keeps no state between calls: the
//! same input gives the same bytes on every machine. State goes in and comes out as plain data. What it needs of the
//! host in the middle of a call (text of messages, messages made from text) it asks through one trait, [`ingest::host::Host`];
//! what it needs of an LLM is a value that says what to ask ([`engine::requests`]).
//!
//! # What always holds
//!
//! 1. Results follow their calls, calls that had results keep them, groups stay whole, pending calls come last.
//! 2. Signed reasoning and the newest assistant message are the host's own objects.
//! 3. A view is legal for providers: roles, adjacency, no empty content.
//! 4. The newest user message and the newest message are in every view, clipped at worst.
//! 5. The host's messages are never changed; kept ones are the same objects.
//! 6. The estimate and its bound stay below the trigger unless tight, below the hard limit unless infeasible.
//! 7. Each message is in the view or covered by the active checkpoint.
//! 8. The same input gives the same bytes.
//! 9. On refusal, state and history are as before.
//!
//! 1 to 3 are relative: a view has no violation that its history does not have. See [`ingest::pairs::check`].
//!
//! # Where things are
//!
//! Each room stands above all that it imports, and a check says so.
//!
//! | room | what it is for |
//! |---|---|
//! | [`wasm`] | plain data as bytes for the boundary; what the wasm module exports |
//! | [`engine`] | the steps of a call, getting a summary in rounds, the phases of a commit, the fast path, presets |
//! | [`call`] | one call: its input, its history placed and its limits known, repairs, checkpoints, what is sent |
//! | [`ladder`], [`report`], [`recall`] | the rungs, plans and strategies; what was decided and why; what is not in the view, found again |
//! | [`session`] | the state, the placed history, its lasting edits, the view |
//! | [`memory`], [`summary`] | what is remembered and how it is told; requests, transcripts, notes, the check of a summary |
//! | [`ingest`], [`limits`] | how messages come in; what was configured, and the arithmetic of the window |
//! | [`tokens`], [`shorten`] | estimators and calibration; shorter texts that keep their structure |
//! | [`base`], [`model`] | errors as values, plain data, texts; messages, hashes, positions |

pub mod base;
pub mod call;
pub mod engine;
pub mod ingest;
pub mod ladder;
pub mod limits;
pub mod memory;
pub mod model;
pub mod recall;
pub mod report;
pub mod session;
pub mod shorten;
pub mod summary;
pub mod tokens;
pub mod wasm;
