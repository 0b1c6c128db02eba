//! What `std`'s prelude has and `core`'s has not: the engine is built without `std`, so nothing in it can reach a clock,
//! a file or a source of randomness.

pub use alloc::borrow::ToOwned;
pub use alloc::boxed::Box;
pub use alloc::format;
pub use alloc::string::{String, ToString};
pub use alloc::vec;
pub use alloc::vec::Vec;
