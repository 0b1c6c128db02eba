//! The session's state: plain JSON that goes in and comes out. Untrusted on the way in, complete on the way out.
//!
//! State written by a minor version is read by the one before it: members we do not know are kept, only a higher
//! `version` is refused. A state never holds messages, only positions, summaries and what was learned.

use crate::error::{Code, Error};
use crate::json::{Fields, Json};
use crate::message::{Position, from_hex, hex};
use crate::tokens::calibration::Calibration;

/// The version this library writes and reads.
pub const VERSION: u64 = 1;
/// Checkpoints kept, newest last: older ones serve rewinds.
const CHECKPOINTS: usize = 4;
/// Rewrites remembered; clipped typed messages are rare.
const REWRITES: usize = 16;
/// Bytes of text over all checkpoints; the oldest go first.
const TEXT_BYTES: usize = 56_000;

/// What made a checkpoint's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The host's summarizer.
    Summary,
    /// Code: no summarizer, or it failed. The next summary starts again from before it, if the messages are still there.
    Digest,
    /// Nothing: messages were dropped, with a notice.
    Trim,
}

impl Kind {
    const ALL: [(Self, &'static str); 3] = [(Self::Summary, "summary"), (Self::Digest, "digest"), (Self::Trim, "trim")];

    /// As it stands in a state.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.1)
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == text).map(|entry| entry.0)
    }
}

/// A message that the engine writes into views: its text, and what came of it when the format had made it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// The text given to the format.
    pub text: String,
    /// Raw tokens of the message the format made, under the estimator of the state's key.
    pub raw: u64,
    /// Its content hash: by this a view that is given back is recognised.
    pub hash: u64,
}

/// One compaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The revision that made it; names its messages.
    pub revision: u64,
    /// What made the text.
    pub kind: Kind,
    /// Messages before this are covered.
    pub covers: Position,
    /// Indices below `covers` that stay in the view before the summary (system messages, pins), ascending.
    pub head: Vec<u64>,
    /// Indices below `covers` that stay in the view after the summary, ascending.
    pub kept: Vec<u64>,
    /// Chain over the hashes of all that stay, head first, to recognise a view.
    pub kept_chain: u64,
    /// The first message a host must load, with the chain there if it is known.
    pub from: u64,
    /// See `from`.
    pub from_chain: Option<u64>,
    /// Id of the message at `from`, if the format has ids.
    pub from_id: Option<String>,
    /// The summary message.
    pub summary: Made,
    /// The progress note, if the cut lay inside the active turn.
    pub note: Option<Made>,
}

impl Checkpoint {
    fn to_json(&self) -> Json {
        let made = |made: &Made| Json::object(&mut [("text", made.text.as_str().into()), ("raw", made.raw.into()), ("hash", hex(made.hash).into())]);
        Json::object(&mut [
            ("revision", self.revision.into()),
            ("kind", self.kind.as_str().into()),
            ("covers", position_json(self.covers)),
            ("head", self.head.clone().into()),
            ("kept", self.kept.clone().into()),
            ("keptChain", hex(self.kept_chain).into()),
            ("from", self.from.into()),
            ("fromChain", self.from_chain.map(hex).into()),
            ("fromId", self.from_id.clone().into()),
            ("summary", made(&self.summary)),
            ("note", self.note.as_ref().map_or(Json::Null, made)),
        ])
    }

    fn parse(json: &Json) -> Result<Self, Error> {
        let fields = Fields::of(json, "state.checkpoints", Code::InvalidState)?;
        let made = |json: &Json| {
            let fields = Fields::of(json, "state.checkpoints.summary", Code::InvalidState)?;
            Ok(Made { text: fields.need_text("text")?.to_owned(), raw: fields.need_count("raw")?, hash: hash(fields.need_text("hash")?)? })
        };
        let kind = Kind::parse(fields.need_text("kind")?).ok_or_else(|| damaged("checkpoints.kind"))?;
        let covers = parse_position(fields.raw("covers"), "checkpoints.covers")?;
        let (head, kept) = (fields.counts("head")?, fields.counts("kept")?);
        for list in [&head, &kept] {
            if list.windows(2).any(|pair| pair[0] >= pair[1]) || list.last().is_some_and(|&last| last >= covers.count) {
                return Err(damaged("checkpoints.kept"));
            }
        }
        Ok(Self {
            revision: fields.need_count("revision")?,
            kind,
            covers,
            head,
            kept_chain: hash(fields.need_text("keptChain")?)?,
            from: fields.need_count("from")?,
            from_chain: fields.text("fromChain")?.map(hash).transpose()?,
            from_id: fields.text("fromId")?.map(str::to_owned),
            summary: made(fields.raw("summary"))?,
            note: if fields.raw("note").is_null() { None } else { Some(made(fields.raw("note"))?) },
            kept,
        })
    }
}

