//! What was decided and why, with token counts: for logs, user interfaces and tests. It contains no message text.

pub mod change;
pub(crate) mod reasons;

use crate::base::archive::Archive;
use crate::base::error::Warning;
use crate::base::json::Json;
use crate::base::named::named;
use crate::limits::thinking::{Controls, Source};
use crate::report::change::Change;
use crate::session::breakdown::{PARTS, TokenBreakdown};
use crate::session::history::Diverged;
use crate::session::sent::Stale;

/// What a measure of a request is based on: usage that the provider reported, or the estimate.
pub const SOURCES: [&str; 2] = ["reported", "estimated"];

/// How full the window is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Estimated tokens of the request.
    pub tokens: u64,
    /// Raw tokens: the estimate before calibration.
    pub raw: u64,
    /// How much too low the estimate may be, in tokens.
    pub bound: u64,
    /// The context window, in tokens.
    pub window: u64,
    /// The size at which compaction starts, in tokens.
    pub trigger: u64,
    /// Whether the estimate is based on usage that the provider reported.
    pub reported: bool,
    /// The estimated tokens by kind of content.
    pub parts: TokenBreakdown,
}

impl Usage {
    /// The share of the window in use, in millionths.
    pub fn fraction(&self) -> u64 {
        self.tokens.saturating_mul(1_000_000) / self.window.max(1)
    }

    /// The tokens left until compaction starts.
    pub const fn until_compaction(&self) -> u64 {
        self.trigger.saturating_sub(self.tokens + self.bound)
    }

    /// Whether the request may be on either side of the trigger: the estimate is no further from it than it may be
    /// wrong. Then a count by the provider decides.
    pub const fn is_open(&self) -> bool {
        self.trigger.abs_diff(self.tokens) <= self.bound
    }

    /// The most tokens of the reply.
    pub const fn reply_room(&self) -> u64 {
        self.window.saturating_sub(self.tokens + self.bound)
    }

    /// The basis of the estimate.
    pub const fn source(&self) -> &'static str {
        if self.reported { SOURCES[0] } else { SOURCES[1] }
    }

    /// Converts it to plain JSON with the names of the public types.
    pub fn to_json(self) -> Json {
        let mut out = Archive::writer();
        out.put_count("tokens", self.tokens);
        out.put_count("raw", self.raw);
        out.put_count("window", self.window);
        out.put_count("trigger", self.trigger);
        out.put("fraction", Json::Fraction { millionths: self.fraction() as i64, bits: 0 });
        out.put_count("untilCompaction", self.until_compaction());
        out.put_text("source", self.source());
        out.put_count("bound", self.bound);
        let mut parts = Archive::writer();
        for (name, count) in PARTS.into_iter().zip(self.parts.counts()) {
            parts.put_count(name, count);
        }
        out.put("parts", parts.finish());
        out.finish()
    }
}

named! {
    /// The outcome of a call.
    #[derive(Default)]
    Outcome {
        /// The history is sent unchanged.
        #[default]
        Unchanged = "unchanged",
        /// An earlier compaction or edit was applied again.
        Reused = "reused",
        /// Something new was compacted.
        Compacted = "compacted",
        /// The fixed tokens leave almost no room.
        Tight = "tight",
        /// Even the smallest valid view is too large.
        Infeasible = "infeasible",
    }
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The code.
    pub code: Warning,
    /// The place in the input.
    pub path: Option<String>,
    /// What to do about it.
    pub advice: String,
}

/// The cost of reading a request: tokens times the host's prices, rounded to whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The request as sent.
    pub request: u64,
    /// The request with everything that compactions left out of it.
    pub without: u64,
}

/// Signed reasoning that is not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thinking {
    /// Whether it is bound to what was sent before it.
    pub bound: bool,
    /// How that is known.
    pub source: Source,
    /// The messages whose signed reasoning is left out.
    pub left_out: Vec<Stale>,
}

/// What a host that calls the provider itself has to set in its request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Provider {
    /// The controls of thinking, if some is no longer valid or may not be.
    pub controls: Option<Controls>,
    /// Whether the request holds a summary of the provider's own, which Anthropic demands a header for.
    pub compacts: bool,
}

/// That header.
const COMPACTS: (&str, &str) = ("anthropic-beta", "compact-2026-09-04");

impl Thinking {
    fn to_json(&self) -> Json {
        let mut out = Archive::writer();
        out.put_text("rule", if self.bound { "bound" } else { "free" });
        out.put_text("source", self.source.as_str());
        let run = |gap: &Stale| Json::record(&mut [("from", gap.from.into()), ("to", gap.to.into())]);
        out.put("leftOut", Json::List(self.left_out.iter().map(run).collect()));
        out.finish()
    }
}

