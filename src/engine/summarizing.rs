//! Gets a summary in rounds: ask, verify, correct, split, merge. What to ask in a round is a value ([`Asked`], with its
//! text in [`questions`](crate::engine::questions)), and so is its result ([`Settled`]). Everything that outlives a round is in the plan, so any
//! machine can run the next one.
//!
//! The past is cut into pieces, usually one. Notes are taken on the pieces in parallel, as many at a time as a plan may
//! hold. They are merged in groups that fit until one text is left, and then the next pieces follow. After a round with
//! unusable answers, these are requested once more.
//!
//! The summarizer's window is `summarizer.contextWindow`, else the chat's; one that was not named counts as at least
//! 4,000 tokens. A sixteenth of it is kept free, an eighth until a report has shown how dense the text is. The rest,
//! less instructions and answer, is the budget of a request. A past that is up to half as much again is one piece,
//! too: its longest texts are cut in the middle, because three calls in place of one would be dear (136 in place of 68
//! in the recorded simulations).
//!
//! Notes have at most 6,000 raw tokens as asked for. Where the notes of all pieces would be more, the pieces come in
//! batches, and each batch is brought down to one text before the next is asked for. While rounds are under way, a
//! `commit` returns `next`; its view is what code can do until then, or the history itself if that still fits. Within
//! `beforeModel` nobody sends that view, and nothing is edited for it.

use crate::base::error::{Error, Warning};
use crate::base::sizes;
use crate::call::context::Work;
use crate::call::covered;
use crate::call::input::Call;
use crate::engine::past::Past;
use crate::engine::questions::{self, Questions};
use crate::engine::rounds;
use crate::ingest::host::Host;
use crate::ladder::plan::{Asked, Job, Part, Plan};
use crate::ladder::shape::Shape;
use crate::ladder::{RungId, Scene};
use crate::model::message::{hash_text, hex, short_hex};
use crate::report::{Notice, Report};
use crate::session::state::{Breaker, WAIT};
use crate::summary::block::Block;
use crate::summary::chunk;
use crate::summary::request::{self, Author, Tongue};
use crate::summary::transcript::TranscriptLine;
use crate::summary::verify::{self, Answer, Measure};
use crate::tokens::{self, Estimator};
use core::num::NonZeroU64;

/// The consecutive failures after which the summarizer is not called for a while.
const FAILURES: u64 = 3;
/// The context window that every model has, and the least material that is worth a request, in tokens.
const LEAST_WINDOW: u64 = 4_000;
const LEAST_MATERIAL: u64 = 128;
/// The raw tokens of the tags and of a correction.
const FRAMES: u64 = 150;

/// What a summarizer wrote.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    /// The text; empty if only the provider can read it.
    pub(crate) text: String,
    /// What makes it the provider's own.
    pub(crate) block: Option<Block>,
    /// The hash of what it stands for, as that was sent, where reasoning may be bound to it.
    pub(crate) sent: Option<u64>,
}

/// The result of a round.
pub(crate) enum Settled {
    /// The summary.
    Summary(Summary),
    /// A further round.
    Next(Box<Plan>),
    /// There will be no summary.
    Failed,
}

/// How to ask for the summary of `shape`, and what to ask first: both go into the plan.
///
/// # Errors
/// When the host cannot read a message.
pub(crate) fn start(
    work: &Work<'_>,
    scene: &Scene<'_>,
    shape: &Shape,
    plan: &mut Plan,
    host: &mut dyn Host,
) -> Result<(), Error> {
    let call = work.call;
    let (estimator, summarizer) = (&call.options.estimator, &call.options.summarizer);
    let window = summarizer.window.unwrap_or(call.window.max(LEAST_WINDOW));
    let wanted = shape.summary_tokens;
    // A summarizer with a small window can also write little.
    let most = summarizer.max_output.map_or(wanted, |most| most.min(wanted * 2)).min(window / 5).max(1);
    // Estimates are off by a few percent, and more until a report shows how dense the text is.
    let spare = if work.calibration.learned() { window / 16 } else { window / 8 };
    let tokens = crate::base::millionths::ratio(window - spare - most, work.calibration.slope(estimator.slope()));
    let instructions =
        request::system("", most, call.focus.as_ref(), Tongue::Theirs("Indonesian"), &call.options.prompt);
    let budget = tokens
        .saturating_sub(tokens::of_text(estimator, &(instructions + &request::noted(call.focus.as_ref()))) + FRAMES)
        .max(LEAST_MATERIAL);
    let list = request::todo_list(&call.todos, sizes::of(budget / 3));
    let budget = budget - tokens::of_text(estimator, &list).min(budget / 4);
    let extent = covered::extent(scene, shape, true);
    // Most pasts fit, and need not be read to know that.
    let known = extent.base.map_or(0, |base| base.summary.raw);
    let mut guess = known * 3;
    for &input in &extent.inputs {
        guess += work.history.tokens[input] * 9 / 8 + 32;
    }
    // Three calls for a slightly longer past would be expensive. Instead, up to a third is cut from the longest texts.
    let budgets = [budget * 3 / 2, budget];
    let pieces = if guess < budgets[0] {
        1
    } else {
        Past::pieces_within(covered::material(scene, shape, host)?, &budgets, estimator)
    };
    let asked = limit(call).map_or(pieces, |limit| rounds::affordable(pieces, budget, most, limit));
    // The summary must be smaller than what is in the view, even if a digest of it is skipped.
    let raw = covered::extent(scene, shape, false).raw;
    let job = &mut plan.job;
    (job.budget, job.pieces, job.raw, job.most) = (budget, pieces, raw, most);
    job.sent = work.prefixes(scene.view).and_then(|prefixes| prefixes.before(shape.covers.count));
    (job.digested, job.done) = (pieces - asked, pieces - asked);
    round(work, shape, plan, 0);
    Ok(())
}

