//! Plain data over the boundary: what is read is what was written, to the bit, and nonsense is refused.

use precis::base::error::Code;
use precis::base::json::Json;
use precis::wasm::wire::{Reader, Writer};
use proptest::prelude::*;

/// As a host writes it: texts in their place, measured in bytes.
fn write(json: &Json, out: &mut Vec<u8>) {
    let text = |text: &str, out: &mut Vec<u8>| {
        number(text.len(), out);
        out.extend_from_slice(text.as_bytes());
    };
    match json {
        Json::Null | Json::NotANumber => out.push(0),
        Json::Bool(value) => out.push(1 + u8::from(*value)),
        Json::Int(value) if u32::try_from(*value).is_ok() => {
            out.push(3);
            number(*value as usize, out);
        }
        Json::Int(value) => float(*value as f64, out),
        Json::Fraction { bits, .. } => float(f64::from_bits(*bits), out),
        Json::Text(value) => {
            out.push(5);
            text(value, out);
        }
        Json::List(items) => {
            out.push(6);
            number(items.len(), out);
            items.iter().for_each(|item| write(item, out));
        }
        Json::Object(members) => {
            out.push(7);
            number(members.len(), out);
            for (name, value) in members {
                text(name, out);
                write(value, out);
            }
        }
    }
}

fn float(value: f64, out: &mut Vec<u8>) {
    out.push(4);
    out.extend_from_slice(&value.to_le_bytes());
}

fn number(mut number: usize, out: &mut Vec<u8>) {
    while number > 127 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// As a host reads it: all texts behind the structure, measured in UTF-16 units.
struct Host {
    structure: Vec<u8>,
    at: usize,
    texts: Vec<u16>,
    cut: usize,
}

impl Host {
    fn of(message: &[u8]) -> Self {
        let header = |at: usize| u32::from_le_bytes(message[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!(header(0), message.len());
        let texts = core::str::from_utf8(&message[header(4)..]).unwrap();
        Self { structure: message[8..header(4)].to_vec(), at: 0, texts: texts.encode_utf16().collect(), cut: 0 }
    }

    fn byte(&mut self) -> u8 {
        self.at += 1;
        self.structure[self.at - 1]
    }

    fn number(&mut self) -> usize {
        let byte = self.byte();
        usize::from(byte & 127) | if byte > 127 { self.number() << 7 } else { 0 }
    }

    fn text(&mut self) -> String {
        let start = self.cut;
        self.cut += self.number();
        String::from_utf16(&self.texts[start..self.cut]).unwrap()
    }

    fn value(&mut self) -> Json {
        match self.byte() {
            0 => Json::Null,
            1 => Json::Bool(false),
            2 => Json::Bool(true),
            3 => Json::Int(self.number() as i64),
            4 => {
                let bits = u64::from_le_bytes(self.structure[self.at..self.at + 8].try_into().unwrap());
                self.at += 8;
                let value = f64::from_bits(bits);
                if value.fract() == 0.0 { Json::Int(value as i64) } else { Json::Fraction { millionths: 0, bits } }
            }
            5 => Json::Text(self.text()),
            6 => {
                let count = self.number();
                Json::List((0..count).map(|_| self.value()).collect())
            }
            7 => {
                let count = self.number();
                Json::Object((0..count).map(|_| (self.text(), self.value())).collect())
            }
            other => panic!("no tag: {other}"),
        }
    }
}

/// Numbers by their bits alone.
fn plain(json: &Json) -> Json {
    match json {
        Json::Fraction { bits, .. } => Json::Fraction { millionths: 0, bits: *bits },
        Json::List(items) => Json::List(items.iter().map(plain).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (name.clone(), plain(value))).collect())
        }
        other => other.clone(),
    }
}

fn anything() -> impl Strategy<Value = Json> {
    let whole = -9_007_199_254_740_991_i64..=9_007_199_254_740_991;
    let fraction = any::<f64>().prop_filter("a finite fraction", |value| value.is_finite() && value.fract() != 0.0);
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        (0..70_000_i64).prop_map(Json::Int),
        whole.prop_map(Json::Int),
        fraction.prop_map(|value| Json::Fraction { millionths: 0, bits: value.to_bits() }),
        any::<String>().prop_map(Json::Text),
        "[a-z\u{feff}é🙂\u{10ffff}]{0,200}".prop_map(Json::Text),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Json::List),
            prop::collection::vec((any::<String>(), inner), 0..8).prop_map(Json::Object),
        ]
    })
}

proptest! {
    #[test]
    fn what_a_host_writes_is_what_is_read(values in prop::collection::vec(anything(), 1..4)) {
        let mut bytes = Vec::new();
        values.iter().for_each(|value| write(value, &mut bytes));
        let mut reader = Reader::new(&bytes);
        for value in &values {
            prop_assert_eq!(plain(&reader.value().unwrap()), value.clone());
        }
        prop_assert!(reader.value().is_none(), "nothing is left");
    }

    #[test]
    fn what_is_written_is_what_a_host_reads(values in prop::collection::vec(anything(), 1..4)) {
        let mut writer = Writer::default();
        values.iter().for_each(|value| writer.value(value));
        let mut host = Host::of(&writer.finish());
        for value in &values {
            prop_assert_eq!(&host.value(), value);
        }
        prop_assert_eq!((host.at, host.cut), (host.structure.len(), host.texts.len()));
    }

    #[test]
    fn nonsense_is_refused_and_breaks_nothing(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut reader = Reader::new(&bytes);
        while reader.value().is_some() {}
        Reader::new(&bytes).words();
        Reader::new(&bytes).bytes();
    }

    #[test]
    fn words_and_bytes_are_no_plain_data(words in prop::collection::vec(any::<u32>(), 0..300)) {
        let mut writer = Writer::default();
        writer.words(&words);
        let message = writer.finish();
        prop_assert_eq!(Reader::new(&message[8..]).words().unwrap(), words);
        prop_assert!(Reader::new(&message[8..]).bytes().is_none());
        let refused = Reader::new(&message[8..]).plain("state.at", Code::InvalidState).unwrap_err();
        prop_assert_eq!((refused.code, refused.path.as_deref()), (Code::InvalidState, Some("state.at")));
    }
}
