//! JSON stays JSON. Objects keep their keys, long strings are cut in the middle, and long arrays keep their first and
//! last elements with the number of those between. What is not cut is copied as it was written.

use crate::base::{markers, text};
use crate::shorten::{ends, gap};
use std::collections::VecDeque;

/// Values nested more deeply make the text plain text.
const DEEPEST: usize = 64;
/// Values up to this many bytes are not cut.
const LEAST: usize = 80;
/// Arrays up to this many elements keep all of them.
const FEW: usize = 3;
const ELEMENTS: &str = " elements left out here.";
const MEMBERS: &str = " members left out here.";

/// Whether a text is an array or object and nothing else.
pub fn is(text: &str) -> bool {
    let bytes = text.as_bytes();
    let start = space(bytes, 0);
    matches!(bytes.get(start), Some(b'{' | b'['))
        && end(bytes, start, 0).is_some_and(|end| space(bytes, end) == bytes.len())
}

/// Cuts a text, which must be JSON, to about `bytes`.
pub fn within(text: &str, bytes: usize, advice: &str) -> String {
    let mut writer = Writer { text, out: String::with_capacity(bytes), advice };
    let from = space(text.as_bytes(), 0);
    writer.value(from, text.trim_end().len(), bytes);
    writer.out
}

/// An element, or a member with its key.
struct Child {
    from: usize,
    /// The start of its value.
    value: usize,
    to: usize,
    /// The number of children that this one stands for, if they were skipped.
    skipped: usize,
}

/// The most children at each end that are recorded. A record may take more memory than the child itself.
const MOST_CHILDREN: usize = 50_000;

struct Writer<'t> {
    text: &'t str,
    out: String,
    /// The end of the next notice. Only the first notice has it.
    advice: &'t str,
}

impl Writer<'_> {
    fn value(&mut self, from: usize, to: usize, bytes: usize) {
        let text = text::between(self.text, from, to);
        match text.as_bytes().first() {
            _ if text.len() <= bytes.max(LEAST) => self.out.push_str(text),
            Some(b'{' | b'[') => self.container(from, bytes),
            // A string, or a number, which becomes a string when it is cut.
            _ => {
                let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                let inner = quoted.unwrap_or(text);
                let advice = core::mem::take(&mut self.advice);
                self.out.push('"');
                self.out.push_str(&ends::Parted::of(inner, true).keep(bytes.max(LEAST) - 2, advice));
                self.out.push('"');
            }
        }
    }

    fn container(&mut self, from: usize, bytes: usize) {
        let object = self.text.as_bytes()[from] == b'{';
        let children = children(self.text.as_bytes(), from);
        let keys: usize = children.iter().map(|child| child.value - child.from + 1).sum();
        let sizes: Vec<usize> = children.iter().map(|child| child.to - child.value).collect();
        let room = bytes.saturating_sub(2);
        let least = keys + sizes.iter().map(|&size| size.min(LEAST)).sum::<usize>();
        self.out.push(if object { '{' } else { '[' });
        let all = children.iter().all(|child| child.skipped == 0);
        if all && (object || children.len() <= FEW) && least <= room {
            let most = text::level(&sizes, room - keys).max(LEAST);
            for child in &children {
                self.child(child, most);
            }
        } else {
            self.both_ends(&children, room, if object { MEMBERS } else { ELEMENTS });
        }
        // A comma follows the last child.
        if self.out.ends_with(',') {
            self.out.pop();
        }
        self.out.push(if object { '}' } else { ']' });
    }

    /// Writes a child with its value cut to `bytes`.
    fn child(&mut self, child: &Child, bytes: usize) {
        self.out.push_str(text::between(self.text, child.from, child.value));
        self.value(child.value, child.to, bytes);
        self.out.push(',');
    }

    fn both_ends(&mut self, children: &[Child], room: usize, what: &str) {
        let object = what == MEMBERS;
        let room = room.saturating_sub(gap::BYTES + self.advice.len());
        let size = |child: &Child| child.to - child.from + 1;
        let free = |at: usize| children.get(at).filter(|child| self.missing(child, object).is_none());
        let (mut front, mut back, mut used) = (0, children.len(), 0);
        while let Some(child) = free(front).filter(|child| used + size(child) <= room * 2 / 3) {
            used += size(child);
            front += 1;
        }
        // If not even the first child fits, it is shortened, and likewise the last. Keys are not cut, so a member with
        // a long key is left out.
        let named = |at: usize, room: usize| free(at).is_some_and(|child| child.value - child.from <= room);
        let first = (front == 0 && named(0, room / 2)).then_some(room * 2 / 3);
        if let Some(bytes) = first {
            used = bytes;
            front = 1;
        }
        while let Some(child) = free(back.wrapping_sub(1)).filter(|child| back > front && used + size(child) <= room) {
            used += size(child);
            back -= 1;
        }
        let left = room.saturating_sub(used);
        let last = (back == children.len() && back > front && named(back - 1, left / 2)).then_some(left);
        if last.is_some() {
            back -= 1;
        }
        let missing = children[front..back].iter().map(|child| self.missing(child, object).unwrap_or(1));
        let missing = missing.fold(0, usize::saturating_add);
        for (at, child) in children[..front].iter().enumerate() {
            self.child(child, first.filter(|_| at == 0).unwrap_or(usize::MAX));
        }
        if missing > 0 {
            let (start, end) = if object { (markers::LEFT_OUT_MEMBER, "\",") } else { ("\"[precis: ", "]\",") };
            let advice = core::mem::take(&mut self.advice);
            self.out.push_str(&format!("{start}{missing}{what}{advice}{end}"));
        }
        for child in &children[back..] {
            self.child(child, last.unwrap_or(usize::MAX));
        }
    }

    /// How many children were left out at this place, if it is a notice.
    fn missing(&self, child: &Child, object: bool) -> Option<usize> {
        if child.skipped > 0 {
            return Some(child.skipped);
        }
        let text = text::between(self.text, child.from, child.to);
        let rest = if object {
            text.strip_prefix(markers::LEFT_OUT_MEMBER)?
        } else {
            text.strip_prefix('"')?.strip_prefix(markers::NOTICE)?
        };
        let (missing, rest) = gap::number(rest)?;
        rest.starts_with(if object { MEMBERS } else { ELEMENTS }).then_some(missing)
    }
}

