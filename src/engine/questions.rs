//! The questions of a round: what the summarizer is asked, and what its answers are measured by. The past is read once for both;
//! a caller that asks elsewhere, and commits later, reads it again.

use crate::base::error::Error;
use crate::base::{millionths, sizes};
use crate::call::context::Work;
use crate::call::covered::{self, Material};
use crate::call::input::Call;
use crate::engine::past::Past;
use crate::ingest::content::ContentPart;
use crate::ingest::host::{Host, Sent};
use crate::ladder::Scene;
use crate::ladder::plan::{Asked, Part, Plan};
use crate::ladder::shape::Shape;
use crate::limits::summary_options::Wanted;
use crate::session::view;
use crate::summary::claims::Sources;
use crate::summary::language::Language;
use crate::summary::request::{self, Author, Request, Tongue};
use crate::summary::transcript::{self, TranscriptLine};
use crate::summary::verify::{Answer, Measure};
use core::num::NonZeroU64;

/// The leading instruction messages whose language is detected.
const INSTRUCTIONS: usize = 2;
/// The raw tokens of arguments and results that are worth their price to a summarizer.
const SKIMMED: usize = 8_000;

/// What a round asks.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    asked: Vec<Question>,
    /// Whether the messages that the plan was made for are still there. Otherwise nothing is asked, and answers are measured by
    /// what is left.
    holds: bool,
    language: Language,
    /// Who said what in what the whole summary is made of.
    sources: Option<Sources>,
}

/// A request, and what its answer is measured by.
#[derive(Clone, Debug)]
struct Question {
    request: Request,
    known: String,
    raw: u64,
    most: u64,
}

/// The summarizer's answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered<'a> {
    /// In the order of the requests.
    pub answers: &'a [Answer],
    /// What they answer, if the caller has kept it.
    pub questions: Option<&'a Questions>,
}

impl Questions {
    /// Requests whose answers are not measured.
    pub(crate) fn of(requests: Vec<Request>) -> Self {
        let question = |request| Question { request, known: String::new(), raw: 0, most: 0 };
        Self { asked: requests.into_iter().map(question).collect(), holds: true, ..Self::default() }
    }

    /// The requests. None if the plan can no longer be continued.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.asked.iter().filter(|_| self.holds).map(|question| &question.request)
    }

    /// The request, if there is only one.
    pub(crate) fn only(&mut self) -> Option<&mut Request> {
        if let [question] = &mut self.asked[..] { Some(&mut question.request).filter(|_| self.holds) } else { None }
    }

    /// What requests show of messages, to be put in its place.
    pub(crate) fn shown(&mut self) -> impl Iterator<Item = &mut Sent> {
        self.asked.iter_mut().flat_map(|question| question.request.chat.iter_mut().chain(&mut question.request.append))
    }

    /// What each answer is measured by.
    pub(crate) fn measures(&self) -> impl Iterator<Item = Measure<'_>> {
        self.asked.iter().map(|Question { request, known, raw, most }| Measure {
            prompt: &request.prompt,
            known,
            language: self.language,
            raw: *raw,
            most: *most,
            sources: self.sources.as_ref(),
        })
    }
}

/// Reads the past and writes the questions of a plan.
///
/// # Errors
///
/// If the host cannot read a message.
pub(crate) fn write(
    work: &Work<'_>,
    scene: &Scene<'_>,
    shape: &Shape,
    plan: &Plan,
    host: &mut dyn Host,
) -> Result<Questions, Error> {
    let (call, job) = (work.call, &plan.job);
    let material = covered::material(scene, shape, host)?;
    let language = language(work, &material, host)?;
    let sources = job.last.then(|| sources(&material, call));
    let past = Past::of(material, job, &call.options.estimator);
    let holds = job.merges() || past.pieces() == job.pieces;
    let round = Round { work, plan, past, language };
    let asked = plan.requests.iter().zip(&job.parts).map(|(asked, part)| round.question(asked, *part)).collect();
    Ok(Questions { asked, holds, language, sources })
}

/// What the questions of a round are written from.
struct Round<'a> {
    work: &'a Work<'a>,
    plan: &'a Plan,
    past: Past,
    language: Language,
}

