//! Covers the past with a summary, in up to three rounds.

use crate::base::error::{Error, Warning};
use crate::base::markers;
use crate::call::checkpoint::{self, Written};
use crate::call::context::Work;
use crate::engine::presets::contextguard::continuation;
use crate::engine::presets::contextguard::sizes::summary_tokens;
use crate::engine::presets::contextguard::step::{Step, shape};
use crate::engine::presets::contextguard::text::fallback;
use crate::ingest::content::Content;
use crate::ingest::host::Host;
use crate::ladder::plan::{Asked, Plan};
use crate::ladder::preview::Preview;
use crate::ladder::shape::Shape;
use crate::ladder::{Move, RungId};
use crate::report::{Notice, Report};
use crate::session::compaction::Kind;
use crate::session::state::SessionState;
use crate::session::view::{Item, Slot, View};
use crate::summary::verify::Answer;

/// The most rounds of summarizing until the request is below the threshold.
const ATTEMPTS: u64 = 3;
/// The most bytes of a summary. A longer one is rejected, because the state could not hold it.
const SUMMARY_BYTES: usize = 50_000;

/// The result of the rounds of a commit.
pub(super) struct Rounds {
    /// Whether the past was covered.
    pub(super) compacts: bool,
    /// The raw tokens of the request as it is sent.
    pub(super) request: u64,
    /// The next round, for which a summarizer must be called.
    pub(super) next: Option<Plan>,
}

/// Covers the past, and repeats that while the request is above the threshold.
pub(super) fn cover_in_rounds(
    work: &mut Work<'_>,
    start: &Step,
    plan: &Plan,
    answers: Option<&[Answer]>,
    report: &mut Report,
    host: &mut dyn Host,
) -> Result<Rounds, Error> {
    let valid = |shape: &&Shape| work.history.position(shape.covers.count) == Some(shape.covers);
    let planned = if let Move::Compact(shape) = &plan.action { Some(shape).filter(valid).cloned() } else { None };
    let mut todo = planned.or_else(|| if start.fires() { shape(work) } else { None });
    if work.call.provider_compacts {
        todo = None;
    }
    let mut rounds = Rounds { compacts: todo.is_some(), request: start.raw, next: None };
    let mut answer = answers.and_then(<[Answer]>::first);
    let mut attempt = plan.attempt;
    while let Some(shape) = todo.take() {
        let view = work.project(host)?;
        let contents = input(work, &view, &shape, host)?;
        let text = summary(work, answer.take(), &contents, report);
        let kind = if report.failed.is_some() || answers.is_none() { Kind::Digest } else { Kind::Summary };
        cover(work, &shape, kind, &text, host)?;
        let request = work.project(host)?.raw() + continuation::tokens(work, host)? + work.call.beside();
        rounds.request = request;
        report.reason =
            format!("The compacted request of {request} raw tokens is not below the threshold of {}.", start.threshold);
        if request >= start.threshold && attempt < ATTEMPTS {
            attempt += 1;
            if answers.is_some() {
                rounds.next = Some(again(work, attempt, &shape, (plan, report)));
            } else {
                todo = Some(shape);
            }
        }
    }
    Ok(rounds)
}

/// The summary so far, without the lines around it.
pub(super) fn previous(state: &SessionState) -> Option<&str> {
    state.checkpoints.last().map(|checkpoint| checkpoint::body(&checkpoint.summary.text))
}

/// What the summarizer reads: the request without its instructions. The oldest messages are dropped while more than two
/// remain and they exceed 80 % of the window in raw tokens. (C4: the previous summary is not included a second time.)
pub(super) fn input(work: &Work<'_>, view: &View, shape: &Shape, host: &mut dyn Host) -> Result<Vec<Content>, Error> {
    let covered: Vec<&Item> = view
        .items
        .iter()
        .filter(|item| !item.fixed && !matches!(item.slot, Slot::Host { index, .. } if index >= shape.covers.count))
        .collect();
    let budget = work.call.window * 4 / 5;
    let mut sum: u64 = covered.iter().map(|item| item.tokens).sum();
    let mut skip = 0;
    while covered.len() - skip > 2 && sum > budget {
        sum -= covered[skip].tokens;
        skip += 1;
    }
    let inputs: Vec<usize> = covered[skip..]
        .iter()
        .filter_map(|item| if let Slot::Host { input, .. } = item.slot { Some(input) } else { None })
        .collect();
    work.history.read(&inputs, host)
}

/// The text of the answer. Excerpts if there is no usable one.
fn summary(work: &Work<'_>, answer: Option<&Answer>, contents: &[Content], report: &mut Report) -> String {
    let reason = match answer {
        Some(Answer::Text { text, .. }) if !text.is_empty() && text.len() <= SUMMARY_BYTES => return text.clone(),
        Some(Answer::Text { .. } | Answer::Block { .. }) => {
            Some("The summarizer returned no text, or far too much.".to_owned())
        }
        Some(Answer::Failed(reason)) => Some(reason.clone()),
        None => None,
    };
    if let Some(reason) = reason {
        report.warnings.push(Notice {
            code: Warning::SummaryFailed,
            path: Some("summarize".into()),
            advice: format!("{reason} Excerpts took its place."),
        });
        report.failed = Some(reason);
    }
    fallback(contents, previous(&work.state))
}

fn again(work: &Work<'_>, attempt: u64, shape: &Shape, (before, report): (&Plan, &Report)) -> Plan {
    let asked = Asked {
        id: format!("{}-{attempt}", crate::model::message::hex(shape.covers.chain)),
        kind: "summary".into(),
        max_output_tokens: summary_tokens(work.call.window),
    };
    Plan {
        rung: RungId::Summarize,
        action: Move::Compact(shape.clone()),
        attempt,
        requests: vec![asked],
        preview: Preview { report: report.to_json(), ..before.preview.clone() },
        ..Plan::default()
    }
}

fn cover(work: &mut Work<'_>, shape: &Shape, kind: Kind, text: &str, host: &mut dyn Host) -> Result<(), Error> {
    let text = format!("{}\n{text}\n{}", markers::PRESET_SUMMARY, markers::PRESET_SUMMARY_END);
    let written = Written { kind, digest: false, shortened: false, text, bare: true, block: None };
    let checkpoint = checkpoint::checkpoint(work.placed(), shape, written, None, host)?;
    // A further round replaces the result of the previous one.
    work.state.uncover(shape.covers.count);
    work.state.push(checkpoint);
    work.history.active = work.state.checkpoints.len().checked_sub(1);
    Ok(())
}
