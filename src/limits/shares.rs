//! Shares of the room: how much a compaction aims at, keeps and must save (`tune.shares`).

use crate::base::json::{Fields, Json, decimal, member, misfit_of};
use crate::limits::names::Group;

/// Shares of the room, in millionths unless stated otherwise. See the table in `docs/tuning.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The size that a rung aims at, in addition to the fixed tokens.
    pub target: u64,
    /// The newest groups, which are kept verbatim. If the host does not say, 0.2 less what a small window leaves to a digest,
    /// or what its target leaves.
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
    ("facts", 150_000, 0, 300_000),
    ("soft", 850_000, 100_000, 1_000_000),
    ("fresh", 100_000, 0, 500_000),
];

/// `tune.shares`.
pub const GROUP: Group = Group { names: &NAMES, example: "{ target: 0.5 }" };

const NAMES: [&str; SHARES.len()] = {
    let (mut names, mut at) = ([""; SHARES.len()], 0);
    while at < SHARES.len() {
        names[at] = SHARES[at].0;
        at += 1;
    }
    names
};

impl Shares {
    /// Parses `tune.shares`. A share that the host does not set has its default.
    pub(super) fn parse(tune: Fields<'_>) -> Self {
        let shares = GROUP.inside(tune, "shares", "tune.shares");
        let mut values = [0; SHARES.len()];
        for (value, (name, default, least, most)) in values.iter_mut().zip(SHARES) {
            *value = default;
            let given = shares.raw(name);
            let in_range = |given: &Json| {
                let share = given.millionths().and_then(|share| u64::try_from(share).ok());
                share.filter(|share| (least..=most).contains(share))
            };
            if let Some(share) = in_range(given) {
                *value = share;
            } else if !given.is_null() {
                let expected = format!("a share from {} to {}", decimal(least), decimal(most));
                let path = member(shares.path, name);
                shares.faults.note(misfit_of(shares.code, &path, &expected, given, &|given| in_range(given).is_some()));
            }
        }
        let [target, tail, part, clear, accept, typed, facts, soft, fresh] = values;
        let tail = Some(tail).filter(|_| !shares.raw("tail").is_null());
        Self { target, tail, part, clear, accept, typed, facts, soft, fresh }
    }
}