/// A lasting edit: every tool result larger than `cap` raw tokens, of messages before `up_to`, is cut to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clip {
    /// Messages before this.
    pub up_to: Position,
    /// Raw tokens.
    pub cap: u64,
    /// What people typed is cut too: only when nothing else helps.
    pub typed: bool,
}

/// What `beforeModel` leaves for `afterModel`: what was sent, to pair it with what is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Names the request.
    pub request: String,
    /// Raw tokens sent, all included.
    pub raw: u64,
    /// System and tools were counted.
    pub counted: bool,
    /// Under which key.
    pub key: String,
}

/// Brakes on compacting too often or too hopefully.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Breaker {
    /// Failures of the summarizer in a row.
    pub failures: u64,
    /// Calls to go without a summarizer.
    pub wait: u64,
    /// Compactions in a row with little new.
    pub thrash: u64,
}

/// Calibration of the preset `contextguard`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeedState {
    /// Last reported prompt.
    pub real: u64,
    /// Raw estimate of the request as sent.
    pub last: u64,
}

/// Everything that outlives a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionState {
    /// Counts changes of what is sent; the host's compare-and-set.
    pub revision: u64,
    /// Newest last.
    pub checkpoints: Vec<Checkpoint>,
    /// Lasting cuts, by `up_to`.
    pub clips: Vec<Clip>,
    /// Results of messages before this are cleared.
    pub cleared: Option<Position>,
    /// Content hashes of clipped messages and of what they were made from: a view given back hashes like its history.
    pub rewrites: Vec<(u64, u64)>,
    /// What is known of tokens.
    pub calibration: Calibration,
    /// What was sent last.
    pub pending: Option<Pending>,
    /// Brakes.
    pub breaker: Breaker,
    /// The preset's own.
    pub seed: Option<SeedState>,
    /// Members of a later version, kept.
    pub unknown: Vec<(String, Json)>,
}

const KNOWN: [&str; 10] = ["version", "revision", "checkpoints", "clips", "cleared", "rewrites", "calibration", "pending", "breaker", "seed"];

impl SessionState {
    /// Reads a state; null is a fresh one.
    ///
    /// # Errors
    /// When it is none of ours, damaged, or of a newer version. It is never reset silently.
    pub fn parse(json: &Json) -> Result<Self, Error> {
        if json.is_null() {
            return Ok(Self::default());
        }
        let fields = Fields::of(json, "state", Code::InvalidState)?;
        match fields.raw("version").count() {
            Some(VERSION) => {}
            Some(newer) if newer > VERSION => {
                return Err(Error::at(Code::NewerState, "state.version", format!("This state has version {newer}, this library reads {VERSION}: update precis before it touches this conversation.")));
            }
            _ => return Err(Error::at(Code::InvalidState, "state.version", "This is not a state of precis. Pass what the last call returned, or null for a new conversation.")),
        }
        let checkpoints = fields.list("checkpoints")?.iter().map(Checkpoint::parse).collect::<Result<Vec<_>, _>>()?;
        if checkpoints.windows(2).any(|pair| pair[0].covers.count > pair[1].covers.count) {
            return Err(damaged("checkpoints"));
        }
        let clips = fields.list("clips")?.iter().map(|clip| {
            let fields = Fields::of(clip, "state.clips", Code::InvalidState)?;
            Ok(Clip { up_to: parse_position(fields.raw("upTo"), "clips.upTo")?, cap: fields.need_count("cap")?, typed: fields.flag("typed")?.unwrap_or(false) })
        });
        let pending = match fields.raw("pending") {
            Json::Null => None,
            pending => {
                let fields = Fields::of(pending, "state.pending", Code::InvalidState)?;
                Some(Pending {
                    request: fields.need_text("request")?.to_owned(),
                    raw: fields.need_count("raw")?,
                    counted: fields.flag("counted")?.unwrap_or(false),
                    key: fields.need_text("key")?.to_owned(),
                })
            }
        };
        let numbers = |name: &str| -> Result<Vec<u64>, Error> { fields.counts(name) };
        let breaker = numbers("breaker")?;
        let seed = numbers("seed")?;
        let unknown = json.members().unwrap_or_default().iter().filter(|(name, _)| !KNOWN.contains(&name.as_str())).cloned().collect();
        Ok(Self {
            revision: fields.need_count("revision")?,
            checkpoints,
            clips: clips.collect::<Result<_, _>>()?,
            cleared: if fields.raw("cleared").is_null() { None } else { Some(parse_position(fields.raw("cleared"), "cleared")?) },
            rewrites: fields.list("rewrites")?.iter().map(parse_rewrite).collect::<Result<_, _>>()?,
            calibration: Calibration::parse(fields.raw("calibration"))?,
            pending,
            breaker: if let [failures, wait, thrash] = breaker[..] { Breaker { failures, wait, thrash } } else { Breaker::default() },
            seed: if let [real, last] = seed[..] { Some(SeedState { real, last }) } else { None },
            unknown,
        })
    }

