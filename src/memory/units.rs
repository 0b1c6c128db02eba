//! Units: the sentences, lines and records of messages, each word for word, of which a digest is chosen.

use crate::base::distinct::Latest;
use crate::base::words;
use crate::base::{quoting, references, sentences, text};
use crate::ingest::content::{Content, ContentPart, Value, medium};
use crate::ingest::{json, typed};
use crate::memory::calls;
use crate::memory::message::Message;
use crate::memory::names::Names;
use crate::memory::outline::Place;
use crate::memory::outputs::{self, Kept, Shape};
use crate::memory::records;
use crate::memory::trim::{clean, cut};
use crate::memory::work::Work;
use crate::model::message::Role;
use std::borrow::Cow;
use std::rc::Rc;

/// What a unit is a part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// What a person typed.
    #[default]
    Typed,
    /// The middle of a long text that a person typed.
    Long,
    /// What a person pasted, or an application wrote in the name of the user.
    Pasted,
    /// The assistant's text in a message without calls.
    Answer,
    /// The assistant's text beside calls.
    Step,
    /// Code in the assistant's text.
    Code,
    /// A call with its arguments.
    Call,
    /// A line of a long argument.
    Written,
    /// A record of a result.
    Record,
    /// A line of a result that reports an error.
    Error,
    /// A line of a result that sums up.
    Verdict,
    /// The first or one of the last lines of a result.
    Edge,
    /// A line of a result under which others are indented.
    Head,
    /// A line of such a result, one of several in a row that begin with the same word.
    Listed,
    /// Any other line of a result.
    Line,
    /// What was written about earlier messages that nobody holds any more.
    Earlier,
}

impl Kind {
    /// All kinds with their names in plain data.
    pub const ALL: [(Self, &'static str); 16] = [
        (Self::Typed, "typed"),
        (Self::Long, "long"),
        (Self::Pasted, "pasted"),
        (Self::Answer, "answer"),
        (Self::Step, "step"),
        (Self::Code, "code"),
        (Self::Call, "call"),
        (Self::Written, "written"),
        (Self::Record, "record"),
        (Self::Error, "error"),
        (Self::Verdict, "verdict"),
        (Self::Edge, "edge"),
        (Self::Head, "head"),
        (Self::Listed, "listed"),
        (Self::Line, "line"),
        (Self::Earlier, "earlier"),
    ];

    /// Whether a person typed it.
    pub const fn is_typed(self) -> bool {
        matches!(self, Self::Typed | Self::Long)
    }

    /// Whether somebody said it.
    pub const fn is_said(self) -> bool {
        matches!(self, Self::Typed | Self::Long | Self::Answer | Self::Step)
    }

    /// Whether it is part of the work, not of the talk.
    pub const fn is_work(self) -> bool {
        !matches!(self, Self::Typed | Self::Long | Self::Answer | Self::Step | Self::Earlier)
    }

    /// Whether a tool returned it.
    pub const fn is_returned(self) -> bool {
        self.is_line() || matches!(self, Self::Record | Self::Error | Self::Verdict)
    }

    /// Whether it is a line that a tool returned, and no more is known of it.
    pub const fn is_line(self) -> bool {
        matches!(self, Self::Edge | Self::Head | Self::Listed | Self::Line)
    }
}

/// A sentence, a line or a record of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit<'t> {
    /// The index of the message in the history.
    pub at: u64,
    /// The place in the message.
    pub order: u64,
    /// What it is a part of.
    pub kind: Kind,
    /// Its words. A long one is cut in the middle.
    pub text: Cow<'t, str>,
    /// Who said it, where the message names somebody.
    pub speaker: Option<Rc<str>>,
    /// The tool that returned it.
    pub tool: Option<Rc<str>>,
    /// Of a row of a table: what stands above the table.
    pub header: Option<Rc<str>>,
    /// Of what a tool returned: the message and the place of the call.
    pub call: Option<(u64, u64)>,
    /// Of what a person typed or the assistant said: the characters of all that its message says so.
    pub length: u64,
    /// Of the same: how much of it the message before it says, too, and the one behind it, in percent of the weight of its
    /// words. What somebody takes up matters.
    pub echo: [u8; 2],
    /// Of the same: what it is worth less for being answered at length, in percent. Who explains was asked something.
    pub answered: u8,
}

impl Unit<'_> {
    /// The unit without what it borrows.
    pub fn owned(&self) -> Unit<'static> {
        let Self { at, order, kind, text, speaker, tool, header, call, length, echo, answered } = self.clone();
        let text = Cow::Owned(text.into_owned());
        Unit { at, order, kind, text, speaker, tool, header, call, length, echo, answered }
    }

    /// Whether it is a question.
    pub fn asks(&self) -> bool {
        asks(&self.text)
    }

    /// Whether the assistant goes on behind a sentence that says nothing alone: "Perfect!", "Oh no!"
    pub fn interjects(&self) -> bool {
        self.text.len() <= INTERJECTION && self.length > 2 * INTERJECTION as u64 && self.text.ends_with(['!', '！'])
    }
}

