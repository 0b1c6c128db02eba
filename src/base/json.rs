//! Plain data as it crosses the boundary: a state, a plan or options before they are parsed.
//!
//! The engine uses no floating point. Whole numbers are `Int`. Other finite numbers keep their exact bits, because
//! unknown members of a newer state must survive unchanged, and also their value in millionths, for reading.

use crate::base::error::{Code, Error};
use core::cell::Cell;

/// A plain JSON value.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Json {
    /// `null` or `undefined`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number within ±2^53.
    Int(i64),
    /// Another finite number, with its value in millionths (saturating) and its IEEE 754 bits.
    Fraction {
        /// The value, rounded to millionths.
        millionths: i64,
        /// The exact value.
        bits: u64,
    },
    /// NaN or an infinity. It is never written.
    NotANumber,
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object, with its members in the order of arrival.
    Object(Vec<(String, Json)>),
}

static NULL: Json = Json::Null;

/// The most bytes of a number with a fraction.
const FRACTION: usize = 25;

/// The bytes of a text written as JSON, quotation marks included.
pub fn quoted_bytes(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
        0..b' ' => "\\u0000".len() - 1,
        _ => 0,
    };
    text.len() + 2 + text.bytes().map(escaped).sum::<usize>()
}

impl Json {
    /// Returns the member `name`, or null.
    #[inline(never)]
    pub fn get(&self, name: &str) -> &Self {
        match self {
            Self::Object(members) => members.iter().find(|(key, _)| key == name).map_or(&NULL, |(_, value)| value),
            _ => &NULL,
        }
    }

    /// Whether this is `null` or `undefined`.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The bytes that it takes when it is written as JSON without blanks; of a fraction, at most.
    pub fn bytes(&self) -> usize {
        let list = |sizes: &mut dyn Iterator<Item = usize>| {
            "[]".len() + sizes.map(|size| size + 1).sum::<usize>().saturating_sub(1)
        };
        match self {
            Self::Null | Self::NotANumber => "null".len(),
            Self::Bool(bool) => if *bool { "true" } else { "false" }.len(),
            Self::Int(int) => int.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1 + usize::from(*int < 0),
            Self::Fraction { .. } => FRACTION,
            Self::Text(text) => quoted_bytes(text),
            Self::List(items) => list(&mut items.iter().map(Self::bytes)),
            Self::Object(members) => {
                list(&mut members.iter().map(|(name, value)| quoted_bytes(name) + 1 + value.bytes()))
            }
        }
    }

    /// The string, if this is one.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The whole number, if this is one and at least 0.
    pub fn count(&self) -> Option<u64> {
        if let Self::Int(int) = self { u64::try_from(*int).ok() } else { None }
    }

    /// The whole number, if this is one.
    pub const fn int(&self) -> Option<i64> {
        if let Self::Int(int) = self { Some(*int) } else { None }
    }

    /// The number in millionths, if this is a finite number.
    pub const fn millionths(&self) -> Option<i64> {
        match self {
            Self::Int(int) => Some(int.saturating_mul(1_000_000)),
            Self::Fraction { millionths, .. } => Some(*millionths),
            _ => None,
        }
    }

    /// `true` or `false`, if this is one of them.
    pub const fn flag(&self) -> Option<bool> {
        if let Self::Bool(flag) = self { Some(*flag) } else { None }
    }

    /// The elements, if this is an array.
    pub fn list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    /// The members, if this is an object.
    pub fn members(&self) -> Option<&[(String, Self)]> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The name of the type, as messages to users call it.
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

    /// The value for a message to users: a shortened quoted text, a number, or the name of the type.
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

    /// Creates an object and leaves out members that are null.
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

    /// Creates an object, including members that are null.
    #[inline(never)]
    pub fn record(members: &mut [(&str, Self)]) -> Self {
        let mut out = Vec::with_capacity(members.len());
        for (key, value) in members {
            out.push(((*key).to_owned(), core::mem::take(value)));
        }
        Self::Object(out)
    }

