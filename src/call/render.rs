//! Renders a view: the host creates the messages that are not its own, and each item of the view gets its message.

use crate::base::error::Error;
use crate::base::text;
use crate::call::checkpoint;
use crate::call::context::Work;
use crate::call::covered;
use crate::ingest::content::Content;
use crate::ingest::host::{Host, Product, Sent};
use crate::model::message::Role;
use crate::session::joined::Joined;
use crate::session::lasting;
use crate::session::own::SentMessage;
use crate::session::state::Rewrite;
use crate::session::view::{Item, Slot, View};

/// What is sent, and what is noted of it.
pub(crate) struct Rendered {
    /// The messages to send.
    pub(crate) view: Vec<Sent>,
    /// The messages that these were made of, in the order in which they are read if they are passed back.
    pub(crate) messages: Vec<SentMessage>,
    /// Those that are sent as one.
    pub(crate) joined: Vec<Joined>,
}

/// Has the host create messages that are not its own, and returns the messages to send. If roles must alternate, messages of
/// the user or of the assistant that became adjacent only by a compaction are merged.
pub(crate) fn render(work: &Work<'_>, view: &mut View, host: &mut dyn Host) -> Result<Rendered, Error> {
    let checkpoint = work.history.active.map(|active| &work.state.checkpoints[active]);
    let has_block = view.has_block();
    let mut sent: Vec<Sending> = Vec::with_capacity(view.items.len());
    // The role and the history index of the previous message, if it has one; `None` if it takes no turn.
    let mut before: Option<(Role, Option<u64>)> = None;
    for item in &mut view.items {
        let made = |text: &str, slot: &str, host: &mut dyn Host| -> Result<Option<Product>, Error> {
            checkpoint
                .map(|checkpoint| {
                    host.summary(text, &checkpoint::message_id(checkpoint.revision, slot), checkpoint.covers.count)
                })
                .transpose()
        };
        match (item.slot, checkpoint) {
            (Slot::Summary, Some(checkpoint)) => {
                item.made = made(&checkpoint.sent(has_block), checkpoint::SUMMARY_SLOT, host)?
            }
            (Slot::Note, Some(checkpoint)) => {
                if let Some(note) = &checkpoint.note {
                    item.made = made(&note.text, checkpoint::NOTE_SLOT, host)?;
                }
            }
            _ => {}
        }
        let own = match item.slot {
            Slot::Host { input, index } => Some((input, index)),
            _ => None,
        };
        let place = match (&item.made, own) {
            (Some(product), _) => Sent::Made(product.number),
            (None, Some((input, _))) => Sent::Input(input),
            (None, None) => continue,
        };
        let message = match (item.record(), own) {
            (Some(copy), Some((input, _))) => {
                let history = &work.history;
                SentMessage::of_copy(&copy, &history.messages[input], history.own(input), history.hash(input))
            }
            (Some(ours), None) => SentMessage::of_ours(&ours),
            (None, Some((input, _))) => {
                let history = &work.history;
                SentMessage::of_host(&history.messages[input], history.own(input), history.hash(input))
            }
            (None, None) => continue,
        };
        let Some(record) = item.record().or(own.map(|(input, _)| work.history.messages[input])) else { continue };
        let role = record.role();
        let index = own.map(|(_, index)| index);
        let turn = Some(role).filter(|role| work.call.strict && matches!(role, Role::User | Role::Assistant));
        // Messages that are adjacent in the history itself are left to the host.
        let apart = before.is_some_and(|(role, before)| {
            Some(role) == turn && (index.is_none() || before.map(|before| before + 1) != index)
        });
        match sent.last_mut().filter(|_| apart) {
            Some(last) => {
                let both = host.merge(last.place, place)?;
                last.place = Sent::Made(both.number);
                last.whole = Some(both);
                last.pieces.push((record.words().to_vec(), message));
            }
            None => {
                sent.push(Sending { place, whole: None, pieces: vec![(Vec::new(), message)] });
                if turn.is_some() {
                    sent.last_mut().iter_mut().for_each(|last| last.pieces[0].0 = record.words().to_vec());
                }
            }
        }
        before = turn.map(|role| (role, index));
    }
    let mut rendered = Rendered::of(sent);
    view.gather(&mut rendered.messages);
    Ok(rendered)
}