/// Whether a sentence ends with a question mark.
pub fn asks(sentence: &str) -> bool {
    sentence.trim_end_matches(['"', '”', '»', ')', '\'']).ends_with(['?', '？', '؟', ';'])
}

/// Whether a line is a point of a list.
pub fn is_point(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).unwrap_or_default();
    match digits {
        0 => ["- ", "* ", "• ", "[ ] ", "[x] "].iter().any(|mark| rest.starts_with(mark)),
        1 | 2 => rest.starts_with(". ") || rest.starts_with(") "),
        _ => false,
    }
}

/// Characters of a sentence that are kept of its start and end: of what was typed, said, and returned.
const TYPED: (usize, usize) = (380, 110);
const SAID: (usize, usize) = (300, 80);
const RETURNED: (usize, usize) = (260, 60);
const PASTED: (usize, usize) = (220, 60);
const WRITTEN: (usize, usize) = (200, 40);
/// Characters of a typed text beyond which its middle counts less, and those of its start and end.
const LONG: u64 = 3_000;
const START: u64 = 900;
const END: u64 = 700;
/// Bytes of the longest sentence of a word or two that only leads to the next one.
const INTERJECTION: usize = 16;
/// The most calls whose tool is known when their result comes.
pub const CALLS: usize = 20;

/// A call that was read.
#[derive(Clone, Debug)]
struct Called {
    tool: Rc<str>,
    /// Whether it is our tool `recall`.
    recalls: bool,
    /// The message and the place in it.
    place: Option<(u64, u64)>,
}

/// Reads messages in order, with what it takes to understand the next one.
#[derive(Clone, Debug, Default)]
pub struct Reader<'t> {
    /// The ids of calls without a result in what was read before, with their tools.
    earlier: Vec<(String, String)>,
    tools: Latest<'t, Called>,
    /// The newest calls.
    newest: Vec<(&'t str, &'t str)>,
}

impl<'t> Reader<'t> {
    /// A reader that goes on behind what is remembered.
    pub fn after(calls: &[(String, String)]) -> Self {
        Self { earlier: calls.to_vec(), ..Self::default() }
    }

    /// Reads a message once: its units, the names in its calls and results, and what they did.
    #[inline(never)]
    pub fn read(&mut self, message: &'t Message, out: &mut Vec<Unit<'t>>, names: &mut Names, work: &mut Work) {
        let Content { role, speaker, parts, taken: _ } = &message.content;
        let speaker = quoting::speaker_label(speaker);
        let speaker = if speaker.is_empty() { None } else { Some(Rc::from(speaker)) };
        let mut writer = Writer { at: message.index, order: 0, speaker, out };
        let acts = parts.iter().any(|part| matches!(part, ContentPart::Call { .. }));
        let mut said = message.content.said().peekable();
        for part in parts {
            let is_said = said.next_if(|next| core::ptr::eq(*next, part)).is_some();
            match part {
                ContentPart::Text { text, .. } => match role {
                    Role::User if message.typed && is_said => typed(text, &mut writer),
                    Role::User => pasted(text.lines(), 0, &mut writer),
                    Role::Assistant => assistant(text, if acts { Kind::Step } else { Kind::Answer }, &mut writer),
                    Role::Tool => returned(records::lines_of(text), None, &mut writer),
                    Role::System => earlier(text, "System", &mut writer),
                },
                ContentPart::Call { id, name, input, .. } => {
                    let parsed = json::within(input);
                    let input = parsed.as_ref().unwrap_or(input);
                    work.call(id, input);
                    if self.call(id, name, input, &mut writer) {
                        names.value(message.index, input, *role);
                    }
                }
                ContentPart::Result { id, output, failed, .. } => {
                    let parsed = json::within(output);
                    let lines = records::lines(output, parsed.as_ref());
                    work.result(message.index, id, &lines, *failed);
                    let called = self.called(id);
                    if called.as_ref().is_none_or(|called| !called.recalls) {
                        names.value(message.index, parsed.as_ref().unwrap_or(output), *role);
                        returned(lines, called, &mut writer);
                    }
                }
                ContentPart::Media { kind, media_type, reference, name, .. } => {
                    let mut text = medium(*kind, media_type, reference);
                    if !name.is_empty() {
                        text.push_str(&format!(" \"{}\"", quoting::in_brackets(name)));
                    }
                    let kind = if *role == Role::User && message.typed && is_said { Kind::Typed } else { Kind::Line };
                    writer.add(kind, Cow::Owned(format!("({text})")));
                }
                ContentPart::Document { text, .. } => pasted(text.lines(), 0, &mut writer),
                ContentPart::Compaction { text } => earlier(text, "Earlier summary", &mut writer),
                ContentPart::Reasoning | ContentPart::Opaque => {}
            }
        }
    }

    /// The call of a result.
    fn called(&self, id: &str) -> Option<Called> {
        self.tools.get(id).cloned().or_else(|| {
            let (_, tool) = self.earlier.iter().rfind(|(earlier, _)| earlier == id)?;
            Some(Called { tool: Rc::from(quoting::tool_label(tool)), recalls: false, place: None })
        })
    }

