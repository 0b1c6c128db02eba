//! What must hold of every view, said without the engine's words for it.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::Prepared;
use crate::support::plain;
use crate::support::records;
use precis::base::json::Json;
use precis::base::markers::NOTICE;
use precis::model::message::Role;
use precis::report::Outcome;
use precis::session::state::SessionState;

/// Checks a request's view and state. `trusted`: the state was never tampered with.
pub fn check(chat: &Chat, history: &[M], prepared: &Prepared, trusted: bool) {
    let Prepared { view, committed } = prepared;
    legal(view, history);
    newest(view, history);
    below(prepared);
    if trusted {
        nothing_lost(history, prepared);
        let told = committed.report.after.raw;
        let sent = chat.call(history).unwrap().beside() + weigh(view, &chat.estimator());
        // Of two messages that are sent as one the second's overhead is told as well.
        let merged = chat.more["strict"] == true && (sent..=sent + 64).contains(&told);
        assert!(!pairs_of(history).is_empty() || told == sent || merged, "{told} raw tokens are told, {sent} are sent");
    }
    let state = plain(&committed.state);
    assert_eq!(SessionState::parse(&state).as_ref(), Ok(&committed.state), "the state does not read back");
    let bytes = bytes_of(&state);
    assert!(!trusted || bytes <= 64_000, "a state of {bytes} bytes");
}

/// About how much a store keeps. What JSON escapes counts once: a text of control characters is six times its size there.
fn bytes_of(value: &Json) -> usize {
    match value {
        Json::Text(text) => text.len() + 2,
        Json::List(items) => items.iter().map(|item| bytes_of(item) + 1).sum(),
        Json::Object(members) => members.iter().map(|(name, item)| name.len() + bytes_of(item) + 4).sum(),
        _ => 16,
    }
}

/// The newest message ends the view, and the newest request of a person is in it, cut at worst.
fn newest(view: &[M], history: &[M]) {
    if let Some(newest) = history.last().filter(|newest| !is_faulty(newest, &pairs_of(history))) {
        // Texts that quote results without their call come behind all results around them, as one message where roles alternate.
        let is_quote = |part: &P| matches!(part, P::Text(text) if text.starts_with(NOTICE));
        let quotes = |sent: &&M| !sent.parts.is_empty() && sent.parts.iter().all(is_quote);
        let answers = newest.parts.iter().any(|part| matches!(part, P::Result { .. }));
        let behind = if answers { view.iter().rev().take_while(quotes).count() } else { 0 };
        let last = view[..view.len() - behind].last().expect("an empty view");
        assert!(
            is_copy(last, newest) || joined(last, newest),
            "the newest message is not the last: {last:?} for {newest:?}"
        );
    }
    if let Some(typed) = history.iter().rev().find(|message| is_typed(message)) {
        assert!(
            view.iter().any(|sent| is_copy(sent, typed) || joined(sent, typed)),
            "the active request is gone: {typed:?}"
        );
    }
}

/// Below the limits, or the report says why not.
fn below(prepared: &Prepared) {
    let report = &prepared.committed.report;
    let after = report.after;
    match report.outcome {
        Outcome::Infeasible => assert!(!report.reason.is_empty()),
        Outcome::Tight => assert!(after.tokens < after.window, "{after:?}"),
        _ => assert!(after.tokens + after.bound < after.trigger, "{:?}: {after:?}", report.outcome),
    }
}

/// What is not covered is in the view, in its order, at its end.
fn nothing_lost(history: &[M], prepared: &Prepared) {
    let covers = prepared.committed.state.checkpoints.last().map_or(0, |newest| newest.covers.count as usize);
    assert!(covers <= history.len(), "more is covered than there is");
    let faults = pairs_of(history);
    let view = &prepared.view;
    let mut from = 0;
    for message in history[covers..].iter().filter(|message| !is_faulty(message, &faults)) {
        let found = (from..view.len()).find(|&at| is_copy(&view[at], message) || joined(&view[at], message));
        let at = found.unwrap_or_else(|| panic!("not covered and not sent: {message:?}"));
        // The next one may have been merged with it.
        from = if is_copy(&view[at], message) { at + 1 } else { at };
    }
}

/// Whether a message has a part that is repaired, so that the view may say it in another way or not at all.
fn is_faulty(message: &M, faults: &[String]) -> bool {
    let empty = |part: &P| matches!(part, P::Text(text) if text.trim().is_empty());
    message.parts.iter().all(empty)
        || message.parts.iter().any(|part| match part {
            P::Call { id, .. } | P::Result { id, .. } => faults.iter().any(|fault| fault.ends_with(id.as_str())),
            _ => false,
        })
}

/// A message that was merged with its neighbour.
fn joined(sent: &M, message: &M) -> bool {
    sent.role == message.role
        && sent.parts.len() > message.parts.len()
        && message.parts.iter().all(|part| sent.parts.iter().any(|other| part_is_copy(other, part)))
}

