//! Plain data as it crosses the boundary: what a state, a plan or a set of options looks like before it is parsed.
//!
//! The engine knows no floating point: whole numbers are `Int`, other finite ones keep their exact bits for the way
//! back (members of a newer state that we do not know must survive) and their value in millionths for reading.

use crate::base::error::{Code, Error};
use core::cell::Cell;

/// A plain JSON value.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Json {
    /// `null`, and what JavaScript calls undefined.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number within ±2^53.
    Int(i64),
    /// Another finite number: its value in millionths (saturating) and its IEEE bits.
    Fraction {
        /// Rounded to millionths.
        millionths: i64,
        /// What it was, exactly.
        bits: u64,
    },
    /// NaN or an infinity; never written.
    NotANumber,
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// Members in the order they came.
    Object(Vec<(String, Json)>),
}

static NULL: Json = Json::Null;

impl Json {
    /// The member `name`, or null.
    #[inline(never)]
    pub fn get(&self, name: &str) -> &Self {
        match self {
            Self::Object(members) => members.iter().find(|(key, _)| key == name).map_or(&NULL, |(_, value)| value),
            _ => &NULL,
        }
    }

    /// Whether this is null or undefined.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The string, if it is one.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The whole number ≥ 0, if it is one.
    pub fn count(&self) -> Option<u64> {
        if let Self::Int(int) = self { u64::try_from(*int).ok() } else { None }
    }

    /// The whole number, if it is one.
    pub const fn int(&self) -> Option<i64> {
        if let Self::Int(int) = self { Some(*int) } else { None }
    }

    /// The number in millionths, if it is finite.
    pub const fn millionths(&self) -> Option<i64> {
        match self {
            Self::Int(int) => Some(int.saturating_mul(1_000_000)),
            Self::Fraction { millionths, .. } => Some(*millionths),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    pub fn list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    /// The members, if it is an object.
    pub fn members(&self) -> Option<&[(String, Self)]> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// What a reader would call its type.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::Fraction { .. } => "a number",
            Self::NotANumber => "NaN or Infinity",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// The value for a message: a text cut short in quotation marks, a number as it is, else its type.
    pub fn shown(&self) -> String {
        match self {
            Self::Bool(flag) => if *flag { "true" } else { "false" }.to_owned(),
            Self::Int(int) => format!("{}{}", if *int < 0 { "-" } else { "" }, int.unsigned_abs()),
            Self::Fraction { millionths, .. } => {
                format!("{}{}", if *millionths < 0 { "-" } else { "" }, decimal(millionths.unsigned_abs()))
            }
            Self::Text(text) => {
                let start: String = text.chars().take(SHOWN).collect();
                let more = if start.len() < text.len() { "…" } else { "" };
                format!("the string \"{start}{more}\"")
            }
            other => other.kind().to_owned(),
        }
    }

    /// An object from its members; members that are null are left out.
    #[inline(never)]
    pub fn object(members: &mut [(&str, Self)]) -> Self {
        let mut out = Vec::with_capacity(members.len());
        for (key, value) in members {
            if !value.is_null() {
                out.push(((*key).to_owned(), core::mem::take(value)));
            }
        }
        Self::Object(out)
    }

    /// An object from its members, nulls included.
    #[inline(never)]
    pub fn record(members: &mut [(&str, Self)]) -> Self {
        let mut out = Vec::with_capacity(members.len());
        for (key, value) in members {
            out.push(((*key).to_owned(), core::mem::take(value)));
        }
        Self::Object(out)
    }

    /// Sets or adds a member of an object.
    pub fn set(&mut self, name: &str, value: Self) {
        if let Self::Object(members) = self {
            match members.iter_mut().find(|(key, _)| key == name) {
                Some(member) => member.1 = value,
                None => members.push((name.to_owned(), value)),
            }
        }
    }
}

impl From<u64> for Json {
    #[inline(never)]
    fn from(value: u64) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX).min((1 << 53) - 1))
    }
}

