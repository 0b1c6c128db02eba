//! Faults that the history itself brought, mended in the view (`tune.repair`). The host's messages stay as they are.

use crate::content::ContentPart;
use crate::error::Error;
use crate::host::Host;
use crate::markers;
use crate::message::{PartKind, Role};
use crate::pairs::{self, Violation};
use crate::prelude::*;
use crate::view::{self, Item, Slot, View};
use crate::work::Work;

/// What stands for a result that was never recorded.
const NO_RESULT: &str = "No result of this call was recorded.";

/// Mends what the checker finds, message by message: a result whose call comes later follows it, one without a call
/// becomes a text, one given twice goes; a call without a result gets one that says so; empty messages go. A result that
/// shares its message with sound parts is left as it is.
///
/// # Errors
/// When the host cannot read or make a message.
pub(crate) fn mend(work: &Work<'_>, view: &mut View, host: &mut dyn Host) -> Result<(), Error> {
    let history = &work.history;
    let hosts: Vec<usize> =
        (0..view.items.len()).filter(|&at| matches!(view.items[at].slot, Slot::Host { .. })).collect();
    let found = pairs::check(&view.digests(history));
    if found.is_empty() {
        return Ok(());
    }
    let mut faults: Vec<(usize, Violation)> = Vec::with_capacity(found.len());
    for fault in found {
        let Some(&at) = hosts.get(fault.index) else { continue };
        // They come nearly in order; a sort from the library is 3 kB of code.
        let place = faults.partition_point(|earlier| earlier.0 <= at);
        faults.insert(place, (at, fault));
    }
    let last = hosts.last().copied();
    let mut out: Vec<Item> = Vec::with_capacity(view.items.len() + faults.len());
    // Results that wait for their calls, and texts that wait for the end of the results around them.
    let (mut early, mut texts): (Vec<(u64, Item)>, Vec<Item>) = (Vec::new(), Vec::new());
    let mut unanswered: Vec<(usize, u64)> = Vec::new();
    let mut rest = faults.as_slice();
    let mut batch = false;
    for (at, item) in core::mem::take(&mut view.items).into_iter().enumerate() {
        let count = rest.iter().take_while(|fault| fault.0 == at).count();
        let (own, later) = rest.split_at(count);
        rest = later;
        let Slot::Host { input, .. } = item.slot else {
            answer(work, &mut unanswered, &mut early, &mut out, host)?;
            out.append(&mut texts);
            out.push(item);
            continue;
        };
        let message = item.digest().unwrap_or(history.messages[input]);
        let (role, has_result, has_call) = (message.role(), message.has(PartKind::Result), message.has(PartKind::Call));
        let is = |rule: &'static str| own.iter().filter(move |fault| fault.1.rule == rule);
        if is("empty-content").next().is_some() && Some(at) != last {
            continue;
        }
        let lost = is("orphan-result").count();
        if has_result && message.len() == lost + is("duplicate-result").count() {
            let subject = is("orphan-result").next().map(|fault| fault.1.subject);
            let awaited =
                later.iter().any(|fault| fault.1.rule == "unanswered-call" && Some(fault.1.subject) == subject);
            match subject {
                Some(subject) if awaited && message.len() == 1 => early.push((subject, item)),
                Some(_) => texts.push(told(work, &item, input, host)?),
                None => {}
            }
            continue;
        }
        // Calls of one batch may come as several messages in a row; what else comes ends the wait for results.
        let calls = role == Role::Assistant && has_call;
        if !(calls && batch && texts.is_empty()) {
            answer(work, &mut unanswered, &mut early, &mut out, host)?;
        }
        if !has_result && role != Role::Tool {
            out.append(&mut texts);
        }
        batch = calls;
        unanswered.extend(is("unanswered-call").map(|fault| (input, fault.1.subject)));
        out.push(item);
    }
    answer(work, &mut unanswered, &mut early, &mut out, host)?;
    out.extend(early.into_iter().map(|early| early.1));
    out.append(&mut texts);
    view.items = out;
    Ok(())
}

/// Gives each call without a result one: its own that came too early, or one that says that there is none.
fn answer(
    work: &Work<'_>,
    unanswered: &mut Vec<(usize, u64)>,
    early: &mut Vec<(u64, Item)>,
    out: &mut Vec<Item>,
    host: &mut dyn Host,
) -> Result<(), Error> {
    for (input, subject) in core::mem::take(unanswered) {
        if let Some(at) = early.iter().position(|early| early.0 == subject) {
            out.push(early.remove(at).1);
            continue;
        }
        let calls = work.history.messages[input].parts().filter(|part| part.kind == PartKind::Call);
        let Some(number) = calls.into_iter().position(|part| part.id == subject) else { continue };
        let content = host.read(&[input])?;
        let mut parts = content.iter().flat_map(|content| &content.parts).filter_map(|part| match part {
            ContentPart::Call { id, name, .. } => Some((id, name)),
            _ => None,
        });
        if let Some((id, name)) = parts.nth(number)
            && let Some(product) = host.result(id, name, NO_RESULT)?
        {
            let tokens = product.digest().map_or(0, |digest| digest.tokens());
            out.push(Item { slot: Slot::Mended { input }, tokens, made: Some(product), fixed: false });
        }
    }
    Ok(())
}

/// Results without their calls, as a text.
fn told(work: &Work<'_>, item: &Item, input: usize, host: &mut dyn Host) -> Result<Item, Error> {
    let mut text = format!("{}this is the result of a tool call that is not in this history.]", markers::NOTICE);
    for mut content in host.read(&[input])? {
        if item.made.is_some() {
            content = view::as_sent(&work.history, &work.state, &work.call.options.estimator, input, content);
        }
        for part in &content.parts {
            if let ContentPart::Result { output, .. } = part {
                text.push('\n');
                text.push_str(&output.to_text());
            }
        }
    }
    let product = host.summary(&text, &format!("precis-result-{:016x}", work.history.hash(input)), 0)?;
    let tokens = product.digest().map_or(0, |digest| digest.tokens());
    Ok(Item { slot: Slot::Mended { input }, tokens, made: Some(product), fixed: item.fixed })
}
