//! States: what a chat leaves reads back; what was tampered with is refused by its path, or gives a legal view that is
//! below the limit or said to be infeasible.
#![no_main]

use libfuzzer_sys::{
    arbitrary::{self, Arbitrary},
    fuzz_target,
};
use precis::session::state::SessionState;
use precis_fuzz::chat::{Op, Setup};
use precis_fuzz::rules;
use precis_fuzz::support::{json, plain, to_value};
use precis_fuzz::texts::Tree;
use serde_json::Value;

#[derive(Arbitrary, Debug)]
struct Input {
    setup: Setup,
    before: Vec<Op>,
    changes: Vec<Change>,
    after: Vec<Op>,
}

#[derive(Arbitrary, Debug)]
struct Change {
    /// Which member, all the way down.
    path: Vec<u8>,
    to: To,
}

#[derive(Arbitrary, Debug)]
enum To {
    Value(Tree),
    Count(u64),
    Near(i8),
    Removed,
    Doubled,
    Hash(u64),
    Text(precis_fuzz::texts::Text),
}

fuzz_target!(|input: Input| {
    let Input { setup, before, changes, after } = input;
    let mut chat = setup.chat();
    let mut history = Vec::new();
    for op in before.iter().take(24) {
        op.apply(&mut history, &mut chat);
        if op.asks() && !history.is_empty() {
            let prepared = setup.request(&mut chat, &history).unwrap();
            rules::check(&chat, &history, &prepared, true);
            setup.report(&mut chat, &prepared);
        }
    }
    if history.is_empty() {
        return;
    }
    setup.request(&mut chat, &history).unwrap();
    let mut state = to_value(&chat.state);
    let trusted = changes.is_empty();
    for change in changes.iter().take(4) {
        tamper(&mut state, &change.path, &change.to);
    }
    match SessionState::parse(&json(&state)) {
        Err(error) => {
            let path = error.path.as_deref().unwrap_or_default();
            assert!(path.starts_with("state"), "refused without a path: {path}");
            assert!(error.advice.len() > 20);
            return;
        }
        Ok(read) => {
            assert_eq!(SessionState::parse(&plain(&read)).as_ref(), Ok(&read), "read, written and read again");
            chat.state = plain(&read);
        }
    }
    after.iter().take(8).for_each(|op| op.apply(&mut history, &mut chat));
    if history.is_empty() {
        return;
    }
    for _ in 0..2 {
        let prepared = setup.request(&mut chat, &history).unwrap();
        rules::check(&chat, &history, &prepared, trusted);
        setup.report(&mut chat, &prepared);
    }
});

fn tamper(value: &mut Value, path: &[u8], to: &To) {
    if let Some((&at, rest)) = path.split_first() {
        match value {
            Value::Object(members) if !members.is_empty() => {
                let at = usize::from(at) % members.len();
                let name = members.keys().nth(at).unwrap().clone();
                if rest.is_empty() && matches!(to, To::Removed) {
                    members.remove(&name);
                } else {
                    tamper(members.get_mut(&name).unwrap(), rest, to);
                }
                return;
            }
            Value::Array(items) if !items.is_empty() => {
                let at = usize::from(at) % items.len();
                match to {
                    To::Removed if rest.is_empty() => drop(items.remove(at)),
                    To::Doubled if rest.is_empty() => items.insert(at, items[at].clone()),
                    _ => tamper(&mut items[at], rest, to),
                }
                return;
            }
            _ => {}
        }
    }
    *value = match to {
        To::Value(tree) => tree.value(4),
        To::Count(count) => (count & ((1 << 53) - 1)).into(),
        To::Near(step) => value.as_u64().map_or(Value::Null, |old| old.saturating_add_signed(i64::from(*step)).into()),
        To::Removed | To::Doubled => Value::Null,
        To::Hash(hash) => format!("{hash:016x}").into(),
        To::Text(text) => text.write(20_000).into(),
    };
}