    /// As plain JSON.
    pub fn to_json(&self) -> Json {
        let clip = |clip: &Clip| Json::object(&mut [("upTo", position_json(clip.up_to)), ("cap", clip.cap.into()), ("typed", if clip.typed { true.into() } else { Json::Null })]);
        let list = |items: Vec<Json>| if items.is_empty() { Json::Null } else { Json::List(items) };
        let breaker = self.breaker;
        let mut json = Json::object(&mut [
            ("version", VERSION.into()),
            ("revision", self.revision.into()),
            ("checkpoints", list(self.checkpoints.iter().map(Checkpoint::to_json).collect())),
            ("clips", list(self.clips.iter().map(clip).collect())),
            ("cleared", self.cleared.map_or(Json::Null, position_json)),
            ("rewrites", list(self.rewrites.iter().map(|&(made, from)| Json::List(vec![hex(made).into(), hex(from).into()])).collect())),
            ("calibration", if self.calibration == Calibration::default() { Json::Null } else { self.calibration.to_json() }),
            (
                "pending",
                self.pending.as_ref().map_or(Json::Null, |pending| {
                    Json::object(&mut [
                        ("request", pending.request.as_str().into()),
                        ("raw", pending.raw.into()),
                        ("counted", pending.counted.into()),
                        ("key", pending.key.as_str().into()),
                    ])
                }),
            ),
            ("breaker", if breaker == Breaker::default() { Json::Null } else { vec![breaker.failures, breaker.wait, breaker.thrash].into() }),
            ("seed", self.seed.map_or(Json::Null, |seed| vec![seed.real, seed.last].into())),
        ]);
        if let Json::Object(members) = &mut json {
            members.extend(self.unknown.iter().cloned());
        }
        json
    }

    /// Adds a checkpoint; the oldest go when there are too many or their texts too long.
    pub fn push(&mut self, checkpoint: Checkpoint) {
        self.clips.retain(|clip| clip.up_to.count > checkpoint.covers.count || !checkpoint.kept.is_empty());
        self.checkpoints.push(checkpoint);
        let mut bytes: usize = self.checkpoints.iter().map(Self::text_bytes).sum();
        while self.checkpoints.len() > 1 && (self.checkpoints.len() > CHECKPOINTS || bytes > TEXT_BYTES) {
            bytes -= Self::text_bytes(&self.checkpoints.remove(0));
        }
    }

    /// Remembers that a message with hash `made` stands for one with hash `from`.
    pub fn rewrite(&mut self, made: u64, from: u64) {
        if made != from && !self.rewrites.contains(&(made, from)) {
            self.rewrites.push((made, from));
            let surplus = self.rewrites.len().saturating_sub(REWRITES);
            self.rewrites.drain(..surplus);
        }
    }

    fn text_bytes(checkpoint: &Checkpoint) -> usize {
        checkpoint.summary.text.len() + checkpoint.note.as_ref().map_or(0, |note| note.text.len())
    }
}

/// A position as it stands in a state.
pub fn position_json(position: Position) -> Json {
    Json::object(&mut [("count", position.count.into()), ("chain", hex(position.chain).into())])
}

/// Reads a position of the state.
///
/// # Errors
/// When it is none.
pub fn parse_position(json: &Json, path: &str) -> Result<Position, Error> {
    let count = json.get("count").count();
    let chain = json.get("chain").text().and_then(from_hex);
    count.zip(chain).map(|(count, chain)| Position { count, chain }).ok_or_else(|| damaged(path))
}

fn parse_rewrite(json: &Json) -> Result<(u64, u64), Error> {
    match json.list() {
        Some([Json::Text(made), Json::Text(from)]) => Ok((hash(made)?, hash(from)?)),
        _ => Err(damaged("rewrites")),
    }
}

fn hash(text: &str) -> Result<u64, Error> {
    from_hex(text).ok_or_else(|| damaged("hash"))
}

fn damaged(path: &str) -> Error {
    Error::at(Code::InvalidState, format!("state.{path}"), "This state was changed or cut after precis returned it. Load the last intact copy; without one pass null: the conversation goes on, only its summary is made again.")
}