/// The children of the container that starts at `from`.
fn children(bytes: &[u8], from: usize) -> Vec<Child> {
    let object = bytes[from] == b'{';
    let mut all = Vec::new();
    // The last ones, if there are many.
    let mut last: VecDeque<Child> = VecDeque::new();
    let mut skipped = 0;
    let mut at = space(bytes, from + 1);
    while !matches!(bytes.get(at), None | Some(b'}' | b']')) {
        let start = at;
        if object {
            at = end(bytes, at, 0).map_or(bytes.len(), |key| space(bytes, space(bytes, key) + 1));
        }
        let to = end(bytes, at, 0).unwrap_or(bytes.len());
        let child = Child { from: start, value: at, to, skipped: 0 };
        if all.len() < MOST_CHILDREN {
            all.push(child);
        } else {
            if last.len() == MOST_CHILDREN {
                last.pop_front();
                skipped += 1;
            }
            last.push_back(child);
        }
        at = space(bytes, to);
        if bytes.get(at) == Some(&b',') {
            at = space(bytes, at + 1);
        }
    }
    if skipped > 0 {
        all.push(Child { from, value: from, to: from, skipped });
    }
    all.extend(last);
    all
}

/// The end of the value that starts at `at`. `None` if there is no value, or it is nested too deeply.
fn end(bytes: &[u8], at: usize, depth: usize) -> Option<usize> {
    let close = match bytes.get(at)? {
        b'"' => return string(bytes, at),
        b'{' => b'}',
        b'[' => b']',
        _ => return word(bytes, at),
    };
    let mut next = space(bytes, at + 1);
    if bytes.get(next) == Some(&close) {
        return Some(next + 1);
    }
    if depth >= DEEPEST {
        return None;
    }
    loop {
        if close == b'}' {
            next = space(bytes, string(bytes, next)?);
            if bytes.get(next) != Some(&b':') {
                return None;
            }
            next = space(bytes, next + 1);
        }
        next = space(bytes, end(bytes, next, depth + 1)?);
        match bytes.get(next)? {
            b',' => next = space(bytes, next + 1),
            byte if *byte == close => return Some(next + 1),
            _ => return None,
        }
    }
}

fn string(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            0..0x20 => return None,
            _ => at += 1,
        }
    }
}

/// The end of a number, true, false or null.
fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    for name in ["true", "false", "null"] {
        if rest.starts_with(name.as_bytes()) {
            return Some(at + name.len());
        }
    }
    let length = rest.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
    (length > 0).then_some(at + length)
}

fn space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\t' | b'\r')) {
        at += 1;
    }
    at
}
