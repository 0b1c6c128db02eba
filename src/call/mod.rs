//! One call: its parsed input, the placed history and known limits, and its result.

pub mod bound;
pub mod brakes;
pub mod checkpoint;
pub mod committed;
pub mod context;
pub mod covered;
pub mod input;
pub mod left_out;
pub mod measure;
pub mod refusal;
pub mod render;
pub mod repair;
pub mod result_rules;
pub mod separated;
pub mod severed;
pub mod standing;
pub mod thinking;
pub mod warnings;