impl Provider {
    fn to_json(self) -> Json {
        let text = |text: &str| Json::Text(text.to_owned());
        let mut headers: Vec<(&str, String)> = Vec::new();
        let mut body = Vec::new();
        if let Some(Controls { header, beta, member, value }) = self.controls {
            headers.push((header, beta.to_owned()));
            let binding = Json::record(&mut [(member, text(value))]);
            body.push(("thinking", Json::record(&mut [("block_binding", binding)])));
        }
        if self.compacts {
            let (name, value) = COMPACTS;
            match headers.iter_mut().find(|header| header.0 == name) {
                Some(header) => header.1 = format!("{},{value}", header.1),
                None => headers.push((name, value.to_owned())),
            }
        }
        let mut headers: Vec<(&str, Json)> = headers.into_iter().map(|(name, value)| (name, text(&value))).collect();
        Json::record(&mut [("headers", Json::record(&mut headers)), ("body", Json::record(&mut body))])
    }
}

/// The report of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The outcome.
    pub outcome: Outcome,
    /// The highest rung that was used. `None` if nothing was decided.
    pub rung: Option<&'static str>,
    /// The reason for the outcome, as a sentence.
    pub reason: String,
    /// The usage before anything new was done.
    pub before: Usage,
    /// The usage before the first round of a call with several rounds, as plain data. Null in the first round.
    pub first_before: Json,
    /// The usage of the request as sent.
    pub after: Usage,
    /// The estimated tokens that this compaction and earlier ones keep out of the request.
    pub saved: u64,
    /// The cost of the request, if prices are known.
    pub cost: Option<Cost>,
    /// The changes that the rungs made, in order.
    pub changes: Vec<Change>,
    /// The index of the first message in the view that differs from what the previous state would have sent.
    pub first_changed: Option<u64>,
    /// The index of the first message that a host must load next time.
    pub keep_from: u64,
    /// The id of the request, for `afterModel`.
    pub request: String,
    /// The number of summarizer calls.
    pub calls: u64,
    /// Why the summarizer's text was not used.
    pub failed: Option<String>,
    /// Why code covered something and the summarizer was not called, if there is one.
    pub skipped: Option<String>,
    /// The usage that the provider reported for the summarizer.
    pub summarizer_usage: Json,
    /// Set if the newest checkpoint no longer holds.
    pub diverged: Option<Diverged>,
    /// Signed reasoning that is not sent, if there is any.
    pub thinking: Option<Thinking>,
    /// What to set in the request, if anything.
    pub provider: Option<Provider>,
    /// The warnings.
    pub warnings: Vec<Notice>,
}

impl Report {
    /// The usage before the first round.
    pub fn before_json(&self) -> Json {
        if self.first_before.is_null() { self.before.to_json() } else { self.first_before.clone() }
    }

    /// Converts it to plain JSON with the names of the public types.
    pub fn to_json(&self) -> Json {
        let mut out = Archive::writer();
        out.put_text("outcome", self.outcome.as_str());
        out.put_maybe_text("rung", self.rung);
        out.put_text("reason", &self.reason);
        out.put("before", self.before_json());
        out.put("after", self.after.to_json());
        out.put_count("replyRoom", self.after.reply_room());
        out.put_count("saved", self.saved);
        if let Some(Cost { request, without }) = self.cost {
            let mut cost = Archive::writer();
            cost.put_count("request", request);
            cost.put_count("without", without);
            out.put("cost", cost.finish());
        }
        out.put("changes", Json::List(self.changes.iter().map(Change::to_json).collect()));
        out.put("firstChanged", self.first_changed.map_or(Json::Null, Json::from));
        out.put_count("keepFrom", self.keep_from);
        out.put_text("request", &self.request);
        let mut summarizer = Archive::writer();
        summarizer.put_count("calls", self.calls);
        summarizer.put_maybe_text("failed", self.failed.as_deref());
        summarizer.put_maybe_text("skipped", self.skipped.as_deref());
        summarizer.put("usage", self.summarizer_usage.clone());
        out.put("summarizer", summarizer.finish());
        let diverged = self.diverged.as_ref().map_or(Json::Null, |diverged| {
            let mut out = Archive::writer();
            out.put_text("reason", diverged.reason);
            out.put_count("at", diverged.at);
            out.finish()
        });
        out.put("diverged", diverged);
        out.put("thinking", self.thinking.as_ref().map_or(Json::Null, Thinking::to_json));
        out.put("provider", self.provider.map_or(Json::Null, Provider::to_json));
        let mut warnings = Vec::new();
        for notice in &self.warnings {
            let mut out = Archive::writer();
            out.put_text("code", notice.code.as_str());
            out.put_maybe_text("path", notice.path.as_deref());
            out.put_text("advice", &notice.advice);
            warnings.push(out.finish());
        }
        out.put("warnings", Json::List(warnings));
        out.finish()
    }
}
