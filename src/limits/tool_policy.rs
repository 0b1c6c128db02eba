//! What a compaction may do to each tool's results. The host sets it by tool name.
//!
//! Names of tools are those of the calls; a result is of the tool whose call has its id. TypeScript asks a function as
//! `toolPolicy` once for each name, and only where something may have to be done; its answers cross as data. The cap
//! of `clip` counts raw tokens by the slope before any report, so that no report moves the cut.

use crate::base::error::Code;
use crate::base::json::{Fields, Json, member, misfit, misfit_of};
use crate::base::order;
use crate::limits::names::Group;
use crate::model::message::hash_text;

/// The newest results of a tool that are kept whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stay {
    /// None.
    #[default]
    Free,
    /// This many, if they fit.
    Newest(u64),
    /// All, unless nothing else fits.
    Always,
}

/// What a compaction may do to one tool's results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolPolicy {
    /// The results that are kept whole.
    pub keep: Stay,
    /// Only the last rung may change the results.
    pub exclude: bool,
    /// The results are cleared before those of other tools.
    pub first: bool,
    /// The arguments of a call are kept when its result is cleared.
    pub inputs_stay: bool,
    /// The most estimated tokens of a result in any view, at least 64.
    pub clip: Option<u64>,
    /// Whether the tool may be called again, which the notice that replaces a result says. `None`: that is not known.
    pub rerun: Option<bool>,
}

/// The least value of `clip`, in tokens. A notice must fit.
const LEAST_CLIP: u64 = 64;

/// The policies of all tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolPolicies {
    /// Policies by the id of a tool, which is looked up for each result.
    named: Vec<Named>,
    /// The policy of all other tools: the name `"*"`.
    others: ToolPolicy,
    /// The host passed a function, which may return a policy for a tool that was never called before.
    pub(crate) asked: bool,
}

/// The policy of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    id: u32,
    name: String,
    policy: ToolPolicy,
}

/// The name that stands for all tools without a policy of their own.
const OTHERS: &str = "*";
/// A tool's policy.
pub const POLICY: Group =
    Group { names: &["keep", "clear", "inputs", "exclude", "clip", "rerun"], example: "{ keep: \"always\" }" };

/// The id by which a digest identifies a tool.
pub fn tool_id(name: &str) -> u32 {
    hash_text(name) as u32
}

impl ToolPolicy {
    /// Whether the policy keeps any result whole.
    pub fn holds(self) -> bool {
        self.exclude || !matches!(self.keep, Stay::Free | Stay::Newest(0))
    }
}

impl ToolPolicies {
    /// Parses the member `toolPolicy` of the options or of a call. `true` stands for a function, whose results come
    /// with each call.
    pub(crate) fn parse(outer: Fields<'_>) -> Self {
        let given = outer.raw("toolPolicy");
        let mut policies = Self::default();
        if *given == Json::Bool(true) && outer.code == Code::InvalidOption {
            return policies;
        }
        let expected = "an object with a policy for each tool, such as { search: { keep: \"always\" } }";
        let tools = Fields::like(expected, given, "toolPolicy", outer.code, outer.faults);
        for (name, policy) in tools.value.members().unwrap_or_default() {
            let path = member("toolPolicy", name);
            if POLICY.names.contains(&name.as_str()) && policy.members().is_none() && !policy.is_null() {
                // The policy itself, without the name of its tool.
                outer.faults.note(misfit(outer.code, &path, expected, policy));
            }
            let policy = one(POLICY.fields(policy, &path, outer));
            if name == OTHERS {
                policies.others = policy;
            } else {
                policies.named.push(Named { id: tool_id(name), name: name.clone(), policy });
            }
        }
        order::by_key(&mut policies.named, |named| named.id.into());
        policies
    }

    /// Overrides these policies with those of a call, tool by tool. `others`: the policy of all other tools as well.
    pub(crate) fn under(&mut self, call: Self, others: bool) {
        if others {
            self.others = call.others;
        }
        // Sorted stably, the call's come first, so they are found.
        let own = core::mem::replace(&mut self.named, call.named);
        self.named.extend(own);
        order::by_key(&mut self.named, |named| named.id.into());
        self.named.dedup_by(|later, kept| later.name == kept.name);
    }

