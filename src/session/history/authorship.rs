//! Who wrote a message: a person, the assistant or precis. The active turn and what is old follow from it.
//!
//! Typed is a property of parts: [`Content::said`](crate::ingest::content) has those that a person said, texts and
//! media in no result, and only these are read as a request. Anthropic and Gemini take typed text and results in one
//! message. There a text is typed unless an application framed all of it: it begins with a tag and ends where that tag
//! closes, as reminders do. If such a message stays although the calls before it are covered, a copy without the
//! results is sent.
//!
//! A message of ours is known by its place in a view given back, or by its hash in the state. The wording says
//! nothing. A summary whose state is lost is a message like any other, and nothing in it counts as required or typed,
//! so whoever feeds views back must keep the state.

use crate::model::message::{MessageRecord, Role};
use crate::session::compaction::Checkpoint;
use crate::session::history::{History, Lead};

/// The host's `isTyped` was called, and what it returned.
const ASKED: u8 = 2;
const TYPED: u8 = 4;

impl<'a> History<'a> {
    /// Whether a person typed the message, or a part of it beside results of tools (see [`MessageRecord::says_something`]). The
    /// host decides if it can. Otherwise these are user messages that we did not write. The beginning of the text does
    /// not matter.
    pub fn is_typed(&self, input: usize) -> bool {
        if self.lead.get(input) == Some(&Lead::Made) {
            return false;
        }
        let flags = self.flags.get(input).copied().unwrap_or(0);
        if flags & ASKED != 0 {
            return flags & TYPED != 0;
        }
        let asks = |message: &MessageRecord<'_>| message.role() == Role::User && message.says_something();
        let (before, after) = self.messages.split_at(input);
        let Some((message, after)) = after.split_first() else { return false };
        // The newest message is the current request, even if somebody pasted a summary of ours. A progress note comes
        // after the request that it is about.
        let newest = || !before.last().is_some_and(asks) && !after.iter().any(asks);
        asks(message) && (!self.is_made(input) || newest())
    }

    /// Whether we wrote the message, according to the hashes in the state.
    fn is_made(&self, input: usize) -> bool {
        let hash = self.messages[input].hash();
        let made = |checkpoint: &Checkpoint| {
            checkpoint.is_summary(hash)
                || checkpoint.note.as_ref().is_some_and(|note| note.hash == hash)
                || checkpoint.block.as_ref().is_some_and(|block| block.hash == hash)
        };
        self.known.iter().any(made)
    }

    /// The checkpoint whose summary an input message is, by hash, even if the checkpoint does not hold.
    pub fn summary_at(&self, input: usize) -> Option<&'a Checkpoint> {
        let hash = self.messages[input].hash();
        self.known.iter().rev().find(|checkpoint| checkpoint.is_summary(hash))
    }

    /// The input index of the last message that a person typed.
    pub fn active_user(&self) -> Option<usize> {
        (0..self.messages.len()).rev().find(|&input| self.is_typed(input))
    }

    /// Whether a system message may leave like other messages: the host lets old ones go, it is none of the instructions at
    /// the front, and a newer one follows after something else was said.
    pub fn is_old_system(&self, input: usize) -> bool {
        let is_system = |message: &MessageRecord<'_>| message.role() == Role::System;
        let (before, after) = self.messages.split_at(input);
        let follows = after.iter().skip_while(|message| is_system(message)).any(is_system);
        // In a view that was passed as history, what stays of later messages follows the instructions.
        let is_moved = input < self.lead() && self.index_of(input) != Some(input as u64);
        self.drops_system && follows && (is_moved || !before.iter().all(is_system))
    }

    /// The history index before which messages are old: they belong to turns before the active one, and the assistant
    /// has answered since.
    pub fn old(&self) -> u64 {
        let index = self.active_user().and_then(|input| self.index_of(input)).unwrap_or(0);
        index.min(self.said_last())
    }

    /// The history index of the last assistant message, or 0 if there is none.
    pub fn said_last(&self) -> u64 {
        let said = (0..self.messages.len()).rev().find(|&input| self.messages[input].role() == Role::Assistant);
        said.and_then(|input| self.index_of(input)).unwrap_or(0)
    }
}