/// The most calls of the summarizer in one call. `None` if the host makes the requests itself.
fn limit(call: &Call) -> Option<u64> {
    call.asking.then_some(call.options.summarizer.max_calls)
}

/// Writes the requests of the next round into a plan. `calls`: the calls of the summarizer so far.
fn round(work: &Work<'_>, shape: &Shape, plan: &mut Plan, calls: u64) {
    let (job, count) = (&mut plan.job, plan.notes.len() as u64);
    job.parts.clear();
    let asked = job.asked();
    let mut most = job.most;
    let limit = limit(work.call).unwrap_or(u64::MAX);
    let held;
    if job.done < job.pieces && count <= 1 {
        most = rounds::notes(asked, job.budget, most);
        let more = rounds::batch(most, count, job.left());
        for at in 0..more {
            let piece = NonZeroU64::new(job.done + at + 1);
            job.parts.push(Part { piece, from: count + at, to: count + at + 1 });
        }
        job.done += more;
        job.last = asked == 1;
        held = count + more;
    } else {
        let estimator = &work.call.options.estimator;
        let lines: Vec<TranscriptLine> = plan.notes.iter().map(|notes| request::piece(notes, estimator)).collect();
        let mut groups = chunk::groups(&lines, sizes::of(rounds::together(job.budget)));
        let merges = groups.iter().filter(|(from, to)| to - from > 1).count() as u64;
        if job.done == job.pieces && calls + merges >= limit {
            // In the last allowed call, the longest notes are cut so that all fit.
            groups = vec![(0, lines.len())];
        }
        if groups.len() > 1 {
            most = rounds::merged(job.budget, most);
        }
        job.last = job.done == job.pieces && groups.len() == 1;
        held = groups.len() as u64;
        for (from, to) in groups {
            if to - from > 1 {
                job.parts.push(Part { piece: None, from: from as u64, to: to as u64 });
            }
        }
    }
    // Another focus makes another request.
    let focus = work.call.focus.as_ref().map_or(String::new(), |focus| {
        let by = if focus.by == Author::Assistant { "a" } else { "" };
        format!("-{by}{}", short_hex(hash_text(&focus.text)))
    });
    plan.requests.clear();
    for part in &job.parts {
        let place = if asked > 1 { format!(".{}", part.from) } else { String::new() };
        plan.requests.push(Asked {
            id: format!("{}-{}{place}{focus}", hex(shape.covers.chain), plan.attempt),
            kind: questions::kind(part.piece, asked).to_owned(),
            max_output_tokens: most,
        });
    }
    let later = rounds::calls(held, job.left(), asked, job.budget, job.most);
    job.total = (calls + plan.requests.len() as u64 + later).min(limit);
}

/// The state of judging the answers of a round.
struct Judging<'a> {
    answers: &'a [Answer],
    /// The plan of the next round.
    next: Plan,
    /// Why an answer cannot be used.
    reason: Option<String>,
    /// Whether asking again may help.
    curable: bool,
    /// What makes the answer a provider's own summary.
    block: Option<Block>,
}

impl Judging<'_> {
    fn judge(&mut self, at: usize, asked: &Asked, part: Part, measure: &Measure<'_>, estimator: &Estimator) {
        let (from, to) = (part.from as usize, part.to as usize);
        let notes = &mut self.next.notes;
        while notes.len() < to {
            notes.push(String::new());
        }
        let judged = match self.answers.get(at) {
            Some(answer) => verify::usable(answer, measure, estimator),
            None => Err("The summarizer gave no answer.".to_owned()),
        };
        match judged {
            Ok((text, block)) => {
                self.block = block.filter(|_| self.next.job.asked() == 1);
                // Merged notes take the place of the first; the others stay empty until all are done.
                for notes in &mut notes[from..to] {
                    notes.clear();
                }
                notes[from] = text;
                // If others succeeded, a failed request is worth another attempt.
                self.curable = true;
            }
            Err(reason) => {
                self.curable |= matches!(self.answers.get(at), Some(Answer::Text { .. } | Answer::Block { .. }));
                self.reason = Some(reason);
                self.next.job.parts.push(part);
                self.next.requests.push(Asked {
                    id: format!("{}-again", asked.id),
                    kind: "correction".to_owned(),
                    max_output_tokens: asked.max_output_tokens,
                });
            }
        }
    }
}