impl From<usize> for Json {
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<i64> for Json {
    #[inline(never)]
    fn from(value: i64) -> Self {
        Self::Int(value.clamp(-((1 << 53) - 1), (1 << 53) - 1))
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Json {
    #[inline(never)]
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Json {
    fn from(value: Vec<T>) -> Self {
        Self::List(value.into_iter().map(Into::into).collect())
    }
}

/// Millionths as a decimal number.
pub fn decimal(millionths: u64) -> String {
    let (whole, part) = (millionths / 1_000_000, format!("{}", 1_000_000 + millionths % 1_000_000));
    format!("{whole}.{}", part.get(1..).unwrap_or_default()).trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Characters of a wrong value that a message repeats.
const SHOWN: usize = 40;

/// The error about a value that is not what was expected in its place. States and plans may hold what people wrote: of
/// their values only the type is named.
#[cold]
#[inline(never)]
pub fn misfit(code: Code, path: &str, expected: &str, got: &Json) -> Error {
    let got = match code {
        Code::InvalidState | Code::InvalidPlan => got.kind().to_owned(),
        _ => got.shown(),
    };
    Error::at(code, path, format!("Expected {expected}, got {got}."))
}

/// The path of the member `name` of what lies at `path`.
#[inline(never)]
pub fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The path of an element of the array `name` of what lies at `path`.
#[inline(never)]
pub fn element(path: &str, name: &str, index: usize) -> String {
    format!("{}[{index}]", member(path, name))
}

/// The first fault found in what a host passed.
#[derive(Default)]
pub struct Faults(Cell<Option<Error>>);

impl Faults {
    /// Remembers a fault, unless there was one before.
    #[cold]
    #[inline(never)]
    pub fn note(&self, fault: Error) {
        let earlier = self.0.take();
        self.0.set(Some(earlier.unwrap_or(fault)));
    }

    /// All is read.
    ///
    /// # Errors
    /// The first fault.
    pub fn end(&self) -> Result<(), Error> {
        self.0.take().map_or(Ok(()), Err)
    }
}

/// Reads members of an object. What does not fit is a fault, and read as if it were missing.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    /// The object; null where none was given.
    pub value: &'a Json,
    /// The path of its members.
    pub path: &'a str,
    /// The code of their faults.
    pub code: Code,
    /// Where these go.
    pub faults: &'a Faults,
}

impl<'a> Fields<'a> {
    /// `value` must be an object or missing; faults carry `code` and start their path with `path`.
    pub fn of(value: &'a Json, path: &'a str, code: Code, faults: &'a Faults) -> Self {
        if !matches!(value, Json::Object(_) | Json::Null) {
            faults.note(misfit(code, path, "an object", value));
        }
        Self { value, path, code, faults }
    }

    /// The member as it is.
    pub fn raw(&self, name: &str) -> &'a Json {
        self.value.get(name)
    }

    /// A fault of a member.
    #[cold]
    #[inline(never)]
    pub fn wrong(&self, name: &str, advice: &str) {
        self.faults.note(Error::at(self.code, member(self.path, name), advice));
    }

    /// What `read` makes of a member; none if it is missing or, which is a fault, not what is expected.
    #[inline(never)]
    fn read(&self, name: &str, expected: &str, fits: fn(&Json) -> bool) -> &'a Json {
        let value = self.raw(name);
        if value.is_null() || fits(value) {
            return value;
        }
        self.faults.note(misfit(self.code, &member(self.path, name), expected, value));
        &NULL
    }

    /// A whole number ≥ 0, or none.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.read(name, "a whole number of at least 0", |json| json.count().is_some()).count()
    }

    /// A number of tokens, or none.
    pub fn tokens(&self, name: &str) -> Option<u64> {
        self.read(name, "a whole number of tokens of at least 0", |json| json.count().is_some()).count()
    }

    /// A number of tokens above 0, or none.
    pub fn some_tokens(&self, name: &str) -> Option<u64> {
        let above = |json: &Json| json.count().is_some_and(|count| count > 0);
        self.read(name, "a whole number of tokens above 0", above).count()
    }

    /// A time in milliseconds above 0, or none.
    pub fn some_milliseconds(&self, name: &str) -> Option<u64> {
        let above = |json: &Json| json.count().is_some_and(|count| count > 0);
        self.read(name, "a whole number of milliseconds above 0", above).count()
    }

    /// A string, or none.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.read(name, "a string", |json| json.text().is_some()).text()
    }

    /// The strings of an array; a missing one is empty.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for (index, item) in self.list(name).iter().enumerate() {
            match item.text() {
                Some(text) => texts.push(text.to_owned()),
                None => self.faults.note(misfit(self.code, &element(self.path, name, index), "a string", item)),
            }
        }
        texts
    }

    /// An array; a missing one is empty.
    pub fn list(&self, name: &str) -> &'a [Json] {
        self.read(name, "an array", |json| json.list().is_some()).list().unwrap_or_default()
    }

    /// `true` or `false`, or false.
    pub fn flag(&self, name: &str) -> bool {
        *self.read(name, "true or false", |json| matches!(json, Json::Bool(_))) == Json::Bool(true)
    }

    /// Whether a function was given, for which `true` stands.
    pub fn function(&self, name: &str) -> bool {
        *self.read(name, "a function", |json| *json == Json::Bool(true)) == Json::Bool(true)
    }
}
