//! What the host configured, parsed once and refused with a path when wrong.

use crate::base::error::{Code, Error};
use crate::base::json::{Faults, Fields, Json, decimal, misfit};
use crate::base::{markers, text};
use crate::limits::names::{known, unknown};
use crate::limits::preset::Preset;
use crate::limits::prices::Prices;
use crate::limits::strategy::Strategy;
use crate::limits::tool_policy::ToolPolicies;
use crate::limits::wishes::{self, Wishes};
use crate::tokens::Estimator;
use crate::tokens::family::Family;

/// Parts of the room, in millionths unless said otherwise. See the table in `docs/design.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// What a rung aims at, above the fixed tokens.
    pub target: u64,
    /// The newest groups kept verbatim.
    pub tail: u64,
    /// One part before it is clipped.
    pub part: u64,
    /// The least a clear must gain.
    pub clear: u64,
    /// How far between target and trigger a clip or clear may end.
    pub accept: u64,
    /// The typed message before the active one, if it fits in this.
    pub typed: u64,
    /// Facts that ride with a summary.
    pub facts: u64,
    /// Of the trigger: where work ahead of time begins.
    pub soft: u64,
    /// New since the last compaction below which it counts as "little new".
    pub fresh: u64,
}

/// Name, default, least and most of each share, in millionths.
const SHARES: [(&str, u64, u64, u64); 9] = [
    ("target", 500_000, 50_000, 900_000),
    ("tail", 200_000, 0, 800_000),
    ("part", 300_000, 10_000, 900_000),
    ("clear", 150_000, 0, 900_000),
    ("accept", 800_000, 0, 1_000_000),
    ("typed", 100_000, 0, 500_000),
    ("facts", 100_000, 0, 300_000),
    ("soft", 850_000, 100_000, 1_000_000),
    ("fresh", 100_000, 0, 500_000),
];

/// The summarizer's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summarizer {
    /// Its window, if it differs from the agent's.
    pub window: Option<u64>,
    /// The most it may write.
    pub max_output: Option<u64>,
    /// How often it may be asked within one call.
    pub max_calls: u64,
}

/// That, if the host does not say.
const MAX_CALLS: u64 = 8;

/// The language of summaries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// That of the conversation: named to the summarizer if it is clear, and checked.
    #[default]
    Theirs,
    /// The one that the host names: passed on, and checked if it can be recognized by its letters or frequent words.
    Named(String),
    /// Any: nothing is checked.
    Any,
}

/// What the host adds to the instructions of a summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// One more rule, in its words.
    pub instructions: String,
    /// The headings in the place of ours.
    pub sections: Vec<String>,
    /// What stands before and after a summary in the view; empty if nothing does.
    pub frame: Vec<String>,
}

/// A parsed set of options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The system to be instead of a strategy.
    pub preset: Option<Preset>,
    /// When to compact and what to keep.
    pub strategy: Strategy,
    /// The reply limit the host sends.
    pub max_output: Option<u64>,
    /// Kept free for the reply.
    pub reserve: Option<u64>,
    /// A separate limit on the input.
    pub max_input: Option<u64>,
    /// Whether faults that a history brings are repaired in the view.
    pub repair: bool,
    /// Whether the host gave a summarizer.
    pub summarize: bool,
    /// Its limits.
    pub summarizer: Summarizer,
    /// What summaries are written in.
    pub language: Wanted,
    /// What else is asked of them.
    pub prompt: Prompt,
    /// Who counts.
    pub estimator: Estimator,
    /// Hidden tokens of every request, in raw units.
    pub overhead: u64,
    /// Parts of the room.
    pub shares: Shares,
    /// Bytes that are remembered.
    pub memory: u64,
    /// What tokens cost, if compactions should pay.
    pub prices: Option<Prices>,
    /// What a compaction may do to the results of each tool.
    pub tools: ToolPolicies,
    /// When compactions begin, what they aim at, what stays.
    pub wishes: Wishes,
}