    /// The newest calls with their tools, for the results that come after what was read.
    pub fn calls(&self) -> Vec<(String, String)> {
        let owned = |&(id, tool): &(&str, &str)| (id.to_owned(), tool.to_owned());
        let mut all: Vec<_> = self.earlier.iter().cloned().chain(self.newest.iter().map(owned)).collect();
        all.drain(..all.len().saturating_sub(CALLS));
        all
    }

    /// Reads a call. Returns whether it is none of our tool `recall`.
    fn call(&mut self, id: &'t str, name: &'t str, input: &Value, writer: &mut Writer<'t, '_>) -> bool {
        let recalls = references::is_recall(name, input.keys());
        let label = quoting::tool_label(name);
        let place = Some((writer.at, writer.order));
        self.tools.set(id, Called { tool: Rc::from(&*label), recalls, place });
        if self.newest.len() >= 2 * CALLS {
            self.newest.drain(..CALLS);
        }
        self.newest.push((id, name));
        if recalls {
            return false;
        }
        writer.add(Kind::Call, Cow::Owned(calls::shown(&label, input)));
        calls::long_lines(input, &mut |line| {
            writer.add(Kind::Written, cut(Cow::Owned(clean(line).into_owned()), WRITTEN));
        });
        true
    }
}

/// The lines of what a tool returned.
fn returned<'t>(lines: Vec<records::Line<'t>>, call: Option<Called>, writer: &mut Writer<'t, '_>) {
    let (tool, place) = call.map(|call| (call.tool, call.place)).unzip();
    for Kept { line, shape } in outputs::chosen(lines) {
        let kind = match shape {
            Shape::Error => Kind::Error,
            Shape::Verdict => Kind::Verdict,
            _ if line.header.is_some() => Kind::Record,
            Shape::Edge | Shape::Text if line.place != Place::None => {
                if line.place == Place::Head {
                    Kind::Head
                } else {
                    Kind::Listed
                }
            }
            Shape::Edge => Kind::Edge,
            Shape::Text => Kind::Line,
        };
        let unit = writer.add(kind, cut(line.text, RETURNED));
        unit.tool.clone_from(&tool);
        unit.header = line.header;
        unit.call = place.flatten();
    }
}

/// Writes the units of a message.
struct Writer<'t, 'o> {
    at: u64,
    order: u64,
    speaker: Option<Rc<str>>,
    out: &'o mut Vec<Unit<'t>>,
}

impl<'t> Writer<'t, '_> {
    fn add(&mut self, kind: Kind, text: Cow<'t, str>) -> &mut Unit<'t> {
        let speaker = self.speaker.clone();
        self.out.push(Unit { at: self.at, order: self.order, kind, text, speaker, ..Unit::default() });
        self.order += 1;
        let last = self.out.len() - 1;
        &mut self.out[last]
    }
}

/// The sentences of what a person typed, and the lines that they pasted between them.
fn typed<'t>(text: &'t str, writer: &mut Writer<'t, '_>) {
    let passages = typed::passages(text);
    let all = |&(from, to): &(usize, usize)| text::characters(text::between(text, from, to).trim()) as u64;
    let length: u64 = passages.iter().map(all).sum();
    let (mut at, mut begun) = (0, 0);
    for (from, to) in passages.into_iter().chain([(text.len(), text.len())]) {
        pasted(text::between(text, begun, from).lines(), length, writer);
        begun = to;
        sentences::each(text::between(text, from, to), &mut |sentence| {
            let is_middle = length > LONG && at > START && length - at.min(length) > END;
            at += text::characters(sentence) as u64;
            let kind = if is_middle { Kind::Long } else { Kind::Typed };
            writer.add(kind, cut(clean(sentence), TYPED)).length = length;
        });
    }
}

/// The sentences of what the assistant said, and the lines of its code.
fn assistant<'t>(text: &'t str, kind: Kind, writer: &mut Writer<'t, '_>) {
    let mut fenced = false;
    let first = writer.out.len();
    let mut length = 0;
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
        } else if fenced {
            if words::says_anything(line) {
                writer.add(Kind::Code, cut(clean(line), SAID));
            }
        } else {
            sentences::each(line, &mut |sentence| {
                length += text::characters(sentence) as u64 + 1;
                writer.add(kind, cut(clean(sentence), SAID));
            });
        }
    }
    writer.out[first..].iter_mut().for_each(|unit| unit.length = length);
}

/// The lines of what a person pasted.
fn pasted<'t>(lines: core::str::Lines<'t>, typed: u64, writer: &mut Writer<'t, '_>) {
    let lines = lines.map(clean).map(records::Line::of).collect();
    for Kept { line, .. } in outputs::chosen(lines) {
        writer.add(Kind::Pasted, cut(line.text, PASTED)).length = typed;
    }
}

/// The sentences of what nobody of the conversation said.
fn earlier<'t>(text: &'t str, speaker: &str, writer: &mut Writer<'t, '_>) {
    let speaker: Rc<str> = Rc::from(speaker);
    sentences::each(text, &mut |sentence| {
        writer.add(Kind::Earlier, cut(clean(sentence), SAID)).speaker = Some(speaker.clone());
    });
}
