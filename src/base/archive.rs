//! Reads records from plain data and writes them back, from one description of their members.

use crate::base::error::{Code, Error};
use crate::base::json::Json;
use crate::base::text;
use crate::model::message::{Position, from_hex, hex};

/// The most bytes of the name of a member that an error names.
const LONGEST_NAME: usize = 80;

/// A value that is kept as a plain object.
pub trait Record {
    /// Passes every member through the archive, which either reads or writes it.
    fn archive(&mut self, archive: &mut Archive<'_>);

    /// Converts the record to plain data.
    fn to_json(&mut self) -> Json
    where
        Self: Sized,
    {
        write(self)
    }

    /// Reads the record from plain data.
    ///
    /// # Errors
    ///
    /// Names the path of the first member with a wrong value.
    fn from_json(json: &Json, place: Origin) -> Result<Self, Error>
    where
        Self: Sized + Default,
    {
        let mut record = Self::default();
        match read(&mut record, json) {
            _ if json.members().is_none() => Err(place.broken("")),
            None => Ok(record),
            Some(name) => Err(place.broken(&name)),
        }
    }
}

// Takes a trait object, here and below: compiling this code once per kind of record would add 2 kB of wasm.
fn write(record: &mut dyn Record) -> Json {
    let mut archive = Archive::writer();
    record.archive(&mut archive);
    archive.finish()
}

/// Returns the path of the first member with a wrong value, if there is one.
fn read(record: &mut dyn Record, json: &Json) -> Option<String> {
    let mut archive = Archive { source: Some(json), members: Vec::new(), broken: None };
    record.archive(&mut archive);
    archive.broken
}

/// A growable list of records.
pub trait Records {
    /// The number of records.
    fn length(&self) -> usize;
    /// The record at `index`. Appends a new record if `index` is the length of the list.
    fn at(&mut self, index: usize) -> &mut dyn Record;
}

impl<T: Record + Default> Records for Vec<T> {
    fn length(&self) -> usize {
        self.len()
    }

    fn at(&mut self, index: usize) -> &mut dyn Record {
        if index == self.len() {
            self.push(T::default());
        }
        &mut self[index]
    }
}

/// What is being read, for error messages.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// `"state"` or `"plan"`.
    pub name: &'static str,
    /// The code of errors about it.
    pub code: Code,
    /// Tells the user what to do if it is damaged.
    pub advice: &'static str,
}

impl Origin {
    #[cold]
    fn broken(self, member: &str) -> Error {
        let path = if member.is_empty() { self.name.to_owned() } else { format!("{}.{member}", self.name) };
        Error::at(self.code, path, self.advice)
    }
}

/// Reads or writes the members of a record.
pub struct Archive<'a> {
    /// The object that is read; `None` when writing.
    source: Option<&'a Json>,
    members: Vec<(String, Json)>,
    /// The path of the first member with a wrong value.
    broken: Option<String>,
}