const MEMBERS: [&str; 15] = [
    "format",
    "contextWindow",
    "maxOutputTokens",
    "summarize",
    "summarizer",
    "summary",
    "toolPolicy",
    "trigger",
    "target",
    "keep",
    "prefer",
    "reasoning",
    "onEvent",
    "repair",
    "tune",
];
const TUNE: [&str; 8] = ["preset", "strategy", "reserve", "maxInputTokens", "tokens", "shares", "memory", "prices"];

impl Options {
    /// Parses what `createCompactor` was given, functions replaced by `true`.
    ///
    /// # Errors
    /// With the path of the first wrong member.
    pub fn parse(json: &Json) -> Result<Self, Error> {
        let faults = Faults::default();
        let options = Fields::of(json, "options", Code::InvalidOption, &faults);
        if json.is_null() {
            faults.note(misfit(Code::InvalidOption, "options", "an object", json));
        }
        let options = Fields { path: "", ..options };
        known(options, &MEMBERS);
        let tune = inside(options, "tune", "tune", &TUNE);
        let (preset, strategy) = policy(tune);
        let tokens = inside(tune, "tokens", "tune.tokens", &["family", "estimator", "overhead"]);
        let reserve = tune.tokens("reserve");
        if let (Some(reserve), Some(window)) = (reserve, options.raw("contextWindow").count())
            && let Err(fault) = room(window, reserve)
        {
            faults.note(fault);
        }
        let max_output = options.tokens("maxOutputTokens");
        let max_input = tune.some_tokens("maxInputTokens");
        let repair = options.raw("repair").is_null() || options.flag("repair");
        let summarize = options.function("summarize");
        options.function("onEvent");
        let summarizer = summarizer(options);
        let summary = inside(options, "summary", "summary", &["language", "instructions", "sections", "frame"]);
        let (language, prompt) = (language(summary), prompt(summary));
        let estimator = estimator(tokens, preset.is_some());
        let overhead = tokens.tokens("overhead").unwrap_or(0);
        let shares = shares(tune);
        let memory = memory(tune);
        let family = estimator.split_once(':').and_then(|(_, family)| Family::parse(family));
        let prices = Prices::parse(tune, family);
        let tools = ToolPolicies::parse(options);
        let wishes = Wishes::parse(options);
        let policy = (!options.raw("toolPolicy").is_null()).then_some("toolPolicy");
        if let Some(name) = policy.or_else(|| wishes::given(json)).filter(|_| preset.is_some()) {
            faults.note(Error::at(
                Code::PresetWithStrategy,
                name,
                format!("A preset brings its own steps: leave out `{name}` or the preset."),
            ));
        }
        faults.end()?;
        Ok(Self {
            preset,
            strategy,
            max_output,
            reserve,
            max_input,
            repair,
            summarize,
            summarizer,
            language,
            prompt,
            estimator: Estimator::parse(&estimator)?,
            overhead,
            shares,
            memory,
            prices,
            tools,
            wishes,
        })
    }
}

/// Who decides, and what a compaction keeps.
fn policy(tune: Fields<'_>) -> (Option<Preset>, Strategy) {
    let preset = tune.text("preset");
    if let Some(other) = preset.filter(|&name| name != "contextguard") {
        tune.wrong("preset", &format!("There is no preset \"{other}\"; the only one is \"contextguard\"."));
    }
    let named = tune.text("strategy");
    if preset.and(named).is_some() {
        tune.faults.note(Error::at(
            Code::PresetWithStrategy,
            "tune.strategy",
            "A preset brings its own steps: give either `preset` or `strategy`.",
        ));
    }
    let strategy = named.and_then(|name| {
        let strategy = Strategy::parse(name);
        if strategy.is_none() {
            unknown(tune, "strategy", name, Strategy::NAMES, "strategy");
        }
        strategy
    });
    (preset.map(|_| Preset::Contextguard), strategy.unwrap_or_default())
}

fn summarizer(options: Fields<'_>) -> Summarizer {
    let summarizer =
        inside(options, "summarizer", "summarizer", &["contextWindow", "maxOutputTokens", "maxCalls", "timeoutMs"]);
    summarizer.some_milliseconds("timeoutMs");
    Summarizer {
        window: summarizer.some_tokens("contextWindow"),
        max_output: summarizer.some_tokens("maxOutputTokens"),
        max_calls: calls(summarizer),
    }
}

