//! The job of getting a summary: ask, verify, correct, chunk, merge. A round at a time: what has to be asked is a value
//! ([`Asked`], with its text [`Request`]), and so is what came of it ([`Settled`]). What outlives a round is in the
//! plan, so any machine can do the next one.
//!
//! A past is cut into pieces, mostly one. Notes are taken on all of them in parallel, as many at a time as a plan
//! should hold, and put together in groups that fit until one text is left; and so on with the next pieces. A round with
//! unusable answers is followed by one that asks for these again, once.

use crate::compose::{self, Material};
use crate::error::{Error, Warning};
use crate::host::Host;
use crate::message::{hash_text, hex, short_hex};
use crate::plan::Rung;
use crate::plan::compact::Shape;
use crate::plan::record::{Asked, Job, Plan};
use crate::prelude::*;
use crate::report::{Notice, Report};
use crate::state::Breaker;
use crate::summary::chunk;
use crate::summary::language::Language;
use crate::summary::request::{self, Request};
use crate::summary::transcript::{self, Line};
use crate::summary::verify::{self, Answer, Measure};
use crate::tokens::{self, Estimator};
use crate::view::View;
use crate::work::Work;

/// Failures of a summarizer in a row before it is left alone, and for how many compactions.
const FAILURES: u64 = 3;
const WAIT: u64 = 8;
/// Raw tokens of notes that a plan may hold between two rounds; how few the notes on a piece may have, and how many are
/// enough if there are many.
const DRAFT: u64 = 6_000;
const LEAST_NOTES: u64 = 96;
const ENOUGH_NOTES: u64 = 256;
/// Tokens that every model takes, and the fewest of material that can be asked about.
const LEAST_WINDOW: u64 = 4_000;
const LEAST_MATERIAL: u64 = 128;
/// Raw tokens of tags, and of what a correction says.
const FRAMES: u64 = 150;

/// What came of a round.
pub(crate) enum Settled {
    /// The summary.
    Summary(String),
    /// Another round.
    Next(Box<Plan>),
    /// No summary can be had.
    Failed,
}

/// How to ask for the summary of `shape`, and what to ask first: both go into the plan.
///
/// # Errors
/// When the host cannot read a message.
pub(crate) fn start(
    work: &Work<'_>,
    view: &View,
    shape: &Shape,
    plan: &mut Plan,
    host: &mut dyn Host,
) -> Result<(), Error> {
    let call = work.call;
    let (estimator, summarizer) = (&call.options.estimator, &call.options.summarizer);
    let window = summarizer.window.unwrap_or(call.window.max(LEAST_WINDOW));
    let wanted = shape.summary_tokens;
    // A summarizer with a small window can write little, too.
    let most = summarizer.max_output.map_or(wanted, |most| most.min(wanted * 2)).min(window / 5).max(1);
    // Estimates are a few percent off, more so until a report has told how dense the text is.
    let spare = if work.calibration.learned() { window / 16 } else { window / 8 };
    let tokens = crate::millionths::ratio(window - spare - most, work.calibration.slope(estimator.slope()));
    let instructions = request::system("", most, call.focus.as_deref(), "Indonesian");
    let budget = tokens.saturating_sub(tokens::of_text(estimator, &instructions) + FRAMES).max(LEAST_MATERIAL);
    let list = request::todo_list(&call.todos, budget as usize / 3);
    let budget = budget - tokens::of_text(estimator, &list).min(budget / 4);
    let scene = work.scene(view);
    let extent = compose::extent(&scene, shape, true);
    // Most pasts fit, and need not be read to see that.
    let known = extent.base.map_or(0, |base| base.summary.raw);
    let mut guess = known * 3;
    for &input in &extent.inputs {
        guess += work.history.tokens[input] * 9 / 8 + 32;
    }
    // Three calls for what is a little too long would be dear: up to a third is cut from the longest texts instead.
    let mut pieces = 1;
    for most in [budget * 3 / 2, budget] {
        if guess >= most {
            pieces = Past::of(compose::material(&scene, shape, true, host)?, most, 0, estimator).ends.len() as u64;
        }
        if pieces == 1 {
            break;
        }
    }
    // What the answer has to be smaller than is what stands in the view, also where a digest of it is passed over.
    let raw = compose::extent(&scene, shape, false).raw;
    plan.job = Job { budget, pieces, raw, most, ahead: call.soft, ..Job::default() };
    round(work, shape, plan);
    Ok(())
}

/// What is summarized, in pieces.
struct Past {
    /// The summary before it, if it is given beside the material, and the material's raw tokens.
    previous: String,
    room: usize,
    lines: Vec<Line>,
    /// Where each piece ends among the lines.
    ends: Vec<usize>,
}

