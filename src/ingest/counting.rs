//! Counts a call whose arguments are at hand as the writer counts it when it arrives on the tape.

use crate::ingest::content::Value;
use crate::ingest::record_writer::RecordWriter;
use crate::model::message::{MessageRecord, Role};
use crate::tokens::{self, Estimator, Rule};

/// The raw tokens of a call with this tool name and these arguments. The host's own counter cannot be called from here,
/// so with it only the arguments count, as text.
pub fn of_call(estimator: &Estimator, name: &str, input: &Value) -> u64 {
    let as_text = || {
        let mut json = String::new();
        input.write_json(&mut json);
        tokens::of_text(estimator, &json)
    };
    if estimator.rule == Rule::Host {
        return as_text();
    }
    let mut tape = Tape { ops: vec![1, Role::Assistant as u32, 4, 0, 0], text: Vec::new() };
    tape.string("");
    tape.string(name);
    tape.value(input);
    let mut writer = RecordWriter::new(estimator.clone());
    let record = writer.push(&tape.ops, &tape.text).and_then(|()| writer.finish());
    let part = record.ok().and_then(|record| MessageRecord::split(&record)?.first()?.parts().next());
    part.map_or_else(as_text, |part| u64::from(part.tokens))
}

/// A tape that is written by code: see [`crate::ingest::tape`] for its ops.
struct Tape {
    ops: Vec<u32>,
    text: Vec<u8>,
}

impl Tape {
    fn string(&mut self, text: &str) {
        self.run(16, text);
    }

    fn run(&mut self, op: u32, text: &str) {
        self.ops.extend([op, text.len() as u32]);
        self.text.extend(text.as_bytes());
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.ops.push(18),
            Value::Bool(false) => self.ops.push(19),
            Value::Bool(true) => self.ops.push(20),
            Value::Number(number) => self.run(21, number),
            Value::Text(text) => self.string(text),
            Value::Array(items) => {
                self.ops.push(22);
                items.iter().for_each(|item| self.value(item));
                self.ops.push(24);
            }
            Value::Object(members) => {
                self.ops.push(23);
                for (key, value) in members {
                    self.string(key);
                    self.value(value);
                }
                self.ops.push(24);
            }
            Value::Medium { kind, media_type, bytes } => {
                self.ops.extend([27, *kind, *bytes as u32, (*bytes >> 32) as u32, 0, 0]);
                self.string(media_type);
            }
            Value::Binary(bytes) => {
                self.ops.extend([25, *bytes as u32, (*bytes >> 32) as u32]);
                self.string("");
            }
        }
    }
}