fn calls(summarizer: Fields<'_>) -> u64 {
    let calls = summarizer.count("maxCalls").unwrap_or(MAX_CALLS);
    if calls == 0 {
        summarizer.wrong(
            "maxCalls",
            "Expected a number of calls above 0: to have every compaction made by code, leave out `summarize`.",
        );
    }
    calls
}

/// Parses options as `createCompactor` does: with all that can be known of them before the first call.
///
/// # Errors
/// Those of [`Options::parse`]; a window that is none; a reply limit that leaves nothing of it.
pub fn validate(json: &Json) -> Result<Options, Error> {
    let options = Options::parse(json)?;
    // For a function stands `true`: what it returns is known when it is called.
    let given = json.get("contextWindow");
    if *given == Json::Bool(true) {
        return Ok(options);
    }
    let size = window(given)?;
    match options.max_output {
        Some(reply) if reply >= size => Err(Error::at(
            Code::InvalidOption,
            "maxOutputTokens",
            format!(
                "A reply of {reply} tokens leaves nothing of a window of {size} tokens: give the limit that you send with each request, and the window of the whole model."
            ),
        )),
        _ => Ok(options),
    }
}

/// Whether a reserve leaves room in a window.
///
/// # Errors
/// When it leaves none.
pub fn room(window: u64, reserve: u64) -> Result<(), Error> {
    if reserve < window || window == 0 {
        return Ok(());
    }
    Err(Error::at(
        Code::ReserveTooLarge,
        "tune.reserve",
        format!("A reserve of {reserve} leaves nothing of a window of {window}: give a smaller one."),
    ))
}

/// The window of one call, as `contextWindow` answered for its model.
///
/// # Errors
/// When it is no whole number above 0: not knowing is an error, never a guess.
pub fn window(value: &Json) -> Result<u64, Error> {
    value.count().filter(|&window| window > 0).ok_or_else(|| {
        Error::at(
            Code::InvalidWindow,
            "contextWindow",
            format!("Expected the model's context window in tokens, a whole number above 0, got {}. Look it up in the provider's model list; it is never guessed.", value.shown()),
        )
    })
}

/// Bytes of the name of a language.
const LONGEST_LANGUAGE: usize = 60;

/// Bytes of instructions, headings, and bytes of each.
const INSTRUCTIONS: usize = 4_000;
const SECTIONS: usize = 20;
const HEADING: usize = 200;

fn prompt(summary: Fields<'_>) -> Prompt {
    let instructions = summary.text("instructions").unwrap_or_default().trim();
    if instructions.len() > INSTRUCTIONS {
        summary.wrong("instructions", "Expected at most 4000 bytes of instructions.");
    }
    let sections = summary.texts("sections");
    if sections.len() > SECTIONS
        || sections.iter().any(|heading| heading.is_empty() || heading.len() > HEADING || heading.contains('\n'))
    {
        summary.wrong("sections", "Expected at most 20 headings of one line each, at most 200 bytes long.");
    }
    Prompt { instructions: instructions.to_owned(), sections, frame: frame(summary) }
}

/// Bytes of what a host puts before and after a summary, each.
pub const FRAME_MOST: usize = 500;

/// What the host puts around a summary.
fn frame(summary: Fields<'_>) -> Vec<String> {
    let frame = inside(summary, "frame", "summary.frame", &["before", "after"]);
    let sides = ["before", "after"].map(|name| {
        let text = frame.text(name).unwrap_or_default().trim();
        if text.len() > FRAME_MOST {
            frame.wrong(name, "Expected at most 500 bytes.");
        }
        if markers::ALL.iter().any(|marker| text::find(text, marker).is_some()) {
            frame.wrong(name, "Expected words of your own: precis puts its own lines around the summary and yours.");
        }
        text.to_owned()
    });
    if sides.iter().all(String::is_empty) { Vec::new() } else { sides.to_vec() }
}

