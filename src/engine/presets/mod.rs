//! The exact behaviour of other systems.

pub mod contextguard;
