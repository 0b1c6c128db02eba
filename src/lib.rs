//! The engine of precis: it decides how a chat stays inside a model's context window.
//!
//! It does no I/O, reads no clock, draws no random number, uses no floating point and keeps no state between calls: the
//! same input gives the same bytes on every machine. State goes in and comes out as plain data. What it needs of the
//! host in the middle of a call (text of messages, messages made from text) it asks through one trait, [`host::Host`];
//! what it needs of an LLM is a value that says what to ask ([`engine::requests`]).
//!
//! # What always holds
//!
//! 1. Results follow their calls, calls that had results keep them, groups stay whole, pending calls come last.
//! 2. Signed reasoning and the newest assistant message are the host's own objects.
//! 3. A view is legal for providers: roles, adjacency, no empty content.
//! 4. The newest user message and the newest message are in every view, clipped at worst.
//! 5. The host's messages are never changed; kept ones are the same objects.
//! 6. The estimate and its bound stay below the trigger unless squeezed, below the hard limit unless infeasible.
//! 7. Each message is in the view or covered by the active checkpoint.
//! 8. The same input gives the same bytes.
//! 9. On refusal, state and history are as before.
//!
//! 1 to 3 are relative: a view has no violation that its history does not have. See [`pairs::check`].
//!
//! # Where things are
//!
//! Imports point up this list, never down.
//!
//! | module | what it is for |
//! |---|---|
//! | [`error`], [`json`], [`text`], [`id_map`], [`millionths`], [`markers`] | errors as values, plain data, cutting text, numbers by id, parts of wholes, how our own texts begin |
//! | [`message`], [`archive`] | roles, digests, content hash, chain, positions; records to and from plain data |
//! | [`tape`], [`digest`], [`content`] | how messages come in: decoding, digesting in one pass, text on demand |
//! | [`tokens`], [`strategy`], [`options`], [`overflow`], [`budget`] | estimators and calibration, what was configured, what providers' errors say, the arithmetic of limits |
//! | [`pairs`] | groups, legal cuts, the one checker |
//! | [`state`], [`history`], [`host`], [`breakdown`], [`view`] | what outlives a call, placing a history, projecting the view |
//! | [`summary`], [`plan`] | what is remembered; the ladder, the strategies, the preset |
//! | [`report`], `reason`, [`call`], `work`, `heed`, `mend` | what was decided and why; a call with its history placed; what refusals teach; faults of a history mended |
//! | [`compose`], `past`, `rounds`, `job`, `climb`, `render`, [`engine`] | checkpoints and their texts, getting a summary, the moves of a commit, what is sent, the steps |
//! | [`standing`] | the short way where nothing is to do and messages were only appended |
//! | [`wasm`] | plain data as bytes for the boundary; what the wasm module exports |

pub mod archive;
pub mod breakdown;
pub mod budget;
pub mod call;
mod climb;
pub mod committed;
pub mod compose;
pub mod content;
pub mod digest;
pub mod engine;
pub mod error;
mod heed;
pub mod history;
pub mod host;
pub mod id_map;
mod job;
pub mod json;
pub mod markers;
mod mend;
pub mod message;
pub mod millionths;
pub mod options;
pub mod overflow;
pub mod pairs;
mod past;
pub mod plan;
mod reason;
mod render;
pub mod report;
mod rounds;
pub mod standing;
pub mod state;
pub mod strategy;
pub mod summary;
pub mod tape;
pub mod text;
pub mod tokens;
pub mod view;
pub mod wasm;
mod work;
