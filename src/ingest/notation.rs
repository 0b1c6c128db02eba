//! How a value is written where it is sent, as far as that is counted: the characters around its texts and numbers.

use crate::ingest::tape::{Token, ValuePlace};
use crate::model::message::PartKind;
use crate::tokens::{Counter, Rule};

/// How the values of a part are written.
#[derive(Clone, Copy)]
pub(super) struct Notation {
    /// The host counts, so nothing is counted here.
    is_silent: bool,
    /// As JSON. Otherwise as Go prints them.
    is_json: bool,
    /// The arguments of a call are counted as separate fields, without brackets and commas around them.
    is_separate: bool,
    /// A tool without a schema sends none.
    is_tool: bool,
}

impl Notation {
    /// The notation of a rule for a kind of part.
    pub(super) fn of(rule: Rule, kind: Option<PartKind>) -> Self {
        let is_tool = kind == Some(PartKind::Tool);
        Self {
            is_silent: rule == Rule::Host,
            is_json: rule != Rule::Bytes4 || is_tool,
            is_separate: rule == Rule::Bytes4 && kind == Some(PartKind::Call),
            is_tool,
        }
    }

    /// Whether a key at this place begins an argument that is counted as a field of its own.
    pub(super) const fn separates(self, place: ValuePlace) -> bool {
        self.is_separate && place.depth == 1
    }

    /// Whether a token is the end of an argument that is counted as a field of its own.
    pub(super) const fn ends_argument(self, token: &Token<'_>, place: ValuePlace) -> bool {
        self.is_separate
            && match token {
                Token::Array | Token::Object | Token::Binary(_) | Token::Medium { .. } => false,
                Token::End => place.depth <= 2,
                _ => place.depth == 1,
            }
    }

    /// Counts a token.
    pub(super) fn token(self, counter: &mut Counter, token: &Token<'_>, place: ValuePlace) {
        if self.is_silent {
            return;
        }
        let Self { is_json, is_separate, is_tool, .. } = self;
        let ends = matches!(token, Token::End);
        if (!is_separate || place.depth > 1) && place.index > 0 && !ends && !place.in_object {
            counter.feed(self.separator());
        }
        match token {
            Token::Null if is_tool && place.depth == 0 => {}
            Token::Null => counter.feed(if is_json { "null" } else { "<nil>" }),
            Token::Bool(true) => counter.feed("true"),
            Token::Bool(false) => counter.feed("false"),
            Token::Number(text) => counter.feed(text),
            Token::Array => counter.feed("["),
            Token::Object if !(is_separate && place.depth == 0) => counter.feed(if is_json { "{" } else { "map[" }),
            Token::End if is_separate && place.depth == 1 && place.in_object => {}
            Token::End => counter.feed(if is_json && place.in_object { "}" } else { "]" }),
            Token::Object | Token::Binary(_) | Token::Medium { .. } => {}
        }
    }

    /// Counts a piece of a string. `first`, `last`: whether it begins and ends the string.
    pub(super) fn string(self, counter: &mut Counter, text: &str, place: ValuePlace, (first, last): (bool, bool)) {
        if self.is_silent {
            return;
        }
        if place.index > 0 && !place.in_object && first {
            counter.feed(self.separator());
        }
        if self.is_json && place.depth > 0 {
            feed_escaped(counter, text, first, last);
        } else {
            counter.feed(text);
        }
    }

    /// Counts a piece of a key, likewise.
    pub(super) fn key(self, counter: &mut Counter, text: &str, place: ValuePlace, (first, last): (bool, bool)) {
        if self.is_silent {
            return;
        }
        if place.index > 0 && !self.separates(place) && first {
            counter.feed(self.separator());
        }
        if self.is_json {
            feed_escaped(counter, text, first, last);
        } else {
            counter.feed(text);
        }
        if last && !self.separates(place) {
            counter.feed(":");
        }
    }

    const fn separator(self) -> &'static str {
        if self.is_json { "," } else { " " }
    }
}

/// Counts a string as it is in JSON: quoted and escaped.
fn feed_escaped(counter: &mut Counter, text: &str, first: bool, last: bool) {
    if first {
        counter.feed("\"");
    }
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        let (plain, special) = rest.split_at(at);
        let (escaped, after) = special.split_at(1);
        counter.feed(plain);
        counter.feed(match escaped {
            "\"" => "\\\"",
            "\\" => "\\\\",
            "\n" => "\\n",
            "\r" => "\\r",
            "\t" => "\\t",
            _ => "\\u0000",
        });
        rest = after;
    }
    counter.feed(rest);
    if last {
        counter.feed("\"");
    }
}
