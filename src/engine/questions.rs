//! The questions of a round: what the summarizer is asked, and what its answers are measured by. The past is read once for both;
//! a caller that asks elsewhere, and commits later, reads it again.

use crate::base::error::Error;
use crate::base::{millionths, sizes};
use crate::call::checkpoint::{self, Material};
use crate::call::context::Work;
use crate::call::input::Call;
use crate::engine::past::Past;
use crate::ingest::content::ContentPart;
use crate::ingest::host::{Host, Sent};
use crate::ladder::plan::Plan;
use crate::ladder::shape::Shape;
use crate::limits::summary_options::Wanted;
use crate::session::view::{self, View};
use crate::summary::claims::Sources;
use crate::summary::language::Language;
use crate::summary::request::{self, Author, Request, Tongue};
use crate::summary::transcript::{self, Line};
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
pub(crate) fn ask(
    work: &Work<'_>,
    view: &View,
    shape: &Shape,
    plan: &Plan,
    host: &mut dyn Host,
) -> Result<Questions, Error> {
    let (call, job) = (work.call, &plan.job);
    let estimator = &call.options.estimator;
    let material = checkpoint::material(&work.scene(view), shape, host)?;
    let language = match &call.options.language {
        Wanted::Theirs => {
            let instructions = host.read(&(0..view::leading(&work.history).min(INSTRUCTIONS)).collect::<Vec<_>>())?;
            Language::of(&material.messages, &instructions)
        }
        Wanted::Named(name) => Language::named(name),
        Wanted::Any => Language::default(),
    };
    let tongue = match &call.options.language {
        Wanted::Named(name) => Tongue::Named(name),
        _ => Tongue::Theirs(language.name()),
    };
    let sources = job.last.then(|| sources(&material, call));
    let past = Past::of(material, job, estimator);
    let holds = job.merges() || past.pieces() == job.pieces;
    let mut questions = Questions { asked: Vec::new(), holds, language, sources };
    for (at, asked) in plan.requests.iter().enumerate() {
        let Some(part) = job.parts.get(at) else { break };
        let mut prompt = if job.last { request::previous(&past.previous) } else { String::new() };
        let mut known = past.previous.clone();
        if job.last {
            known.push_str(&past.digest);
        }
        if let Some(piece) = part.piece {
            let lines = past.asked(sizes::of(piece.get()), job.last, estimator);
            let room = if call.options.prices.is_some() { past.room.min(skimmed(&lines)) } else { past.room };
            prompt.push_str(&request::conversation(&lines, room));
        } else {
            let mut lines = Vec::new();
            if job.last && !past.digest.is_empty() {
                lines.push(request::piece(&past.digest, estimator));
            }
            for notes in plan.notes.get(part.from as usize..part.to as usize).unwrap_or_default() {
                // Merged notes may repeat their sources word for word.
                known.push_str(notes);
                lines.push(request::piece(notes, estimator));
            }
            prompt.push_str(&transcript::render(&lines, past.room));
        }
        prompt.push_str(&request::noted(call.focus.as_ref()));
        if job.last {
            prompt.push_str(&request::todo_list(&call.todos, sizes::of(job.budget / 3)));
        }
        if job.corrects {
            prompt.push_str(&request::correction(plan.spent.failed.as_deref().unwrap_or_default()));
        }
        prompt.push('\n');
        prompt.push_str(request::NOW);
        let mut most = asked.max_output_tokens;
        let kind = kind(part.piece, job.asked());
        let request = Request {
            id: asked.id.clone(),
            kind: if job.corrects { "correction" } else { kind },
            system: request::system(kind, most, call.focus.as_ref(), tongue, &call.options.prompt),
            prompt,
            max_output_tokens: most,
            appended: if call.options.appends && kind == "summary" && !job.corrects {
                let todos = request::todo_list(&call.todos, sizes::of(job.budget / 3));
                request::appended(most, call.focus.as_ref(), tongue, &call.options.prompt, &todos)
            } else {
                String::new()
            },
            ..Request::default()
        };
        // Notes are compared with the size of their prompt, a summary with what it replaces in the view.
        let mut raw = request.prompt.len() as u64 / 4;
        if job.last {
            // A summary must fit into the view. Notes are only passed to the summarizer.
            most = millionths::ratio(most, work.calibration.slope(estimator.slope()));
            raw = job.raw;
        }
        questions.asked.push(Question { request, known, raw: raw.max(1), most: (most * 3 / 2).max(64) });
    }
    Ok(questions)
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
fn skimmed(lines: &[Line]) -> usize {
    lines.iter().map(Line::least).sum::<usize>() + SKIMMED
}
