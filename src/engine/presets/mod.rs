//! The behaviour of other systems, exactly.

pub mod contextguard;
