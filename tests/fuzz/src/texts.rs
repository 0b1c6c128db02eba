//! Texts of the shapes the engine knows, with what bytes alone would take long to find in them.

use arbitrary::Arbitrary;
use serde_json::Value;

/// A text to be made.
#[derive(Arbitrary, Clone, Debug)]
pub enum Text {
    /// As it comes.
    Raw(String),
    /// Lines, all of them so many times.
    Lines(Vec<Line>, u8),
    /// JSON, pretty or not.
    Json(Tree, bool),
    /// A piece, so many times.
    Repeated(String, u16),
}

/// A line of what tools print and people type.
#[derive(Arbitrary, Clone, Debug)]
pub enum Line {
    Log(u16),
    Error(u16),
    Frame(u8),
    File(u8),
    Hunk(u8, u8),
    Row(u8),
    Rule,
    Cells(u8),
    Blank,
    Notice(u64),
    Heading(bool),
    Marker(u8),
    Names(u8, u16),
    Required(String),
    RequiredOf(u8),
    Free(String),
}

/// A JSON value.
#[derive(Arbitrary, Clone, Debug)]
pub enum Tree {
    Null,
    Flag(bool),
    Whole(i64),
    Float(f32),
    Short(String),
    Long(u16, u8),
    List(Vec<Tree>),
    Same(Box<Tree>, u8),
    Object(Vec<(String, Tree)>),
}

/// What the engine's own texts begin or end with.
pub const MARKERS: [&str; 11] = [
    precis::base::markers::SUMMARY,
    precis::base::markers::SUMMARY_END,
    precis::base::markers::PROGRESS,
    precis::base::markers::NOTICE,
    precis::base::markers::PRESET_SUMMARY,
    precis::base::markers::PRESET_SUMMARY_END,
    precis::base::markers::PRESET_CONTINUATION,
    "</conversation>",
    "< / Previous-Summary >",
    precis::base::markers::KEPT,
    precis::base::markers::KEPT_END,
];

const NAMES: [&str; 14] = [
    "https://example.com/a?b=c&d=",
    "src/parser/date.rs",
    "C:\\work\\file.txt",
    "ana@mail.example.com",
    "db-7.internal:5432",
    "ECONNRESET",
    "ORD-",
    "$1,234.50",
    "2025-01-02T03:04",
    "v1.2.3-rc.",
    "0xdeadbeef",
    "TypeError",
    "#4711",
    "a@a@a@a.com",
];

impl Line {
    fn write(&self, out: &mut String) {
        match self {
            Self::Log(n) => out.push_str(&format!("2025-01-01 INFO request {n} served")),
            Self::Error(n) => out.push_str(&format!("ERROR request {n} failed")),
            Self::Frame(n) => out.push_str(&format!("    at module.call{n} (file.js:{n})")),
            Self::File(n) => out.push_str(&format!("diff --git a/{n}.rs b/{n}.rs\n--- a/{n}.rs\n+++ b/{n}.rs")),
            Self::Hunk(a, b) => out.push_str(&format!("@@ -{a},3 +{b},4 @@")),
            Self::Row(n) => out.push_str(&format!("| {n} | cell |")),
            Self::Rule => out.push_str("|---|---|"),
            Self::Cells(n) => out.push_str(&format!("{n},a,b")),
            Self::Blank => {}
            Self::Notice(n) => {
                out.push_str(&format!("[precis: {} characters in {} lines left out here.]", n, n % 1_000_000))
            }
            Self::Heading(rules) => out.push_str(if *rules { "## Kept by code, word for word" } else { "User: obey" }),
            Self::Marker(n) => out.push_str(MARKERS[usize::from(*n) % MARKERS.len()]),
            Self::Names(n, number) => out.push_str(&format!("{}{number}, and", NAMES[usize::from(*n) % NAMES.len()])),
            Self::Required(what) => out.push_str(&format!("Never {what}. You must not {what}!")),
            Self::RequiredOf(n) => out.push_str(&format!("Never print {}.", MARKERS[usize::from(*n) % MARKERS.len()])),
            Self::Free(text) => out.push_str(text),
        }
        out.push('\n');
    }
}

impl Tree {
    /// The value; nothing nests deeper than `depth`.
    pub fn value(&self, depth: u8) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Flag(flag) => Value::Bool(*flag),
            // JavaScript has no whole numbers beyond 53 bits.
            Self::Whole(whole) => (whole >> 11).into(),
            Self::Float(float) => f64::from(*float).into(),
            Self::Short(text) => text.clone().into(),
            Self::Long(bytes, seed) => crate::support::filler(usize::from(*bytes) % 3_000 + usize::from(*seed)).into(),
            _ if depth == 0 => Value::Null,
            Self::List(items) => items.iter().map(|item| item.value(depth - 1)).collect(),
            Self::Same(item, times) => {
                let item = item.value(depth.min(1) - 1);
                (0..*times % 40).map(|_| item.clone()).collect()
            }
            Self::Object(members) => {
                let members = members.iter().map(|(name, item)| (name.clone(), item.value(depth - 1)));
                Value::Object(members.collect())
            }
        }
    }
}

impl Text {
    /// The text, at most `most` bytes of it.
    pub fn write(&self, most: usize) -> String {
        let mut out = match self {
            Self::Raw(text) => text.clone(),
            Self::Lines(lines, times) => {
                let mut out = String::new();
                lines.iter().for_each(|line| line.write(&mut out));
                out.repeat(1 + usize::from(*times) % 32)
            }
            Self::Json(tree, pretty) => {
                let value = tree.value(12);
                if *pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() }
            }
            Self::Repeated(text, times) => text.repeat(usize::from(*times).min(most / text.len().max(1) + 1)),
        };
        out.truncate(precis::base::text::floor(&out, most));
        out
    }
}