impl Past {
    /// `pieces`: 1 if it is known that it need not be cut.
    fn of(material: Material, budget: u64, pieces: u64, estimator: &Estimator) -> Self {
        let budget = budget as usize;
        let mut previous = material.previous.unwrap_or_default();
        let mut lines = transcript::lines(&material.messages, estimator);
        let mut known = tokens::of_text(estimator, &previous) as usize;
        if known > budget / 3 && pieces != 1 {
            let text = transcript::quote(&text!["What had happened before: ", previous]);
            lines.insert(0, Line::new(text, false, estimator));
            (previous, known) = (String::new(), 0);
        }
        let room = budget.saturating_sub(known);
        let ends = if pieces == 1 { vec![lines.len()] } else { chunk::pieces(&mut lines, room, estimator) };
        Self { previous, room, lines, ends }
    }

    /// A piece by its number, from 1.
    fn piece(&self, piece: usize) -> &[Line] {
        let from = if piece > 1 { self.ends.get(piece - 2).copied().unwrap_or(0) } else { 0 };
        self.ends.get(piece - 1).and_then(|&end| self.lines.get(from..end)).unwrap_or_default()
    }
}

/// Writes into a plan what its next round asks for.
fn round(work: &Work<'_>, shape: &Shape, plan: &mut Plan) {
    let (job, count) = (&mut plan.job, plan.notes.len() as u64);
    job.parts.clear();
    let mut most = job.most;
    if job.done < job.pieces && count <= 1 {
        if job.pieces > 1 {
            let enough = (job.budget / 16).clamp(LEAST_NOTES, ENOUGH_NOTES);
            most = (DRAFT / job.pieces).max(enough).min(most);
        }
        let more = (DRAFT / most.max(1)).max(1).min(job.pieces - job.done);
        for at in 0..more {
            job.parts.extend([job.done + at + 1, count + at, count + at + 1]);
        }
        job.done += more;
        job.last = job.pieces == 1;
    } else {
        let estimator = &work.call.options.estimator;
        let lines: Vec<Line> = plan.notes.iter().map(|notes| request::piece(notes, estimator)).collect();
        // The rest of the budget is for the previous summary.
        let groups = chunk::groups(&lines, job.budget as usize * 2 / 3);
        if groups.len() > 1 {
            most = (job.budget / 4).max(LEAST_NOTES).min(most);
        }
        job.last = job.done == job.pieces && groups.len() == 1;
        for (from, to) in groups {
            if to - from > 1 {
                job.parts.extend([0, from as u64, to as u64]);
            }
        }
    }
    // Another wish, another question.
    let focus = work.call.focus.as_deref().map_or(String::new(), |focus| text!["-", short_hex(hash_text(focus))]);
    plan.requests.clear();
    for part in job.parts.chunks_exact(3) {
        let place = if job.pieces > 1 { text![".", part[1]] } else { String::new() };
        plan.requests.push(Asked {
            id: text![hex(shape.covers.chain), "-", plan.attempt, place, focus],
            kind: kind(part[0], job.pieces).to_owned(),
            max_output_tokens: most,
        });
    }
}

/// What is asked about a piece of that many; of piece 0, that notes are put together.
fn kind(piece: u64, pieces: u64) -> &'static str {
    match piece {
        0 => "merge",
        _ if pieces == 1 => "summary",
        _ => "chunk",
    }
}

/// The answers to a round as they are judged.
pub(crate) struct Judging<'a> {
    answers: &'a [Answer],
    /// The round after it.
    next: Plan,
    /// Why an answer cannot be used.
    reason: Option<String>,
    /// Asking once more may help.
    curable: bool,
}

impl Judging<'_> {
    fn judge(&mut self, at: usize, asked: &Asked, part: &[u64], measure: &Measure<'_>, estimator: &Estimator) {
        let (from, to) = (part[1] as usize, part[2] as usize);
        let notes = &mut self.next.notes;
        while notes.len() < to {
            notes.push(String::new());
        }
        let judged = match self.answers.get(at) {
            Some(answer) => verify::judge(answer, measure, estimator),
            None => Err("The summarizer gave no answer.".to_owned()),
        };
        match judged {
            Ok(text) => {
                // What was put together stands in the place of the first; the others are empty until all are there.
                for notes in &mut notes[from..to] {
                    notes.clear();
                }
                notes[from] = text;
                // One that failed among others that did not is worth another try, too.
                self.curable = true;
            }
            Err(reason) => {
                self.curable |= matches!(self.answers.get(at), Some(Answer::Text { .. }));
                self.reason = Some(reason);
                self.next.job.parts.extend_from_slice(part);
                self.next.requests.push(Asked {
                    id: text![asked.id, "-again"],
                    kind: "correction".to_owned(),
                    max_output_tokens: asked.max_output_tokens,
                });
            }
        }
    }
}

