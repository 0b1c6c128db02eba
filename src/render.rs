//! What is sent: the host makes what is not its own, and every place of the view gets its message.

use crate::compose;
use crate::content::Content;
use crate::error::Error;
use crate::host::{Host, Product};
use crate::prelude::*;
use crate::text;
use crate::view::{self, Item, Slot, View};
use crate::work::Work;

/// A place in what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The host's own message.
    Input(usize),
    /// The message the host made in this call under this number.
    Made(u32),
}

/// Has the host make what is not its own, and says what to send.
pub(crate) fn render(work: &Work<'_>, view: &mut View, host: &mut dyn Host) -> Result<Vec<Sent>, Error> {
    let checkpoint = work.history.active.map(|active| &work.state.checkpoints[active]);
    let mut sent = Vec::with_capacity(view.items.len());
    for item in &mut view.items {
        let made = |text: &str, slot: &str, host: &mut dyn Host| -> Result<Option<Product>, Error> {
            checkpoint
                .map(|checkpoint| {
                    host.summary(text, &compose::message_id(checkpoint.revision, slot), checkpoint.covers.count)
                })
                .transpose()
        };
        match (item.slot, checkpoint) {
            (Slot::Summary, Some(checkpoint)) => {
                item.made = made(&checkpoint.summary.text, compose::SUMMARY_SLOT, host)?
            }
            (Slot::Note, Some(checkpoint)) => {
                if let Some(note) = &checkpoint.note {
                    item.made = made(&note.text, compose::NOTE_SLOT, host)?;
                }
            }
            _ => {}
        }
        match (&item.made, item.slot) {
            (Some(product), _) => sent.push(Sent::Made(product.number)),
            (None, Slot::Host { input, .. }) => sent.push(Sent::Input(input)),
            (None, _) => {}
        }
    }
    Ok(sent)
}

/// Literal strings that must stay, stand in the history that was given, and do not stand in the view.
///
/// # Errors
/// When the host cannot read a message.
pub(crate) fn lacking<'w>(work: &'w Work<'_>, view: &View, host: &mut dyn Host) -> Result<Vec<&'w str>, Error> {
    let mut wanted: Vec<&str> =
        work.call.must_keep.iter().map(String::as_str).filter(|literal| !literal.is_empty()).collect();
    if wanted.is_empty() || view.is_input(&work.history) {
        return Ok(Vec::new());
    }
    if let Some(checkpoint) = work.history.active.map(|active| &work.state.checkpoints[active]) {
        let note = checkpoint.note.as_ref().map_or("", |note| &note.text);
        wanted
            .retain(|literal| [&checkpoint.summary.text, note].iter().all(|text| text::find(text, literal).is_none()));
    }
    if wanted.is_empty() {
        return Ok(wanted);
    }
    let all: Vec<usize> = (0..work.history.messages.len()).collect();
    let places = view.places(all.len());
    let (mut given, mut sent) = (vec![false; wanted.len()], vec![false; wanted.len()]);
    for (input, content) in host.read(&all)?.into_iter().enumerate() {
        let look = |content: &Content, found: &mut [bool]| {
            for (found, literal) in found.iter_mut().zip(&wanted) {
                *found |= compose::says(content, literal);
            }
        };
        look(&content, &mut given);
        match places[input].map(|at| view.items[at].made.is_some()) {
            Some(true) => {
                let options = &work.call.options;
                look(&view::as_sent(&work.history, &work.state, &options.estimator, input, content), &mut sent);
            }
            Some(false) => look(&content, &mut sent),
            None => {}
        }
    }
    let mut lost = given.into_iter().zip(sent).map(|(given, sent)| given && !sent);
    wanted.retain(|_| lost.next() == Some(true));
    Ok(wanted)
}

/// Notes the hashes of edited messages whose content hash differs from the original's.
pub(crate) fn remember_rewrites(work: &mut Work<'_>, view: &View) {
    for item in &view.items {
        if let (Some(product), Slot::Host { input, .. }) = (&item.made, item.slot)
            && let Some(made) = product.digest()
        {
            work.state.rewrite(made.hash(), work.history.hash(input));
        }
    }
}

/// The first place where two views differ.
pub(crate) fn first_changed(before: &View, after: &View, covered_anew: bool) -> Option<u64> {
    let same = |(left, right): &(&Item, &Item)| match (left.slot, right.slot) {
        (Slot::Host { .. }, Slot::Host { .. }) => {
            left.slot == right.slot
                && left.made.as_ref().map(|product| &product.record)
                    == right.made.as_ref().map(|product| &product.record)
        }
        // Messages of ours are made anew when something is covered anew.
        (left, right) => left == right && !covered_anew,
    };
    let common = before.items.iter().zip(&after.items).take_while(same).count();
    (common < before.items.len().max(after.items.len())).then_some(common as u64)
}