    /// Whether a policy changes the results in every view, or the notices that replace them.
    pub fn changes_results(&self) -> bool {
        let changes = |policy: &ToolPolicy| policy.clip.is_some() || policy.rerun.is_some();
        changes(&self.others) || self.named.iter().any(|named| changes(&named.policy))
    }

    /// The size up to which no policy cuts a result of any tool, in estimated tokens. `None` if no policy cuts results.
    pub fn uncut(&self) -> Option<u64> {
        let own = self.named.iter().map(|named| &named.policy).chain([&self.others]).filter_map(|policy| policy.clip);
        own.chain(self.asked.then_some(LEAST_CLIP)).min()
    }

    /// Whether all policies are the default.
    pub fn is_empty(&self) -> bool {
        self.others == ToolPolicy::default() && self.named.iter().all(|named| named.policy == ToolPolicy::default())
    }

    /// Whether some tool's results are cleared first.
    pub fn any_first(&self) -> bool {
        self.others.first || self.named.iter().any(|named| named.policy.first)
    }

    /// The policy of the tool with this id.
    pub fn of(&self, tool: u32) -> ToolPolicy {
        self.named(tool).map_or(self.others, |named| named.policy)
    }

    /// The name of the tool with this id, if the host named it.
    pub fn name_of(&self, tool: u32) -> Option<&str> {
        self.named(tool).map(|named| named.name.as_str())
    }

    fn named(&self, tool: u32) -> Option<&Named> {
        let at = self.named.partition_point(|named| named.id < tool);
        self.named.get(at).filter(|named| named.id == tool)
    }
}

fn one(policy: Fields<'_>) -> ToolPolicy {
    let keep = match policy.raw("keep") {
        Json::Null => Stay::Free,
        Json::Text(word) if word == "always" => Stay::Always,
        other => match other.count() {
            Some(count) => Stay::Newest(count),
            None => {
                let expected = "a whole number of results of at least 0, or \"always\"";
                wrong(policy, "keep", expected, &|given| given.count().is_some());
                Stay::Free
            }
        },
    };
    let first = word(policy, "clear", "first", &[]);
    let inputs_stay = word(policy, "inputs", "keep", &["clear"]);
    let exclude = policy.flag("exclude");
    let rerun = (!policy.raw("rerun").is_null()).then(|| policy.flag("rerun"));
    let parsed = ToolPolicy { keep, exclude, first, inputs_stay, clip: clip(policy), rerun };
    if exclude && parsed.clip.is_some() {
        policy.wrong("clip", "Excluded results are never cut: set either `exclude` or `clip`.");
    }
    if first && (keep == Stay::Always || parsed.exclude) {
        policy.wrong(
            "clear",
            "Results that are cleared first cannot also be kept always or excluded. Set only one of them.",
        );
    }
    parsed
}

/// The most estimated tokens of a result.
fn clip(policy: Fields<'_>) -> Option<u64> {
    let given = policy.raw("clip");
    let enough = |given: &Json| given.count().filter(|&tokens| tokens >= LEAST_CLIP);
    if enough(given).is_none() && !given.is_null() {
        let expected = format!("a whole number of tokens of at least {LEAST_CLIP}");
        wrong(policy, "clip", &expected, &|given| enough(given).is_some());
    }
    enough(given)
}

/// Whether a member is the word `yes`. It is a fault if it is neither that nor one of `other`.
fn word(policy: Fields<'_>, name: &str, yes: &str, other: &[&str]) -> bool {
    match policy.raw(name) {
        Json::Null => false,
        Json::Text(word) if word == yes => true,
        Json::Text(word) if other.contains(&word.as_str()) => false,
        _ => {
            let expected = other.iter().fold(format!("\"{yes}\""), |list, word| format!("{list} or \"{word}\""));
            wrong(policy, name, &expected, &|_| false);
            false
        }
    }
}

fn wrong(policy: Fields<'_>, name: &str, expected: &str, fits: &dyn Fn(&Json) -> bool) {
    policy.faults.note(misfit_of(policy.code, &member(policy.path, name), expected, policy.raw(name), fits));
}

/// Whether a call sets the policy of all other tools.
pub(crate) fn says_of_others(call: &Json) -> bool {
    !call.get("toolPolicy").get(OTHERS).is_null()
}