impl Round<'_> {
    fn question(&self, asked: &Asked, part: Part) -> Question {
        let (material, known) = match part.piece {
            Some(piece) => self.piece(piece),
            None => self.notes(part),
        };
        let request = self.request(asked, part, self.prompt(&material));
        let (raw, most) = self.measured_by(&request);
        Question { request, known, raw, most }
    }

    /// The conversation of a piece, and the earlier summaries in the question about it.
    fn piece(&self, piece: NonZeroU64) -> (String, String) {
        let Self { past, .. } = self;
        let options = &self.work.call.options;
        let last = self.plan.job.last;
        let lines = past.asked(sizes::of(piece.get()), last, &options.estimator);
        let room = if options.prices.is_some() { past.room.min(skimmed(&lines)) } else { past.room };
        (request::conversation(&lines, room), self.known())
    }

    /// The notes that a question merges, and all of them as what may be repeated word for word.
    fn notes(&self, part: Part) -> (String, String) {
        let Self { past, plan, .. } = self;
        let estimator = &self.work.call.options.estimator;
        let mut known = self.known();
        let mut lines = Vec::new();
        if plan.job.last && !past.digest.is_empty() {
            lines.push(request::piece(&past.digest, estimator));
        }
        for notes in plan.notes.get(part.from as usize..part.to as usize).unwrap_or_default() {
            known.push_str(notes);
            lines.push(request::piece(notes, estimator));
        }
        (transcript::render(&lines, past.room), known)
    }

    /// The earlier summaries that a question holds.
    fn known(&self) -> String {
        let Past { previous, digest, .. } = &self.past;
        if self.plan.job.last { format!("{previous}{digest}") } else { previous.clone() }
    }

    /// The text of a request: the material between what stands before it and what is to be done with it.
    fn prompt(&self, material: &str) -> String {
        let (call, job) = (self.work.call, &self.plan.job);
        let mut prompt = if job.last { request::previous(&self.past.previous) } else { String::new() };
        prompt.push_str(material);
        prompt.push_str(&request::noted(call.focus.as_ref()));
        if job.last {
            prompt.push_str(&self.todos());
        }
        if job.corrects {
            prompt.push_str(&request::correction(self.plan.spent.failed.as_deref().unwrap_or_default()));
        }
        prompt.push('\n');
        prompt.push_str(request::NOW);
        prompt
    }

    fn todos(&self) -> String {
        request::todo_list(&self.work.call.todos, sizes::of(self.plan.job.budget / 3))
    }

    fn request(&self, asked: &Asked, part: Part, prompt: String) -> Request {
        let (call, job, most) = (self.work.call, &self.plan.job, asked.max_output_tokens);
        let tongue = match &call.options.language {
            Wanted::Named(name) => Tongue::Named(name),
            _ => Tongue::Theirs(self.language.name()),
        };
        let kind = kind(part.piece, job.asked());
        let appends = call.options.appends && kind == "summary" && !job.corrects;
        let appended = || request::appended(most, call.focus.as_ref(), tongue, &call.options.prompt, &self.todos());
        Request {
            id: asked.id.clone(),
            kind: if job.corrects { "correction" } else { kind },
            system: request::system(kind, most, call.focus.as_ref(), tongue, &call.options.prompt),
            prompt,
            max_output_tokens: most,
            appended: if appends { appended() } else { String::new() },
            ..Request::default()
        }
    }

    /// The raw tokens that the answer to a request is compared with, and those that it may have.
    fn measured_by(&self, request: &Request) -> (u64, u64) {
        let (mut raw, mut most) = (request.prompt.len() as u64 / 4, request.max_output_tokens);
        // Notes are only passed to the summarizer, and compared with the size of their prompt. A summary must fit into the
        // view, and is compared with what it replaces there.
        if self.plan.job.last {
            let slope = self.work.call.options.estimator.slope();
            most = millionths::ratio(most, self.work.calibration.slope(slope));
            raw = self.plan.job.raw;
        }
        (raw.max(1), (most * 3 / 2).max(64))
    }
}

/// The language that a summary may be written in.
fn language(work: &Work<'_>, material: &Material, host: &mut dyn Host) -> Result<Language, Error> {
    Ok(match &work.call.options.language {
        Wanted::Theirs => {
            let instructions = host.read(&(0..view::leading(&work.history).min(INSTRUCTIONS)).collect::<Vec<_>>())?;
            Language::of(&material.messages, &instructions)
        }
        Wanted::Named(name) => Language::named(name),
        Wanted::Any => Language::default(),
    })
}

/// The kind of a request about a piece, by how many are requested. Without a piece it merges notes.
pub(crate) fn kind(piece: Option<NonZeroU64>, asked: u64) -> &'static str {
    match piece {
        None => "merge",
        _ if asked == 1 => "summary",
        _ => "chunk",
    }
}

/// Who said what in the material of a summary. What an earlier summary says was judged when it was written.
fn sources(material: &Material, call: &Call) -> Sources {
    let mut sources = Sources::default();
    if let Some(focus) = &call.focus {
        sources.add(&focus.text, focus.by == Author::User);
    }
    for todo in &call.todos {
        sources.add(&todo.content, false);
    }
    sources.add(material.previous.as_deref().unwrap_or_default(), true);
    for (message, typed) in &material.messages {
        for part in &message.parts {
            match part {
                ContentPart::Text { text, .. } => sources.add(text, *typed),
                ContentPart::Call { input, .. } => sources.add(&input.to_text(), false),
                ContentPart::Document { text, .. } => sources.add(text, false),
                ContentPart::Result { output, .. } => sources.add(&output.to_text(), false),
                _ => {}
            }
        }
    }
    sources.sort();
    sources
}

/// The raw tokens of lines if of their arguments and results only so much is read. A summarizer reads at the full price
/// what costs a tenth in the view, and code remembers their names anyway.
fn skimmed(lines: &[TranscriptLine]) -> usize {
    lines.iter().map(TranscriptLine::least).sum::<usize>() + SKIMMED
}