/// A message that is about to be sent.
struct Sending {
    place: Sent,
    /// What the host made of the pieces, if there are several.
    whole: Option<Product>,
    /// The record of each, if others may be joined with it, and whose its parts are.
    pieces: Vec<(Vec<u32>, SentMessage)>,
}

impl Rendered {
    fn of(sent: Vec<Sending>) -> Self {
        let mut rendered = Self { view: Vec::with_capacity(sent.len()), messages: Vec::new(), joined: Vec::new() };
        for Sending { place, whole, pieces } in sent {
            rendered.view.push(place);
            let (records, messages): (Vec<_>, Vec<_>) = pieces.into_iter().unzip();
            let whole = whole.as_ref().and_then(Product::record);
            match whole.map(|whole| (whole, Joined::of(&whole, &records))) {
                Some((_, Some(joined))) => {
                    rendered.joined.push(joined);
                    rendered.messages.extend(messages);
                }
                Some((whole, None)) => rendered.messages.push(SentMessage::merged(&whole, &messages)),
                None => rendered.messages.extend(messages),
            }
        }
        rendered
    }
}

/// The literal strings of `mustKeep` that are in the history but not in the view.
///
/// # Errors
///
/// If the host cannot read a message.
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
    let mut quoted = vec![false; all.len()];
    for item in &view.items {
        if let Slot::Repaired { input } = item.slot {
            quoted[input] = true;
        }
    }
    let (mut given, mut sent) = (vec![false; wanted.len()], vec![false; wanted.len()]);
    for (input, content) in host.read(&all)?.into_iter().enumerate() {
        let search = |content: &Content, found: &mut [bool]| {
            for (found, literal) in found.iter_mut().zip(&wanted) {
                *found |= covered::says(content, literal);
            }
        };
        search(&content, &mut given);
        match places[input].map(|at| view.items[at].made.is_some()).or(quoted[input].then_some(false)) {
            Some(true) => {
                let options = &work.call.options;
                search(&lasting::as_sent(&work.history, &work.state, &options.estimator, input, content), &mut sent);
            }
            Some(false) => search(&content, &mut sent),
            None => {}
        }
    }
    let mut lost = given.into_iter().zip(sent).map(|(given, sent)| given && !sent);
    wanted.retain(|_| lost.next() == Some(true));
    Ok(wanted)
}

/// Stores the hashes of the copies that are sent, new or from an earlier view, where they differ from those of the
/// originals.
pub(crate) fn remember_rewrites(work: &mut Work<'_>, view: &View) {
    let mut sent = Vec::new();
    for item in &view.items {
        if let Slot::Host { input, .. } = item.slot {
            let made = item.made.as_ref().and_then(|product| Some(product.record()?.hash()));
            let rewrite = Rewrite {
                made: made.unwrap_or_else(|| work.history.messages[input].hash()),
                from: work.history.hash(input),
            };
            if rewrite.made != rewrite.from {
                sent.push(rewrite);
            }
        }
    }
    work.state.rewrite(sent);
}

/// The first item of a view that is a copy in place of a message.
pub(crate) fn first_edited(view: &View) -> Option<u64> {
    view.items.iter().position(|item| item.made.is_some()).map(|at| at as u64)
}

/// The index of the first item in which two views differ.
pub(crate) fn first_changed(before: &View, after: &View, covered_anew: bool) -> Option<u64> {
    let same = |(left, right): &(&Item, &Item)| match (left.slot, right.slot) {
        (Slot::Host { .. }, Slot::Host { .. }) => {
            left.slot == right.slot
                && left.made.as_ref().map(|product| &product.record)
                    == right.made.as_ref().map(|product| &product.record)
        }
        // Our own messages are created again if something more is covered.
        (left, right) => left == right && !covered_anew,
    };
    let common = before.items.iter().zip(&after.items).take_while(same).count();
    (common < before.items.len().max(after.items.len())).then_some(common as u64)
}
