//! What the fuzz targets share: inputs with a structure, and the rules a view must obey.
//!
//! The targets call the engine natively, with its overflow checks and assertions on. The host they play is the one of
//! the engine's own tests.

#[path = "../../rust/support.rs"]
#[allow(dead_code)]
pub mod support;

use std::time::Duration;

pub mod chat;
pub mod rules;
pub mod texts;
pub mod wasm;

/// What work may take on inputs of at most 64 kB, in time of the processor: on the clock of a busy machine everything is
/// late.
const LONGEST: Duration = Duration::from_secs(1);

/// Does some work, which must not take a second.
pub fn soon<T>(work: impl FnOnce() -> T) -> T {
    let from = spent();
    let done = work();
    let took = spent() - from;
    assert!(took < LONGEST, "{took:?} of the processor's time");
    done
}

/// The processor's time that this process has taken.
fn spent() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock writes into `time`, which is there.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
