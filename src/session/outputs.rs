//! What tools returned, as far as a state is bound to it: a chain of hashes beside that of the messages, and a sample.
//!
//! The chain of the messages covers what people and models wrote. Hosts shorten and redact what tools returned, so that has
//! a chain of its own: if only that differs, it is the same chat, and what a state took from it is taken back.
//!
//! The outputs of a message begin with 0. After each result, and each medium inside one, they are `join(outputs,
//! join(failed, value))`. The value of a medium is its content as in the content hash; inside a value it is
//! `join(join(8, bytes), join(H(type), print))`. A message without results does not change the chain.
//!
//! A checkpoint notes the chain where it ends, and halves of the outputs of at most 32 covered messages, its sample.
//! If the chain differs and some of the sample are still there, the memory is dropped and code writes a digest over
//! the same messages (`outputs-changed`); until then the summarizer is not asked. If none is there, the state is of
//! another chat, and what it took is dropped as well. With an `offset`, outputs are not compared.

use crate::base::order;
use crate::model::message::{CHAIN_START, MessageRecord, combine};

/// The most hashes of a sample.
pub const MOST_SAMPLE: usize = 32;
/// How many of them are of the newest messages.
const NEWEST: usize = 16;

/// The chain after one more message. One without results does not change it.
fn after(chain: u64, message: &MessageRecord<'_>) -> u64 {
    match message.outputs() {
        0 => chain,
        outputs => combine(chain, outputs),
    }
}

/// The chain before each of these messages and after them, from `start` on.
pub fn chain(start: u64, messages: &[MessageRecord<'_>]) -> Vec<Option<u64>> {
    let mut now = start;
    let rest = messages.iter().map(|message| {
        now = after(now, message);
        Some(now)
    });
    std::iter::once(Some(start)).chain(rest).collect()
}

/// The chain before the first message.
pub const START: u64 = CHAIN_START;

/// Half of the hash of what tools returned in a message, if they returned something.
fn half(message: &MessageRecord<'_>) -> Option<u64> {
    Some(message.outputs()).filter(|&outputs| outputs != 0).map(|outputs| outputs & 0xffff_ffff)
}

/// A sample of what tools returned: the newest of these messages, and as many as there is room for of the others and of an
/// earlier sample. Of these it takes the smallest hashes, which are as good as drawn at random.
pub fn sample(earlier: &[u64], messages: &[MessageRecord<'_>]) -> Vec<u64> {
    let all: Vec<u64> = messages.iter().filter_map(half).collect();
    let (older, newest) = all.split_at(all.len().saturating_sub(NEWEST));
    let mut sample = newest.to_vec();
    order::numbers(&mut sample);
    sample.dedup();
    let is_new = |half: &&u64| sample.binary_search(half).is_err();
    let mut rest: Vec<u64> = earlier.iter().chain(older).filter(is_new).copied().collect();
    order::numbers(&mut rest);
    rest.dedup();
    rest.truncate(MOST_SAMPLE - sample.len());
    sample.extend(rest);
    order::numbers(&mut sample);
    sample
}

/// Whether any of a sample is among what tools returned in these messages.
pub fn has_any(messages: &[MessageRecord<'_>], sample: &[u64]) -> bool {
    messages.iter().filter_map(half).any(|half| sample.binary_search(&half).is_ok())
}
