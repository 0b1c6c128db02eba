//! The options that the host passed, parsed once. A wrong option is refused with its path.

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

/// Shares of the room, in millionths unless stated otherwise. See the table in `docs/design.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The size that a rung aims at, in addition to the fixed tokens.
    pub target: u64,
    /// The newest groups, which are kept verbatim. If the host does not say, 0.2, or what its target leaves.
    pub tail: Option<u64>,
    /// The largest part that is not clipped.
    pub part: u64,
    /// The least that clearing must save.
    pub clear: u64,
    /// Where a clip or clear may stop, as a share of the distance from target to trigger.
    pub accept: u64,
    /// The room for the user's message before the active one.
    pub typed: u64,
    /// Facts that code keeps beside a summary written by a model.
    pub facts: u64,
    /// Where work ahead of time begins, as a share of the trigger.
    pub soft: u64,
    /// New tokens since the last compaction below which they count as little.
    pub fresh: u64,
}

/// The name, default, minimum and maximum of each share, in millionths.
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
    /// The context window of its model, if it differs from the agent's.
    pub window: Option<u64>,
    /// The most tokens it may write.
    pub max_output: Option<u64>,
    /// The most calls of it in one call of precis.
    pub max_calls: u64,
}

/// The default of `max_calls`.
const MAX_CALLS: u64 = 8;

/// The language of summaries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// The language of the conversation. It is passed to the summarizer if it is clear, and the summary is checked.
    #[default]
    Theirs,
    /// The language that the host named. It is passed on, and the summary is checked if its script or frequent words
    /// identify it.
    Named(String),
    /// Any language: summaries are not checked.
    Any,
}

/// What the host adds to the instructions for a summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// An additional rule, in the host's words.
    pub instructions: String,
    /// Headings that replace ours.
    pub sections: Vec<String>,
    /// What stands before and after a summary in the view; empty if nothing does.
    pub frame: Vec<String>,
}

/// Parsed options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The system to reproduce, in place of a strategy.
    pub preset: Option<Preset>,
    /// Where a compaction starts and what it keeps.
    pub strategy: Strategy,
    /// The reply limit that the host sends.
    pub max_output: Option<u64>,
    /// Tokens kept free for the reply.
    pub reserve: Option<u64>,
    /// A separate limit on the input.
    pub max_input: Option<u64>,
    /// Whether faults in the history are repaired in the view.
    pub repair: bool,
    /// Whether the host gave a summarizer.
    pub summarize: bool,
    /// The summarizer's limits.
    pub summarizer: Summarizer,
    /// The language of summaries.
    pub language: Wanted,
    /// Additional instructions for summaries.
    pub prompt: Prompt,
    /// The token estimator.
    pub estimator: Estimator,
    /// Hidden tokens in every request, as raw tokens.
    pub overhead: u64,
    /// Shares of the room.
    pub shares: Shares,
    /// The bytes that the memory may take.
    pub memory: u64,
    /// The prices of tokens, if they should decide where a compaction starts.
    pub prices: Option<Prices>,
    /// What compactions may do to each tool's results.
    pub tools: ToolPolicies,
    /// When compactions start, what they aim at, and what they keep.
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
    /// Parses the options of `createCompactor`, in which functions are replaced by `true`.
    ///
    /// # Errors
    ///
    /// Names the path of the first wrong member.
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
                format!("A preset has its own steps: leave out either `{name}` or the preset."),
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
            "A preset has its own steps: set either `preset` or `strategy`.",
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
            "Expected a number of calls above 0. To have code make every compaction, leave out `summarize`.",
        );
    }
    calls
}

/// Parses options like `createCompactor`, with all checks that are possible before the first call.
///
/// # Errors
///
/// Those of [`Options::parse`], an invalid window, and a reply limit that leaves no room in the window.
pub fn validate(json: &Json) -> Result<Options, Error> {
    let options = Options::parse(json)?;
    // `true` stands for a function, which returns its value only when it is called.
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
                "A reply limit of {reply} tokens leaves no room in a context window of {size} tokens. Set `maxOutputTokens` to the limit that you send with each request, and `contextWindow` to the full window of the model."
            ),
        )),
        _ => Ok(options),
    }
}

/// Checks that a reserve leaves room in a window.
///
/// # Errors
///
/// If it leaves none.
pub fn room(window: u64, reserve: u64) -> Result<(), Error> {
    if reserve < window || window == 0 {
        return Ok(());
    }
    Err(Error::at(
        Code::ReserveTooLarge,
        "tune.reserve",
        format!(
            "A reserve of {reserve} tokens leaves no room in a context window of {window} tokens. Set a smaller one."
        ),
    ))
}

/// The context window of one call, as `contextWindow` returned it for the model.
///
/// # Errors
///
/// If it is not a whole number above 0. It is required and never guessed.
pub fn window(value: &Json) -> Result<u64, Error> {
    value.count().filter(|&window| window > 0).ok_or_else(|| {
        Error::at(
            Code::InvalidWindow,
            "contextWindow",
            format!("Expected the model's context window in tokens, a whole number above 0, got {}. Look it up in the provider's model list; it is never guessed.", value.shown()),
        )
    })
}

/// The most bytes of the name of a language.
const LONGEST_LANGUAGE: usize = 60;

/// The most bytes of instructions, the most headings, and the most bytes of a heading.
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
            // The name becomes part of a line of the instructions.
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

/// The name of the estimator.
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
        // The preset's numbers are those of the system that it reproduces.
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

/// The bytes that the memory may take, limited to what a state can hold.
fn memory(tune: Fields<'_>) -> u64 {
    const MOST: u64 = 64_000;
    let bytes = tune.count("memory").unwrap_or(MEMORY);
    if bytes > MOST {
        tune.wrong("memory", "Expected bytes from 0 to 64000.");
    }
    bytes
}

/// The default of `tune.memory`, in bytes.
const MEMORY: u64 = 20_000;

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
    let tail = Some(tail).filter(|_| !shares.raw("tail").is_null());
    Shares { target, tail, part, clear, accept, typed, facts, soft, fresh }
}

/// The fields of the member `name`, of which only these `names` are allowed.
fn inside<'a>(outer: Fields<'a>, name: &str, path: &'a str, names: &[&str]) -> Fields<'a> {
    let inner = Fields::of(outer.raw(name), path, outer.code, outer.faults);
    known(inner, names);
    inner
}