    /// Sets or adds a member of an object. Does nothing on other types.
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

/// Formats millionths as a decimal number.
pub fn decimal(millionths: u64) -> String {
    let (whole, part) = (millionths / 1_000_000, format!("{}", 1_000_000 + millionths % 1_000_000));
    format!("{whole}.{}", part.get(1..).unwrap_or_default()).trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How many characters of a wrong value an error message repeats.
pub const SHOWN: usize = 40;

/// Creates the error for a value of the wrong type or range. Of a value in a state or plan, which may hold what people
/// wrote, the error names only the type.
#[cold]
#[inline(never)]
pub fn misfit(code: Code, path: &str, expected: &str, got: &Json) -> Error {
    let got = match code {
        Code::InvalidState | Code::InvalidPlan => got.kind().to_owned(),
        _ => got.shown(),
    };
    Error::at(code, path, format!("Expected {expected}, got {got}."))
}

/// The same, with the value that was meant if one that `fits` was written as a string: `"8000"`, `"8k"`, `"true"`.
#[cold]
#[inline(never)]
pub fn misfit_of(code: Code, path: &str, expected: &str, got: &Json, fits: &dyn Fn(&Json) -> bool) -> Error {
    let plain = misfit(code, path, expected, got);
    match got.text().and_then(unquoted).filter(fits) {
        Some(meant) => Error::at(code, path, format!("{} Did you mean {}?", plain.advice, meant.shown())),
        None => plain,
    }
}

/// The number or flag that a text spells.
fn unquoted(text: &str) -> Option<Json> {
    let text = text.trim().to_ascii_lowercase().replace('_', "");
    if let "true" | "false" = text.as_str() {
        return Some(Json::Bool(text == "true"));
    }
    let (digits, thousand) = text.strip_suffix('k').map_or((text.as_str(), 1), |digits| (digits, 1_000));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let millionths = format!("{part:0<6}");
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let any = digits.bytes().any(|byte| byte.is_ascii_digit());
    if !any || !all_digits(whole) || !all_digits(&millionths) || millionths.len() > 6 {
        return None;
    }
    let millionths =
        format!("0{whole}").parse::<i64>().ok()?.checked_mul(1_000_000)?.checked_add(millionths.parse().ok()?)?;
    let millionths = millionths.checked_mul(thousand)?;
    let whole = millionths % 1_000_000 == 0;
    Some(if whole { Json::Int(millionths / 1_000_000) } else { Json::Fraction { millionths, bits: 0 } })
}

/// The path of the member `name` of the value at `path`.
#[inline(never)]
pub fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The path of one element of the array `name` of the value at `path`.
#[inline(never)]
pub fn element(path: &str, name: &str, index: usize) -> String {
    format!("{}[{index}]", member(path, name))
}

/// Collects the first fault in what a host passed.
#[derive(Default)]
pub struct Faults(Cell<Option<Error>>);

impl Faults {
    /// Records a fault, unless one was recorded before.
    #[cold]
    #[inline(never)]
    pub fn note(&self, fault: Error) {
        let earlier = self.0.take();
        self.0.set(Some(earlier.unwrap_or(fault)));
    }

    /// Finishes reading.
    ///
    /// # Errors
    ///
    /// Returns the first fault.
    pub fn end(&self) -> Result<(), Error> {
        self.0.take().map_or(Ok(()), Err)
    }
}

/// Reads the members of an object. A wrong value is recorded as a fault and then read as if it were missing.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    /// The object, or null if none was given.
    pub value: &'a Json,
    /// The path of the object.
    pub path: &'a str,
    /// The code of faults in its members.
    pub code: Code,
    /// Collects the faults.
    pub faults: &'a Faults,
}

impl<'a> Fields<'a> {
    /// Requires `value` to be an object or missing. Faults carry `code`, and their path starts with `path`.
    pub fn of(value: &'a Json, path: &'a str, code: Code, faults: &'a Faults) -> Self {
        Self::like("an object", value, path, code, faults)
    }

    /// The same. `expected` describes the object to whoever passed something else.
    pub fn like(expected: &str, value: &'a Json, path: &'a str, code: Code, faults: &'a Faults) -> Self {
        if !matches!(value, Json::Object(_) | Json::Null) {
            faults.note(misfit(code, path, expected, value));
        }
        Self { value, path, code, faults }
    }

    /// The member as it is, unchecked.
    pub fn raw(&self, name: &str) -> &'a Json {
        self.value.get(name)
    }

    /// Records a fault of a member.
    #[cold]
    #[inline(never)]
    pub fn wrong(&self, name: &str, advice: &str) {
        self.faults.note(Error::at(self.code, member(self.path, name), advice));
    }

    /// Returns the member if `fits` accepts it. Returns null if it is missing, or if it is wrong, which is recorded as
    /// a fault.
    #[inline(never)]
    fn read(&self, name: &str, expected: &str, fits: fn(&Json) -> bool) -> &'a Json {
        let value = self.raw(name);
        if value.is_null() || fits(value) {
            return value;
        }
        self.faults.note(misfit_of(self.code, &member(self.path, name), expected, value, &fits));
        &NULL
    }

    /// An optional whole number of at least 0.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.read(name, "a whole number of at least 0", |json| json.count().is_some()).count()
    }

    /// An optional number of tokens.
    pub fn tokens(&self, name: &str) -> Option<u64> {
        self.read(name, "a whole number of tokens of at least 0", |json| json.count().is_some()).count()
    }

    /// An optional number of tokens above 0.
    pub fn some_tokens(&self, name: &str) -> Option<u64> {
        let above = |json: &Json| json.count().is_some_and(|count| count > 0);
        self.read(name, "a whole number of tokens above 0", above).count()
    }

    /// An optional time above 0, in milliseconds.
    pub fn some_milliseconds(&self, name: &str) -> Option<u64> {
        let above = |json: &Json| json.count().is_some_and(|count| count > 0);
        self.read(name, "a whole number of milliseconds above 0", above).count()
    }

    /// An optional string.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.read(name, "a string", |json| json.text().is_some()).text()
    }

    /// An array of strings. A missing one is read as empty.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let mut texts = Vec::new();
        let given = self.read(name, "an array of strings", |json| json.list().is_some());
        for (index, item) in given.list().unwrap_or_default().iter().enumerate() {
            match item.text() {
                Some(text) => texts.push(text.to_owned()),
                None => self.faults.note(misfit(self.code, &element(self.path, name, index), "a string", item)),
            }
        }
        texts
    }

    /// An array. A missing one is read as empty.
    pub fn list(&self, name: &str) -> &'a [Json] {
        self.read(name, "an array", |json| json.list().is_some()).list().unwrap_or_default()
    }

    /// `true` or `false`. A missing one is read as false.
    pub fn flag(&self, name: &str) -> bool {
        *self.read(name, "true or false", |json| matches!(json, Json::Bool(_))) == Json::Bool(true)
    }

    /// Whether a function was given. `true` stands for a function.
    pub fn function(&self, name: &str) -> bool {
        *self.read(name, "a function", |json| *json == Json::Bool(true)) == Json::Bool(true)
    }
}