impl Archive<'_> {
    /// Creates an archive that writes.
    pub fn writer() -> Self {
        Self { source: None, members: Vec::new(), broken: None }
    }

    /// Returns the object that was written.
    pub fn finish(self) -> Json {
        Json::Object(self.members)
    }

    /// Writes a member, even if its value is null.
    #[inline(never)]
    pub fn put(&mut self, name: &str, value: Json) {
        self.members.push((name.to_owned(), value));
    }

    /// Writes a whole number.
    #[inline(never)]
    pub fn put_count(&mut self, name: &str, value: u64) {
        self.put(name, Json::from(value));
    }

    /// Writes a string.
    #[inline(never)]
    pub fn put_text(&mut self, name: &str, value: &str) {
        self.put(name, Json::Text(value.to_owned()));
    }

    /// Writes a string, or null.
    pub fn put_maybe_text(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => self.put_text(name, value),
            None => self.put(name, Json::Null),
        }
    }

    /// Passes the member `name` to `read`, which returns false if its value is wrong; or writes `write` unless it is
    /// null.
    fn member(&mut self, name: &'static str, read: &mut dyn FnMut(&Json) -> bool, write: Option<Json>) {
        match (self.source, write) {
            (Some(source), _) if read(source.get(name)) => {}
            (Some(_), _) => self.reject(name),
            (None, Some(value)) if !value.is_null() => self.members.push((name.to_owned(), value)),
            _ => {}
        }
    }

    /// Whether this archive reads.
    pub fn reads(&self) -> bool {
        self.source.is_some()
    }

    fn writes(&self) -> bool {
        self.source.is_none()
    }

    /// Marks a member as wrong because it contradicts the others.
    pub fn reject(&mut self, name: &'static str) {
        if self.broken.is_none() {
            self.broken = Some(name.to_owned());
        }
    }

    /// Records the path of a wrong value inside a member, unless an earlier member was already wrong.
    fn reject_inside(&mut self, intact: bool, path: Option<String>) {
        if let Some(path) = path.filter(|_| intact) {
            self.broken = Some(path);
        }
    }

    /// A whole number of at least 0. A missing one is read as 0.
    pub fn count(&mut self, name: &'static str, value: &mut u64) {
        let write = self.writes().then(|| Json::from(*value));
        self.member(name, &mut |json| json.is_null() || json.count().map(|count| *value = count).is_some(), write);
    }

    /// An optional whole number of at least 0.
    pub fn maybe_count(&mut self, name: &'static str, value: &mut Option<u64>) {
        let write = if self.writes() { value.map(Json::from) } else { None };
        self.member(
            name,
            &mut |json| json.is_null() || json.count().map(|count| *value = Some(count)).is_some(),
            write,
        );
    }

    /// A string. A missing one is read as the empty string.
    pub fn text(&mut self, name: &'static str, value: &mut String) {
        let write = self.writes().then(|| Json::Text(value.clone()));
        self.member(
            name,
            &mut |json| json.is_null() || json.text().map(|text| text.clone_into(value)).is_some(),
            write,
        );
    }

    /// An optional string.
    pub fn maybe_text(&mut self, name: &'static str, value: &mut Option<String>) {
        let write = if self.writes() { value.clone().map(Json::Text) } else { None };
        self.member(
            name,
            &mut |json| json.is_null() || json.text().map(|text| *value = Some(text.to_owned())).is_some(),
            write,
        );
    }

    /// A flag. False is written as a missing member.
    pub fn flag(&mut self, name: &'static str, value: &mut bool) {
        let write = (self.writes() && *value).then_some(Json::Bool(true));
        let mut read = |json: &Json| {
            if let Json::Bool(flag) = json {
                *value = *flag;
            }
            matches!(json, Json::Bool(_) | Json::Null)
        };
        self.member(name, &mut read, write);
    }

    /// A hash as 16 hex digits.
    pub fn hash(&mut self, name: &'static str, value: &mut u64) {
        let write = self.writes().then(|| Json::Text(hex(*value)));
        self.member(name, &mut |json| json.text().and_then(from_hex).map(|hash| *value = hash).is_some(), write);
    }

    /// An optional hash.
    pub fn maybe_hash(&mut self, name: &'static str, value: &mut Option<u64>) {
        if self.writes() && value.is_none() || self.source.is_some_and(|source| source.get(name).is_null()) {
            return;
        }
        let mut hash = value.unwrap_or(0);
        self.hash(name, &mut hash);
        *value = Some(hash);
    }

    /// Hashes. An empty list is written as a missing member.
    pub fn hashes(&mut self, name: &'static str, value: &mut Vec<u64>) {
        let mut texts: Vec<String> = value.iter().map(|&hash| hex(hash)).collect();
        self.texts(name, &mut texts);
        if self.reads() {
            *value = texts.iter().filter_map(|text| from_hex(text)).collect();
            if value.len() != texts.len() {
                self.reject(name);
            }
        }
    }

    /// A position, as `{ count, chain }`.
    pub fn position(&mut self, name: &'static str, value: &mut Position) {
        let write = self
            .writes()
            .then(|| Json::record(&mut [("count", value.count.into()), ("chain", Json::Text(hex(value.chain)))]));
        let mut read = |json: &Json| {
            let position = json.get("count").count().zip(json.get("chain").text().and_then(from_hex));
            position.map(|(count, chain)| *value = Position { count, chain }).is_some()
        };
        self.member(name, &mut read, write);
    }

    /// An optional position.
    pub fn maybe_position(&mut self, name: &'static str, value: &mut Option<Position>) {
        if self.writes() && value.is_none() || self.source.is_some_and(|source| source.get(name).is_null()) {
            return;
        }
        let mut position = value.unwrap_or(Position::START);
        self.position(name, &mut position);
        *value = Some(position);
    }

    /// Whole numbers of at least 0. An empty list is written as a missing member.
    pub fn counts(&mut self, name: &'static str, value: &mut Vec<u64>) {
        let write = (self.writes() && !value.is_empty())
            .then(|| Json::List(value.iter().map(|&count| Json::from(count)).collect()));
        let mut read = |json: &Json| {
            for item in json.list().unwrap_or_default() {
                let Some(count) = item.count() else { return false };
                value.push(count);
            }
            json.is_null() || json.list().is_some()
        };
        self.member(name, &mut read, write);
    }

    /// Strings. An empty list is written as a missing member.
    pub fn texts(&mut self, name: &'static str, value: &mut Vec<String>) {
        let write = (self.writes() && !value.is_empty())
            .then(|| Json::List(value.iter().map(|text| Json::Text(text.clone())).collect()));
        let mut read = |json: &Json| {
            let items = json.list().unwrap_or_default();
            value.extend(items.iter().filter_map(Json::text).map(str::to_owned));
            value.len() == items.len() && (json.is_null() || json.list().is_some())
        };
        self.member(name, &mut read, write);
    }

    /// Plain data of any type.
    pub fn plain(&mut self, name: &'static str, value: &mut Json) {
        let write = self.writes().then(|| value.clone());
        let mut read = |json: &Json| {
            *value = json.clone();
            true
        };
        self.member(name, &mut read, write);
    }

    /// A nested record.
    pub fn record(&mut self, name: &'static str, value: &mut dyn Record) {
        let json = self.writes().then(|| write(value));
        let (intact, mut inside) = (self.broken.is_none(), None);
        let mut read = |json: &Json| {
            let broken = read(value, json);
            let fits = broken.is_none() && (json.members().is_some() || json.is_null());
            inside = broken.filter(|_| json.members().is_some()).map(|member| format!("{name}.{member}"));
            fits
        };
        self.member(name, &mut read, json);
        self.reject_inside(intact, inside);
    }

    /// An optional nested record.
    pub fn maybe_record<T: Record + Default>(&mut self, name: &'static str, value: &mut Option<T>) {
        if self.writes() && value.is_none() || self.source.is_some_and(|source| source.get(name).is_null()) {
            return;
        }
        self.record(name, value.get_or_insert_with(T::default));
    }

    /// Records. An empty list is written as a missing member.
    pub fn records(&mut self, name: &'static str, value: &mut dyn Records) {
        let length = value.length();
        let json = (self.writes() && length > 0)
            .then(|| Json::List((0..length).map(|index| write(value.at(index))).collect()));
        let (intact, mut inside) = (self.broken.is_none(), None);
        let mut read = |json: &Json| {
            let mut items = json.list().unwrap_or_default().iter().enumerate();
            (json.is_null() || json.list().is_some())
                && items.all(|(index, item)| {
                    let at = format!("{name}[{index}]");
                    let broken = read(value.at(index), item);
                    inside = match broken {
                        _ if item.members().is_none() => Some(at),
                        Some(member) => Some(format!("{at}.{member}")),
                        None => None,
                    };
                    inside.is_none()
                })
        };
        self.member(name, &mut read, json);
        self.reject_inside(intact, inside);
    }

    /// Records. An empty list is written as an empty array.
    pub fn present(&mut self, name: &'static str, value: &mut dyn Records) {
        if self.writes() && value.length() == 0 {
            self.members.push((name.to_owned(), Json::List(Vec::new())));
        } else {
            self.records(name, value);
        }
    }

    /// Members that are not in `known`, written by a later version. They are kept unchanged; more than `most` bytes of them
    /// are refused.
    pub fn unknown(&mut self, known: &[&str], most: usize, value: &mut Vec<(String, Json)>) {
        match self.source {
            Some(source) => {
                let mut room = most;
                for (name, member) in source.members().unwrap_or_default() {
                    if known.contains(&name.as_str()) {
                        continue;
                    }
                    let bytes = name.len() + member.bytes();
                    if bytes > room {
                        let name = text::start(name, LONGEST_NAME);
                        self.broken.get_or_insert(name);
                        return;
                    }
                    room -= bytes;
                    value.push((name.clone(), member.clone()));
                }
            }
            None => self.members.extend(value.iter().cloned()),
        }
    }
}
