//! The options that the host passed, parsed once. A wrong option is refused with its path.

use crate::base::error::{Code, Error};
use crate::base::json::{Faults, Fields, Json, misfit};
use crate::contract::{OPTIONS, OptionMember};
use crate::limits::estimator;
use crate::limits::names::{Group, known, unknown};
use crate::limits::preset::Preset;
use crate::limits::prices::Prices;
use crate::limits::shares::Shares;
use crate::limits::state_size::MEMORY_BYTES;
use crate::limits::strategy::Strategy;
use crate::limits::summary_options::{self, Prompt, Summarizer, Wanted};
use crate::limits::tool_policy::ToolPolicies;
use crate::limits::wishes::Wishes;
use crate::tokens::Estimator;
use crate::tokens::family::Family;

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
    /// Whether a summary is asked for in a message behind the chat, where that is possible.
    pub appends: bool,
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

/// `tune`.
pub const TUNE: Group = Group {
    names: &["preset", "strategy", "reserve", "maxInputTokens", "tokens", "shares", "memory", "prices", "slice"],
    example: "{ strategy: \"full\" }",
};

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
        known(options, &OPTIONS.map(|member| member.name));
        let tune = TUNE.inside(options, "tune", "tune");
        let (preset, strategy) = policy(tune);
        let tokens = estimator::TOKENS.inside(tune, "tokens", "tune.tokens");
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
        let summarizer = Summarizer::parse(options);
        let summary = summary_options::SUMMARY.inside(options, "summary", "summary");
        let (language, prompt) = (Wanted::parse(summary), Prompt::parse(summary));
        let estimator = estimator::name(tokens, preset.is_some());
        let overhead = tokens.tokens("overhead").unwrap_or(0);
        let shares = Shares::parse(tune);
        let memory = memory(tune);
        slice(tune);
        let family = estimator.split_once(':').and_then(|(_, family)| Family::parse(family));
        let prices = Prices::parse(tune, family);
        let tools = ToolPolicies::parse(options);
        let wishes = Wishes::parse(options);
        let appends = appends(options);
        let set = |member: &&OptionMember| member.of_preset && !options.raw(member.name).is_null();
        if preset.is_some()
            && let Some(OptionMember { name, .. }) = OPTIONS.iter().find(set)
        {
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
            appends,
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

/// The ways to ask for a summary.
pub const SUMMARY_REQUESTS: [&str; 2] = ["transcript", "append"];

/// Whether the chat itself is sent to the summarizer, with the request behind it.
fn appends(options: Fields<'_>) -> bool {
    let named = options.text("summaryRequest");
    if let Some(name) = named.filter(|name| !SUMMARY_REQUESTS.contains(name)) {
        unknown(options, "summaryRequest", name, &SUMMARY_REQUESTS, "way to ask for a summary");
    }
    named == Some("append")
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
        let strategy = Strategy::named(name);
        if strategy.is_none() {
            unknown(tune, "strategy", name, Strategy::NAMES, "strategy");
        }
        strategy
    });
    (preset.map(|_| Preset::Contextguard), strategy.unwrap_or_default())
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

/// How long the host reads before it lets others have their turn. Nothing is decided by it.
fn slice(tune: Fields<'_>) {
    const MOST: u64 = 1_000;
    if tune.count("slice").is_some_and(|milliseconds| milliseconds > MOST) {
        tune.wrong("slice", "Expected milliseconds from 0 to 1000; 0 reads without a pause.");
    }
}

/// The bytes that the memory may take, limited to what a state can hold.
fn memory(tune: Fields<'_>) -> u64 {
    const MOST: u64 = 64_000;
    let bytes = tune.count("memory").unwrap_or(MEMORY_BYTES);
    if bytes > MOST {
        tune.wrong("memory", "Expected bytes from 0 to 64000.");
    }
    bytes
}
