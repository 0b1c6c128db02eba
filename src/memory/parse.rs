//! Reads what a tool printed as JSON: a whole text, or as far as it goes.

use crate::base::text;
use crate::ingest::content::Value;

/// Longer outputs are looked at no farther.
const LOOKED_AT: usize = 60_000;
/// Deeper values are left out.
const DEEPEST: usize = 12;

/// A text as a value, if it is an object or a list and nothing else.
pub fn strict(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) || text.len() > LOOKED_AT {
        return None;
    }
    let mut reader = Reader { text, at: 0, lenient: false, cut: false };
    let value = reader.value(0)?;
    reader.space();
    (reader.at == text.len()).then_some(value)
}

/// Several objects, one a line, as a list.
pub fn lines(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with('{') || text.len() > LOOKED_AT {
        return None;
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let items = lines.map(|line| if line.starts_with('{') { strict(line) } else { None });
    items.collect::<Option<Vec<_>>>().filter(|items| items.len() > 1).map(Value::Array)
}

/// A text as a value, as far as it goes: also where it was cut, and in the way of a language that quotes with `'`.
pub fn lenient(text: &str) -> Option<Value> {
    const STARTS: [&str; 6] = ["{\"", "{'", "[{", "[\"", "['", "[["];
    let text = text.trim();
    if !STARTS.iter().any(|start| text.starts_with(start)) || text.len() > LOOKED_AT {
        return None;
    }
    Reader { text, at: 0, lenient: true, cut: false }.value(0)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// What is cut ends where it is cut; texts may stand between `'`.
    lenient: bool,
    /// The value that was read last was cut.
    cut: bool,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while self.peek().is_ascii_whitespace() {
            self.at += 1;
        }
    }

    /// Takes this byte, after space.
    fn takes(&mut self, byte: u8) -> bool {
        self.space();
        let is = self.peek() == byte;
        self.at += usize::from(is);
        is
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.space();
        if depth > DEEPEST {
            return None;
        }
        match self.peek() {
            b'"' | b'\'' => self.string().map(Value::Text),
            b'{' => {
                self.at += 1;
                let mut members = Vec::new();
                if self.takes(b'}') {
                    return Some(Value::Object(members));
                }
                loop {
                    self.space();
                    let member = self.string().filter(|_| self.takes(b':'));
                    let Some((key, value)) = member.and_then(|key| Some((key, self.value(depth + 1)?))) else {
                        return self.ends(Value::Object(members));
                    };
                    members.push((key, value));
                    if !self.takes(b',') {
                        return if self.takes(b'}') {
                            Some(Value::Object(members))
                        } else {
                            self.ends(Value::Object(members))
                        };
                    }
                }
            }
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                if self.takes(b']') {
                    return Some(Value::Array(items));
                }
                loop {
                    let Some(item) = self.value(depth + 1) else {
                        return self.ends(Value::Array(items));
                    };
                    // Of a list that was cut the whole elements are enough.
                    if self.cut && !items.is_empty() {
                        return Some(Value::Array(items));
                    }
                    items.push(item);
                    if !self.takes(b',') {
                        return if self.takes(b']') {
                            Some(Value::Array(items))
                        } else {
                            self.ends(Value::Array(items))
                        };
                    }
                }
            }
            _ => {
                let from = self.at;
                while matches!(self.peek(), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'+' | b'.') {
                    self.at += 1;
                }
                Some(match text::between(self.text, from, self.at) {
                    "" => return None,
                    "null" | "NaN" | "None" => Value::Null,
                    "true" | "True" => Value::Bool(true),
                    "false" | "False" => Value::Bool(false),
                    number => Value::Number(number.to_owned()),
                })
            }
        }
    }

    /// A value that was cut, as far as it goes.
    fn ends(&mut self, value: Value) -> Option<Value> {
        self.cut = true;
        self.lenient.then_some(value)
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek();
        if quote != b'"' && !(self.lenient && quote == b'\'') {
            return None;
        }
        self.at += 1;
        let mut out = String::new();
        let mut from = self.at;
        loop {
            match self.peek() {
                0 if self.lenient && self.at == self.text.len() => {
                    self.cut = true;
                    out.push_str(text::between(self.text, from, self.at));
                    return Some(out);
                }
                0 => return None,
                byte if byte == quote => {
                    out.push_str(text::between(self.text, from, self.at));
                    self.at += 1;
                    return Some(out);
                }
                b'\\' => {
                    out.push_str(text::between(self.text, from, self.at));
                    self.at += 2;
                    match self.text.as_bytes().get(self.at - 1)? {
                        b'n' | b'r' | b't' => out.push(' '),
                        b'u' => {
                            let code = u32::from_str_radix(self.text.get(self.at..self.at + 4)?, 16).ok()?;
                            self.at += 4;
                            out.extend(char::from_u32(code));
                        }
                        byte @ (b'"' | b'\'' | b'\\' | b'/') => out.push(char::from(*byte)),
                        _ => {}
                    }
                    from = self.at;
                }
                _ => self.at += 1,
            }
        }
    }
}