/// What a person wrote, whatever it says: a text that begins like one of ours is theirs all the same.
fn is_typed(message: &M) -> bool {
    let result = message.parts.iter().any(|part| matches!(part, P::Result { .. }));
    let says = message.parts.iter().any(|part| !matches!(part, P::Text(text) if text.trim().is_empty()));
    message.role == Role::User && !result && says
}

/// Whether `sent` is `message`, or a copy of it that says where something was cut.
pub fn is_copy(sent: &M, message: &M) -> bool {
    if sent == message {
        return true;
    }
    // What was inside a result goes with it.
    let inside = |part: &&P| !matches!(part, P::Media { .. }) || message.role != Role::Tool;
    let whole = sent.parts.len() == message.parts.len();
    let parts: Vec<&P> = message.parts.iter().filter(|part| whole || inside(part)).collect();
    sent.role == message.role
        && sent.parts.len() == parts.len()
        && sent.parts.iter().zip(parts).all(|(sent, part)| part_is_copy(sent, part))
}

/// Whether a text says that something was left out of it. In JSON a member may say it; of encoded data another line does.
fn says_cut(text: &str) -> bool {
    text.contains(NOTICE) || text.contains("\"[precis]\":") || text.contains("[Here was ")
}

/// JSON that is only written more tightly says the same, so it needs no notice.
fn is_same_json(text: &str, of: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    read(of).is_some_and(|value| read(text) == Some(value))
}

fn part_is_copy(sent: &P, part: &P) -> bool {
    match (sent, part) {
        (sent, part) if sent == part => true,
        (P::Text(cut), P::Text(text)) => says_cut(cut) || is_same_json(cut, text),
        (P::Text(line), P::Media { .. }) => line.starts_with("[Here was "),
        (P::Call { id, name, input }, P::Call { id: of, name: named, .. }) => {
            id == of && name == named && says_cut(&input.to_string())
        }
        (P::Result { id, output, failed }, P::Result { id: of, output: whole, failed: was }) => {
            let whole = whole.as_str().map_or_else(|| whole.to_string(), str::to_owned);
            let is_cut = |output: &str| says_cut(output) || is_same_json(output, &whole);
            id == of && failed == was && output.as_str().is_some_and(is_cut)
        }
        _ => false,
    }
}

/// A call or result that has no partner where a provider looks for it, by id; and messages without content.
fn pairs_of(messages: &[M]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut answered: Vec<&str> = Vec::new();
    let mut calling = false;
    for message in messages {
        let empty = |part: &P| matches!(part, P::Text(text) if text.trim().is_empty());
        if message.parts.iter().all(empty) {
            faults.push("empty".to_owned());
        }
        let answers = message.role == Role::Tool || message.parts.iter().any(|part| matches!(part, P::Result { .. }));
        let calls = message.parts.iter().any(|part| matches!(part, P::Call { .. }));
        // Calls of one batch may come as several messages of the assistant in a row.
        let goes_on = calls && message.role == Role::Assistant && calling;
        calling = calls && message.role == Role::Assistant;
        if !answers && !goes_on {
            faults.extend(open.drain(..).map(|id| format!("open {id}")));
            answered.clear();
        }
        for part in &message.parts {
            match part {
                P::Call { id, .. } if open.contains(&id.as_str()) => faults.push(format!("open {id}")),
                P::Call { id, .. } => {
                    answered.retain(|other| other != id);
                    open.push(id);
                }
                P::Result { id, .. } => match open.iter().position(|other| other == id) {
                    Some(at) => answered.push(open.remove(at)),
                    None => faults.push(format!("orphan {id}")),
                },
                _ => {}
            }
        }
    }
    // Only the newest calls may wait.
    faults
}

/// A view has no fault that its history does not have.
fn legal(view: &[M], history: &[M]) {
    let known = pairs_of(history);
    for fault in pairs_of(view) {
        // A call answered twice, or used twice, leaves its second half behind when the first is covered.
        let id = fault.split(' ').next_back().unwrap_or_default();
        assert!(known.iter().any(|other| other.ends_with(id)), "{fault} in the view: {view:#?}");
    }
}

/// Raw tokens of messages; results are charged with the name of their tool by the estimator that does so.
fn weigh(messages: &[M], estimator: &str) -> u64 {
    use precis::model::message::MessageRecord;
    let records = records(messages, estimator);
    let mut charged = 0;
    if precis::tokens::Estimator::parse(estimator).unwrap().charges_result_name() {
        let mut names: Vec<(&str, usize, bool)> = Vec::new();
        for part in messages.iter().flat_map(|message| &message.parts) {
            match part {
                P::Call { id, name, .. } => names.push((id, name.len(), true)),
                P::Result { id, .. } => {
                    let named = names.iter().rposition(|known| known.0 == id && known.2);
                    let named = named.or_else(|| names.iter().rposition(|known| known.0 == id));
                    // Where ids say nothing, a call that waits.
                    if let Some(at) = named.or_else(|| names.iter().rposition(|known| known.2)) {
                        names[at].2 = false;
                        charged += names[at].1 / 4;
                    }
                }
                _ => {}
            }
        }
    }
    MessageRecord::split(&records).unwrap().iter().map(MessageRecord::tokens).sum::<u64>() + charged as u64
}
