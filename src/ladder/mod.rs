//! The ladder decides what to do about a request that does not fit. It is climbed only as far as necessary. Every rung
//! must leave a valid view that is strictly smaller.

mod clearing;
mod climb;
pub mod compact;
mod cutting;
mod groups;
pub mod hold;
mod moves;
pub mod plan;
mod portions;
pub mod preview;
pub mod protection;
pub mod rungs;
mod scene;
pub mod shape;
pub mod strategies;
mod typed;

pub use climb::next;
pub use cutting::LEAST_CAP;
pub use moves::{Edit, Move};
pub use rungs::RungId;
pub use scene::Scene;
