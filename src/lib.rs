//! The engine of precis: it decides how a chat stays inside a model's context window.
//!
//! It does no I/O, reads no clock, draws no random number, uses no floating point and keeps no state between calls: the
//! same input returns the same bytes on every machine. State is passed in and returned as plain data. What the engine
//! needs from the host during a call (the text of messages, and messages created from text) it asks for through one
//! trait, [`ingest::host::Host`]. What it needs from an LLM is returned as a value ([`engine::requests`]).
//!
//! # Invariants
//!
//! 1. Results follow their calls, calls that had results keep them, groups stay whole, and pending calls come last.
//! 2. Signed reasoning is sent unchanged or not at all, and where a provider binds it, only after the content that it was
//!    produced after, or the provider's own summary of that. Apart from that, the newest assistant message is the host's
//!    own object.
//! 3. A view is valid for providers: roles, adjacency, no empty content.
//! 4. Every view contains the newest user message and the newest message, clipped at most.
//! 5. The host's messages are never changed. Kept messages are the same objects.
//! 6. The estimate plus its bound is below the trigger unless the outcome is `tight`, and below the hard limit unless it
//!    is `infeasible`.
//! 7. Each message is either in the view or covered by the active checkpoint.
//! 8. The same input returns the same bytes.
//! 9. If a call is refused, state and history are unchanged.
//!
//! Invariants 1 to 3 are relative: a view has no violation that its history does not have. See [`ingest::pairs::check`].
//!
//! # Modules
//!
//! Those that work on each message are a crate of their own, `precis-messages`, in the same folder: see `messages.rs`.
//!
//! Each module is listed above all modules that it imports. The check `layers` enforces this.
//!
//! | module | contents |
//! |---|---|
//! | [`wasm`] | the exports of the wasm module, and conversion of plain data to JavaScript values |
//! | [`engine`] | the steps of a call, getting a summary in rounds, the phases of a commit, the fast path, presets |
//! | [`call`] | one call: its input, its placed history and limits, repairs, checkpoints, and what is sent |
//! | [`ladder`], [`report`], [`recall`] | rungs, plans and strategies; what was decided and why; searching what the view does not show |
//! | [`session`] | the state, the placed history, its lasting edits, the view |
//! | [`memory`], [`search`], [`summary`] | what is remembered and how it is written; words, passages, an index, ranking; requests, transcripts, notes, verification of a summary |
//! | [`ingest`], [`limits`] | how messages enter the engine; the configuration, and the arithmetic of the window |
//! | [`tokens`], [`shorten`] | estimators and calibration; shortening texts and keeping their structure |
//! | [`contract`] | the members that a host may pass, once for Rust and TypeScript |
//! | [`base`], [`model`] | errors as values, plain data, text; messages, hashes, positions |

pub use precis_messages::{base, ingest, memory, model, search, shorten, tokens};

pub mod call;
pub mod contract;
pub mod engine;
pub mod ladder;
pub mod limits;
pub mod recall;
pub mod report;
pub mod session;
pub mod summary;
pub mod wasm;