/// Judges the answers to a plan and decides how to continue.
pub(crate) fn settle(
    work: &mut Work<'_>,
    plan: &Plan,
    shape: &Shape,
    (questions, answers): (&Questions, &[Answer]),
    report: &mut Report,
) -> Settled {
    let next = Plan {
        rung: RungId::Summarize,
        action: plan.action.clone(),
        attempt: plan.attempt + 1,
        job: Job { parts: Vec::new(), ..plan.job },
        notes: plan.notes.clone(),
        preview: plan.preview.clone(),
        ..Plan::default()
    };
    let mut judging = Judging { answers, next, reason: None, curable: false, block: None };
    for (at, measure) in questions.measures().enumerate() {
        let (asked, part) = (&plan.requests[at], plan.job.parts[at]);
        judging.judge(at, asked, part, &measure, &work.call.options.estimator);
    }
    let Judging { mut next, reason, curable, block, .. } = judging;
    let calls = plan.spent.calls + answers.len() as u64;
    let limit = limit(work.call).unwrap_or(u64::MAX);
    if let Some(reason) = reason {
        let (again_most, held) = still_needed(&next);
        next.job.total = calls + again_most.min(limit.saturating_sub(calls));
        // A single set of notes needs no call to merge it.
        let least = next.requests.len() as u64 + u64::from(held > 1 || next.job.done < next.job.pieces);
        let allowed = calls + least <= limit;
        if !curable || plan.job.corrects || !allowed {
            return given_up(work, reason, allowed, report);
        }
        report.warnings.push(failed(&reason, " It is called once more."));
        report.failed = Some(reason);
        next.job.corrects = true;
        return Settled::Next(Box::new(next));
    }
    next.notes.retain(|notes| !notes.is_empty());
    if next.job.last {
        work.state.breaker.failures = 0;
        report.warnings.extend(limited(&next.job, limit));
        return Settled::Summary(Summary { text: next.notes.pop().unwrap_or_default(), block, sent: plan.job.sent });
    }
    next.job.corrects = false;
    round(work, shape, &mut next, calls);
    if calls + next.requests.len() as u64 > limit {
        let reason = "The notes on the pieces of the past were not put together.".to_owned();
        return given_up(work, reason, false, report);
    }
    Settled::Next(Box::new(next))
}

/// Counts a failure. After several, the summarizer is not called for a while. `allowed`: another call would have been
/// allowed.
fn given_up(work: &mut Work<'_>, reason: String, allowed: bool, report: &mut Report) -> Settled {
    let limit = if allowed { "" } else { " `summarizer.maxCalls` allows no further call." };
    let what = " A digest written by code takes its place. The next compaction tries again.";
    report.warnings.push(failed(&reason, &format!("{limit}{what}")));
    report.failed = Some(reason);
    let breaker = &mut work.state.breaker;
    breaker.failures += 1;
    if breaker.failures >= FAILURES {
        *breaker = Breaker { failures: 0, wait: WAIT, ..*breaker };
    }
    Settled::Failed
}

fn failed(reason: &str, what: &str) -> Notice {
    Notice { code: Warning::SummaryFailed, path: Some("summarize".into()), advice: format!("{reason}{what}") }
}

/// The most calls that a plan still needs, including repeated ones, and how many notes it then holds.
fn still_needed(plan: &Plan) -> (u64, u64) {
    let job = &plan.job;
    let mut held = plan.notes.iter().filter(|notes| !notes.is_empty()).count() as u64;
    for part in &job.parts {
        // A failed request leaves no notes, or those that it should have merged.
        held = if part.piece.is_some() { held + 1 } else { (held + 1).saturating_sub(part.to - part.from) };
    }
    let later = rounds::calls(held, job.left(), job.asked(), job.budget, job.most);
    (plan.requests.len() as u64 + later, held)
}

/// A warning if code digested a part of the past because of the limit.
fn limited(job: &Job, limit: u64) -> Option<Notice> {
    (job.digested > 0).then(|| Notice {
        code: Warning::SummaryLimited,
        path: Some("summarizer.maxCalls".into()),
        advice: format!("To summarize the history, {} requests to the summarizer would be needed, but a call may make {limit}. So code digested the oldest {} parts of it. Raise `summarizer.maxCalls`, or summarize ahead of time with `plan`, `requests` and `commit`, which have no limit.", job.pieces, job.digested),
    })
}
