//! The chat that a whole summary stands for, as it is sent: providers that summarize by their own means are given it,
//! and so is a summarizer that is the chat's own model (`summaryRequest: "append"`), with one message behind it that asks
//! for the summary. Both begin with the very bytes of the last request, which the provider has cached.
//!
//! The message is appended where the request fits into the window with the reply, where the tools are known if the chat
//! calls any, and where the provider takes a message of the user in this place. Elsewhere the ordinary request is made.

use crate::base::error::Error;
use crate::call::checkpoint;
use crate::call::context::Work;
use crate::call::render::render;
use crate::ingest::host::{Host, Product, Sent};
use crate::ladder::Scene;
use crate::ladder::shape::Shape;
use crate::model::message::{PartKind, Role};
use crate::session::view::{Slot, View};
use crate::summary::request::Request;

/// Adds to a request for a whole summary the chat that it stands for, and what to send behind it.
///
/// # Errors
///
/// If the host cannot create a message.
pub(crate) fn add(
    work: &Work<'_>,
    scene: &Scene<'_>,
    shape: &Shape,
    request: &mut Request,
    host: &mut dyn Host,
) -> Result<(), Error> {
    let view = scene.view;
    let stays = |slot: Slot| matches!(slot, Slot::Host { index, .. } if index >= shape.covers.count);
    let Some(end) = view.items.iter().position(|item| stays(item.slot)).filter(|&end| end > 0) else { return Ok(()) };
    let mut covered = View { items: view.items[..end].to_vec(), before: view.before };
    request.chat = render(work, &mut covered, host)?.view;
    if request.appended.is_empty() {
        return Ok(());
    }
    let id = checkpoint::message_id(work.state.revision + 1, ASKED_SLOT);
    let asked = host.summary(&request.appended, &id, shape.covers.count)?;
    if fits(work, scene, &covered, &asked, request.max_output_tokens) {
        request.append = behind(work, &covered, &request.chat, &asked, host)?;
    }
    Ok(())
}

/// Distinguishes the message that asks for a summary from the others of its revision.
const ASKED_SLOT: &str = "request";

/// Whether the request fits into the window, with the tools that its calls need.
fn fits(work: &Work<'_>, scene: &Scene<'_>, covered: &View, asked: &Product, reply: u64) -> bool {
    let calls = covered.records(&work.history).iter().any(|message| message.has(PartKind::Call));
    if calls && work.call.beside_hashes[1].is_none() {
        return false;
    }
    let estimate = scene.estimate(covered.raw() + asked.record().map_or(0, |record| record.tokens()));
    let hard = scene.limits.window.hard;
    let window = work.call.options.summarizer.window.map_or(hard, |own| own.min(hard));
    estimate.tokens + estimate.bound + reply < window
}

/// The chat with the message behind it; nothing where no message of the user may stand there.
fn behind(
    work: &Work<'_>,
    covered: &View,
    chat: &[Sent],
    asked: &Product,
    host: &mut dyn Host,
) -> Result<Vec<Sent>, Error> {
    let newest = covered.records(&work.history).last().map(|message| message.role());
    let mut all = chat.to_vec();
    match newest.filter(|_| work.call.strict) {
        Some(Role::Tool) => return Ok(Vec::new()),
        Some(Role::User) => {
            if let Some(last) = all.last_mut() {
                *last = Sent::Made(host.merge(*last, Sent::Made(asked.number))?.number);
            }
        }
        _ => all.push(Sent::Made(asked.number)),
    }
    Ok(all)
}
