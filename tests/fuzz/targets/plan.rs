//! Plans: whatever a chat is, deciding and committing end with a legal view; a plan waits as JSON and is the same plan;
//! one that comes late, or was changed, breaks nothing.
#![no_main]

use libfuzzer_sys::{
    arbitrary::{self, Arbitrary},
    fuzz_target,
};
use precis::ladder::plan::Plan;
use precis_fuzz::chat::{Op, Setup};
use precis_fuzz::rules;
use precis_fuzz::support::{json, plain, to_value};
use serde_json::Value;

#[derive(Arbitrary, Debug)]
struct Input {
    setup: Setup,
    ops: Vec<Op>,
    late: Vec<Op>,
    changes: Vec<(Vec<u8>, u64)>,
}

fuzz_target!(|input: Input| {
    let Input { setup, ops, late, changes } = input;
    let mut chat = setup.chat();
    let mut history = Vec::new();
    for op in ops.iter().take(32) {
        op.apply(&mut history, &mut chat);
        if op.asks() && !history.is_empty() {
            let mut twin = chat.clone();
            let prepared = setup.request(&mut chat, &history).unwrap();
            rules::check(&chat, &history, &prepared, true);
            let again = setup.request(&mut twin, &history).unwrap();
            assert_eq!(
                (again.view, twin.state),
                (prepared.view.clone(), chat.state.clone()),
                "another time, other bytes"
            );
            setup.report(&mut chat, &prepared);
        }
    }
    if history.is_empty() {
        return;
    }
    let plan = chat.plan(&history);
    let mut waiting = to_value(&plain(&plan));
    let read = Plan::parse(&json(&waiting)).expect("a plan that does not read back");
    assert_eq!((&read.action, read.rung, &read.requests), (&plan.action, plan.rung, &plan.requests));
    for (path, count) in changes.iter().take(3) {
        set(&mut waiting, path, *count);
    }
    let plan = match Plan::parse(&json(&waiting)) {
        Ok(plan) => plan,
        Err(error) => return assert!(error.path.as_deref().is_some_and(|path| path.starts_with("plan"))),
    };
    late.iter().take(6).for_each(|op| op.apply(&mut history, &mut chat));
    if history.is_empty() {
        return;
    }
    let answers: Vec<_> = chat.requests(&history, &plan).iter().map(|request| setup.answer(request)).collect();
    // Who asked nobody commits without answers.
    let answers = (!answers.is_empty()).then_some(answers);
    let prepared = chat.commit(&history, &plan, answers.as_deref());
    rules::check(&chat, &history, &prepared, changes.is_empty());
});

/// Another number in the place of one.
fn set(value: &mut Value, path: &[u8], count: u64) {
    match (value, path.split_first()) {
        (Value::Object(members), Some((&at, rest))) if !members.is_empty() => {
            let at = usize::from(at) % members.len();
            set(members.values_mut().nth(at).unwrap(), rest, count);
        }
        (Value::Array(items), Some((&at, rest))) if !items.is_empty() => {
            let at = usize::from(at) % items.len();
            set(&mut items[at], rest, count);
        }
        (number @ Value::Number(_), _) => *number = (count & ((1 << 53) - 1)).into(),
        (Value::Bool(flag), _) => *flag = count.is_multiple_of(2),
        _ => {}
    }
}