fn language(summary: Fields<'_>) -> Wanted {
    match summary.raw("language") {
        Json::Null => Wanted::Theirs,
        Json::Bool(false) => Wanted::Any,
        Json::Text(name) => {
            let name = name.trim();
            // It becomes part of a line of the instructions.
            let plain = |char: char| match char {
                ' ' | '-' | '_' | '(' | ')' | ',' => true,
                '\u{2028}' | '\u{2029}' => false,
                _ => char.is_ascii_alphanumeric() || !char.is_ascii() && !char.is_control(),
            };
            if name.is_empty() || name.len() > LONGEST_LANGUAGE || !name.chars().all(plain) {
                summary.wrong("language", "Expected the name of a language, such as \"German\", or its code, such as \"de\": letters, spaces and hyphens, at most 60 bytes.");
            }
            Wanted::Named(name.to_owned())
        }
        other => {
            summary.faults.note(misfit(
                summary.code,
                "summary.language",
                "the name of a language, or false for any",
                other,
            ));
            Wanted::Any
        }
    }
}

/// The name of an estimator.
fn estimator(tokens: Fields<'_>, of_preset: bool) -> String {
    let family = match tokens.raw("family") {
        Json::Null => "",
        Json::Text(family) => family,
        other => {
            tokens.faults.note(misfit(tokens.code, "tune.tokens.family", "the name of a tokenizer family", other));
            ""
        }
    };
    let rule = match tokens.raw("estimator") {
        // The preset's figures are those of the system it stands for.
        Json::Null if of_preset => "bytes4",
        Json::Null => "lexical",
        Json::Bool(true) => "host",
        Json::Text(name) if name != "host" => {
            const NAMES: &[&str] = &["lexical", "bytes4"];
            if !NAMES.contains(&name.as_str()) {
                unknown(tokens, "estimator", name, NAMES, "estimator");
            }
            name
        }
        other => {
            tokens.faults.note(misfit(
                tokens.code,
                "tune.tokens.estimator",
                "the name of an estimator or a function",
                other,
            ));
            ""
        }
    };
    if rule == "lexical" && !family.is_empty() && !Family::NAMES.contains(&family) {
        match Family::of_model(family) {
            Some(known) => tokens.wrong(
                "family",
                &format!(
                    "\"{family}\" is a model, not a tokenizer family; its family is \"{}\". Known: {}.",
                    known.name(),
                    text::joined(Family::NAMES, ", ")
                ),
            ),
            None => unknown(tokens, "family", family, Family::NAMES, "tokenizer family"),
        }
    }
    if family.is_empty() { rule.to_owned() } else { format!("{rule}:{family}") }
}

/// Bytes that are remembered: what the host says, within bounds that a state can hold.
fn memory(tune: Fields<'_>) -> u64 {
    const MOST: u64 = 64_000;
    let bytes = tune.count("memory").unwrap_or(MEMORY);
    if bytes > MOST {
        tune.wrong("memory", "Expected bytes from 0 to 64000.");
    }
    bytes
}

/// Bytes that are remembered, if the host does not say.
const MEMORY: u64 = 12_000;

fn shares(tune: Fields<'_>) -> Shares {
    let shares = inside(tune, "shares", "tune.shares", &SHARES.map(|share| share.0));
    let mut values = [0; SHARES.len()];
    for (value, (name, default, least, most)) in values.iter_mut().zip(SHARES) {
        *value = default;
        let given = shares.raw(name);
        if !given.is_null() {
            match given.millionths().and_then(|share| u64::try_from(share).ok()) {
                Some(share) if (least..=most).contains(&share) => *value = share,
                _ => shares.wrong(name, &format!("Expected a share from {} to {}.", decimal(least), decimal(most))),
            }
        }
    }
    let [target, tail, part, clear, accept, typed, facts, soft, fresh] = values;
    Shares { target, tail, part, clear, accept, typed, facts, soft, fresh }
}

/// The members of the member `name`, which may have these names.
fn inside<'a>(outer: Fields<'a>, name: &str, path: &'a str, names: &[&str]) -> Fields<'a> {
    let inner = Fields::of(outer.raw(name), path, outer.code, outer.faults);
    known(inner, names);
    inner
}
