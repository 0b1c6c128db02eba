//! What the provider of a model does with reasoning that comes back to it: one row per generation of models.
//!
//! Since August 2026 Claude models bind a block of thinking to everything before it. Such a block is refused once
//! anything before it has changed. Sources are in `docs/thinking.md`.

use crate::base::named::named;

/// What the provider of a model demands of reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demands {
    /// Signed reasoning is bound to everything that was sent before it.
    pub bound: bool,
    /// An open round of tool calls must keep its signed reasoning.
    pub round: bool,
    /// Reasoning beside calls must not be missing alone, signed or not.
    pub beside_calls: bool,
}

named! {
    /// Why these demands hold.
    Source {
        /// The provider refused a request.
        Learned = "learned",
        /// The host said so.
        Host = "host",
        /// The table knows the model.
        Model = "model",
        /// Nothing is known of the model.
        Default = "default",
    }
}

const FREE: Demands = Demands { bound: false, round: false, beside_calls: false };
const BOUND: Demands = Demands { bound: true, ..FREE };
const ROUND: Demands = Demands { round: true, ..FREE };
const BESIDE_CALLS: Demands = Demands { beside_calls: true, ..FREE };

/// The families of Claude models by their first generation with each rule, the newest first. A model is of the first
/// row whose family and generation it reaches. `*` stands for every family.
#[rustfmt::skip]
const CLAUDE: [(&str, [u32; 2], Demands); 8] = [
    ("fable",  [5, 1], BOUND),
    ("mythos", [5, 1], BOUND),
    ("opus",   [5, 5], BOUND),
    ("sonnet", [5, 5], BOUND),
    ("haiku",  [5, 5], BOUND),
    // Generations that do not exist yet are taken for the newest.
    ("*",      [5, 6], BOUND),
    // Thinks by itself: no message has to begin with thinking.
    ("*",      [4, 7], FREE),
    // 4.6 can be run with a budget, which the id does not tell.
    ("*",      [0, 0], ROUND),
];

/// Families that existed before thinking was bound. Of any other nothing is known but that it is newer.
const KNOWN_FAMILIES: [&str; 6] = ["fable", "mythos", "opus", "sonnet", "haiku", "instant"];

/// Other models: words of which one begins a word of the id.
const OTHERS: [(&str, Demands); 2] = [
    ("deepseek kimi moonshot mimo glm minimax", BESIDE_CALLS),
    (
        "gemini gemma gpt chatgpt codex o1 o3 o4 grok mistral mixtral ministral magistral devstral codestral pixtral qwen qwq command llama nova phi",
        FREE,
    ),
];

/// What the provider of the model with this id demands. `None` if the table does not know it.
pub fn of_model(id: &str) -> Option<Demands> {
    let id = id.to_ascii_lowercase();
    let words: Vec<&str> = words(&id).collect();
    if let Some(at) = words.iter().position(|word| *word == "claude") {
        return Some(of_claude(&words[at + 1..]));
    }
    let starts = |names: &str| names.split(' ').any(|name| words.iter().any(|word| begins(word, name)));
    OTHERS.iter().find(|(names, _)| starts(names)).map(|&(_, demands)| demands)
}

/// The words of an id, whoever spells it: `anthropic/claude-opus-5.5`, `us.anthropic.claude-opus-5-5-20260922-v1:0`,
/// `claude-opus-5-5@20260922`.
fn words(id: &str) -> impl Iterator<Item = &str> {
    id.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a word of an id is a name, perhaps with more behind it. A short name must be the whole word.
fn begins(word: &str, name: &str) -> bool {
    word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || name.len() > 2)
}

/// The demands of a Claude model, from what follows that word. Without a number it is an alias of the newest
/// (`claude-opus-latest`).
fn of_claude(words: &[&str]) -> Demands {
    let (mut family, mut version) = (None, Vec::new());
    for word in words {
        if let Ok(number) = word.parse::<u32>() {
            // A date ends what says which model it is.
            if word.len() > 2 || version.len() == 2 {
                break;
            }
            version.push(number);
        } else if let Some(number) = word.strip_prefix('v').and_then(|rest| rest.parse::<u32>().ok()) {
            // `claude-v2` is a generation, `-v1:0` the revision of a platform.
            if family.is_some() || !version.is_empty() {
                break;
            }
            version.push(number);
        } else {
            family = family.or(Some(*word));
        }
    }
    let is_new = family.is_some_and(|family| !KNOWN_FAMILIES.contains(&family));
    let Some(&major) = version.first().filter(|_| !is_new) else { return BOUND };
    let version = [major, version.get(1).copied().unwrap_or(0)];
    let row = CLAUDE.iter().find(|(of, from, _)| (*of == "*" || family == Some(of)) && version >= *from);
    row.map_or(BOUND, |row| row.2)
}

/// How a host that calls the provider itself tells it to leave out what it would refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controls {
    /// The name of the header.
    pub header: &'static str,
    /// What it must contain.
    pub beta: &'static str,
    /// The member of the body's `thinking.block_binding`.
    pub member: &'static str,
    /// The value of that member.
    pub value: &'static str,
}

/// The controls of the platform that an id belongs to: Amazon Bedrock spells the member otherwise.
pub fn controls(id: &str) -> Controls {
    let bedrock = id.contains("anthropic.claude") || id.starts_with("arn:aws");
    Controls {
        header: "anthropic-beta",
        beta: "thinking-binding-controls-2026-08-01",
        member: if bedrock { "mismatch_behavior" } else { "prefix_mismatch_behavior" },
        value: "drop_block",
    }
}

/// The demands of a model that the table does not know. `bound`: its signed reasoning may be Anthropic's.
pub const fn of_unknown(bound: bool) -> Demands {
    Demands { bound, round: false, beside_calls: true }
}
