//! Reads a text that is JSON and nothing else.

use crate::base::text;
use crate::ingest::content::Value;

/// Longer outputs are looked at no farther.
const LOOKED_AT: usize = 60_000;
/// Deeper values are left out.
const DEEPEST: usize = 12;

/// The value in a text that is JSON, or in one of JSON a line.
pub fn within(value: &Value) -> Option<Value> {
    match value {
        Value::Text(text) => strict(text).or_else(|| lines(text)),
        _ => None,
    }
}

/// A text as a value, if it is an object or a list and nothing else.
pub fn strict(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) || text.len() > LOOKED_AT {
        return None;
    }
    let mut reader = Reader { text, at: 0 };
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

struct Reader<'t> {
    text: &'t str,
    at: usize,
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
            b'"' => self.string().map(Value::Text),
            b'{' => {
                self.at += 1;
                let mut members = Vec::new();
                while !self.takes(b'}') {
                    if !members.is_empty() && !self.takes(b',') {
                        return None;
                    }
                    self.space();
                    let key = self.string()?;
                    if !self.takes(b':') {
                        return None;
                    }
                    members.push((key, self.value(depth + 1)?));
                }
                Some(Value::Object(members))
            }
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while !self.takes(b']') {
                    if !items.is_empty() && !self.takes(b',') {
                        return None;
                    }
                    items.push(self.value(depth + 1)?);
                }
                Some(Value::Array(items))
            }
            _ => {
                let from = self.at;
                while matches!(self.peek(), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'+' | b'.') {
                    self.at += 1;
                }
                Some(match text::between(self.text, from, self.at) {
                    "" => return None,
                    "null" | "NaN" => Value::Null,
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    number => Value::Number(number.to_owned()),
                })
            }
        }
    }

    /// The four hex digits of an escape.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn string(&mut self) -> Option<String> {
        if self.peek() != b'"' {
            return None;
        }
        self.at += 1;
        let mut out = String::new();
        let mut from = self.at;
        loop {
            match self.peek() {
                0 => return None,
                b'"' => {
                    out.push_str(text::between(self.text, from, self.at));
                    self.at += 1;
                    return Some(out);
                }
                b'\\' => {
                    out.push_str(text::between(self.text, from, self.at));
                    self.at += 2;
                    match self.text.as_bytes().get(self.at - 1)? {
                        b'n' | b'r' => out.push('\n'),
                        b't' => out.push(' '),
                        b'u' => {
                            let code = self.unit()?;
                            // Beyond the first 65,536 characters there are two units, each with an escape of its own.
                            let low = (0xd800..0xdc00).contains(&code)
                                && text::between(self.text, self.at, self.at + 2) == "\\u";
                            if low {
                                self.at += 2;
                                let low = self.unit()?;
                                out.extend(char::from_u32(0x1_0000 + ((code - 0xd800) << 10) + (low & 0x3ff)));
                            } else {
                                out.extend(char::from_u32(code));
                            }
                        }
                        byte @ (b'"' | b'\\' | b'/') => out.push(char::from(*byte)),
                        _ => {}
                    }
                    from = self.at;
                }
                _ => self.at += 1,
            }
        }
    }
}