/// What a plan asks a summarizer for, with the texts, empty when it can no longer be gone on with; or if there are
/// answers, what they are worth.
///
/// # Errors
/// When the host cannot read a message.
pub(crate) fn ask(
    work: &Work<'_>,
    view: &View,
    shape: &Shape,
    plan: &Plan,
    mut judging: Option<&mut Judging<'_>>,
    host: &mut dyn Host,
) -> Result<Vec<Request>, Error> {
    let (call, job) = (work.call, &plan.job);
    let estimator = &call.options.estimator;
    let material = compose::material(&work.scene(view), shape, true, host)?;
    let typed = Language::typed(&material.messages);
    let past = Past::of(material, job.budget, job.pieces, estimator);
    let mut requests = Vec::new();
    // The messages may be gone by now. Answers are measured by what is left.
    if judging.is_none() && past.ends.len() as u64 != job.pieces {
        return Ok(requests);
    }
    for (at, asked) in plan.requests.iter().enumerate() {
        let Some(part) = job.parts.get(at * 3..at * 3 + 3) else { break };
        let mut prompt = if job.last { request::previous(&past.previous) } else { String::new() };
        let mut known = past.previous.clone();
        if part[0] > 0 {
            prompt.push_str(&request::conversation(past.piece(part[0] as usize), past.room));
        } else {
            let mut lines = Vec::new();
            for notes in plan.notes.get(part[1] as usize..part[2] as usize).unwrap_or_default() {
                // Notes may be put together word for word.
                known.push_str(notes);
                lines.push(request::piece(notes, estimator));
            }
            prompt.push_str(&transcript::render(&lines, past.room));
        }
        if job.last {
            prompt.push_str(&request::todo_list(&call.todos, job.budget as usize / 3));
        }
        if job.corrects {
            prompt.push_str(&request::correction(plan.spent.failed.as_deref().unwrap_or_default()));
        }
        prompt.push('\n');
        prompt.push_str(request::NOW);
        let mut most = asked.max_output_tokens;
        let kind = kind(part[0], job.pieces);
        let Some(judging) = &mut judging else {
            requests.push(Request {
                id: asked.id.clone(),
                kind: if job.corrects { "correction" } else { kind },
                system: request::system(kind, most, call.focus.as_deref(), typed.name()),
                prompt,
                max_output_tokens: most,
            });
            continue;
        };
        // A piece is worth what it says; the whole, what it takes in the view.
        let mut raw = prompt.len() as u64 / 4;
        if job.last {
            // A summary must fit where it will stand; notes only go to the summarizer.
            most = crate::millionths::ratio(most, work.calibration.slope(estimator.slope()));
            raw = job.raw;
        }
        let measure = Measure { prompt: &prompt, known: &known, typed, raw: raw.max(1), most: (most * 3 / 2).max(64) };
        judging.judge(at, asked, part, &measure, estimator);
    }
    Ok(requests)
}

/// Judges the answers to a plan, and says how to go on.
///
/// # Errors
/// When the host cannot read a message.
pub(crate) fn settle(
    work: &mut Work<'_>,
    view: &View,
    plan: &Plan,
    shape: &Shape,
    answers: &[Answer],
    report: &mut Report,
    host: &mut dyn Host,
) -> Result<Settled, Error> {
    let next = Plan {
        rung: Rung::Summarize,
        action: plan.action.clone(),
        attempt: plan.attempt + 1,
        job: Job { parts: Vec::new(), ..plan.job },
        notes: plan.notes.clone(),
        ..Plan::default()
    };
    let mut judging = Judging { answers, next, reason: None, curable: false };
    ask(work, view, shape, plan, Some(&mut judging), host)?;
    let Judging { mut next, reason, curable, .. } = judging;
    let breaker = &mut work.state.breaker;
    if let Some(reason) = reason {
        let again = curable && !plan.job.corrects;
        let what = if again {
            " It is asked once more."
        } else {
            " A digest made by code takes its place; the next compaction tries again."
        };
        report.warnings.push(Notice {
            code: Warning::SummaryFailed,
            path: Some("summarize".into()),
            advice: text![reason, what],
        });
        report.failed = Some(reason);
        next.job.corrects = again;
        if again {
            return Ok(Settled::Next(Box::new(next)));
        }
        breaker.failures += 1;
        if breaker.failures >= FAILURES {
            *breaker = Breaker { failures: 0, wait: WAIT, ..*breaker };
        }
        return Ok(Settled::Failed);
    }
    next.notes.retain(|notes| !notes.is_empty());
    if next.job.last {
        breaker.failures = 0;
        return Ok(Settled::Summary(next.notes.pop().unwrap_or_default()));
    }
    next.job.corrects = false;
    round(work, shape, &mut next);
    Ok(Settled::Next(Box::new(next)))
}
