//! A state is bound to what tools returned as it is to what people and models wrote.

use crate::support::Chat;
use crate::support::M;
use crate::support::answer;
use crate::support::call;
use crate::support::filler;
use crate::support::recorded;
use crate::support::result;
use crate::support::to_value;
use crate::support::user;
use precis::engine;
use precis::report::Report;
use precis::session::compaction::Kind;
use precis::summary::request::Request;
use precis::summary::verify::Answer;
use proptest::prelude::*;
use serde_json::json;

fn chat() -> Chat {
    Chat::new(json!({
        "contextWindow": 3_000, "maxOutputTokens": 200, "summarize": true,
        "tune": { "tokens": { "estimator": "bytes4" } }
    }))
}

/// The same questions and the same calls, whoever asks; what the tool returns is the tenant's.
fn history(outputs: &[String]) -> Vec<M> {
    let step = |(at, output): (usize, &String)| {
        let asked = user(&format!("What is in account {at}?"));
        [asked, call("call_0", "read", json!({ "account": at })), result("call_0", output)]
    };
    let mut all: Vec<M> = outputs.iter().enumerate().flat_map(step).collect();
    all.push(user("And now?"));
    all
}

fn outputs(tenant: &str, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("owner: {tenant}-{at:04}@mail.example, {}", filler(700))).collect()
}

/// A summary that quotes what the summarizer was given.
fn quoting(request: &Request) -> Answer {
    let names: Vec<&str> = request.prompt.split([' ', ',', '\n']).filter(|word| word.contains('@')).collect();
    answer(&format!("The accounts belong to {}. The work goes on.", names.join(" and ")))
}

fn warns(report: &Report) -> bool {
    report.warnings.iter().any(|one| one.code.as_str() == "outputs-changed")
}

#[test]
fn a_state_of_another_tenant_who_asked_the_same_is_refused() {
    for by_model in [false, true] {
        let mut chat = chat();
        let mut write = |request: &Request| quoting(request);
        let of_a = history(&outputs("alice", 12));
        let prepared = chat.before_model(&of_a, by_model.then_some(&mut write as _)).unwrap();
        assert!(format!("{:?}", prepared.view[0]).contains("alice"), "something of A stands in the state");
        let of_b = history(&outputs("bob", 12));
        let prepared = chat.before_model(&of_b, None).unwrap();
        let report = &prepared.committed.report;
        assert!(report.diverged.as_ref().is_some_and(|diverged| diverged.reason.contains("another chat")));
        assert!(!warns(report));
        assert!(!format!("{:?}", prepared.view).contains("alice"), "B's view has a name of A");
        assert!(!to_value(&chat.state).to_string().contains("alice"), "B's state has a name of A");
    }
}

#[test]
fn a_result_that_was_redacted_is_in_no_view_and_in_no_state() {
    for by_model in [false, true] {
        let mut chat = chat();
        let mut write = |request: &Request| quoting(request);
        let mut all = outputs("alice", 12);
        chat.before_model(&history(&all), by_model.then_some(&mut write as _)).unwrap();
        let before = chat.session();
        assert_eq!(before.checkpoints[0].kind == Kind::Summary, by_model);
        assert!(to_value(&chat.state).to_string().contains("alice-0002"));
        all[2] = all[2].replace("alice-0002", "[redacted]");
        let mut asked = Vec::new();
        let prepared = chat.before_model(&history(&all), Some(&mut recorded(&mut asked, quoting))).unwrap();
        let report = &prepared.committed.report;
        assert!(warns(report) && report.diverged.is_none(), "{:?}", report.diverged);
        assert!(!format!("{:?}", prepared.view).contains("alice-0002"));
        let state = to_value(&chat.state).to_string();
        assert!(!state.contains("alice-0002") && state.contains("alice-0003"));
        assert!(chat.session().revision > before.revision);
        // It is the same place at which the past is cut, so what follows stays as it was.
        assert_eq!(chat.session().checkpoints.last().unwrap().covers, before.checkpoints.last().unwrap().covers);
        // From then on it is settled.
        let again = chat.before_model(&history(&all), Some(&mut write)).unwrap();
        assert_eq!(again.view, prepared.view);
        assert!(!warns(&again.committed.report));
        assert_eq!(asked.len(), 0, "nobody is asked for it");
    }
}

#[test]
fn a_host_that_shortens_old_results_does_not_pay_a_model_for_it() {
    let mut chat = chat();
    let (mut all, mut asked) = (Vec::new(), Vec::new());
    for round in 0..60 {
        all.push(outputs("alice", round + 1).pop().unwrap());
        if round >= 6 {
            all[round - 6].truncate(40);
        }
        let prepared = chat.before_model(&history(&all), Some(&mut recorded(&mut asked, quoting))).unwrap();
        assert!(prepared.committed.report.diverged.is_none(), "{round}: {:?}", prepared.committed.report.diverged);
    }
    assert!(asked.len() <= 20, "asked {} times", asked.len());
}

#[test]
fn a_plan_that_was_made_of_other_results_is_not_carried_out() {
    let chat = chat();
    let mut all = outputs("alice", 12);
    let plan = chat.plan(&history(&all));
    let answers: Vec<Answer> = chat.requests(&history(&all), &plan).iter().map(quoting).collect();
    all[1] = all[1].replace("alice-0001", "[redacted]");
    let prepared = chat.clone().commit(&history(&all), &plan, Some(&answers));
    assert!(prepared.committed.report.warnings.iter().any(|one| one.code.as_str() == "stale-plan"));
    assert!(!format!("{:?}", prepared.view).contains("alice-0001"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// One byte of one result is enough, and what was not changed is not taken for it.
    #[test]
    fn whatever_changes_in_what_is_covered_is_noticed(
        count in 8_usize..24,
        changed in prop::collection::btree_set(any::<prop::sample::Index>().prop_map(|at| at.index(1_000)), 0..4),
        byte in 0_usize..60,
    ) {
        let mut chat = chat();
        let mut all = outputs("alice", count);
        chat.before_model(&history(&all), None).unwrap();
        let Some(covered) = chat.session().checkpoints.last().map(|one| one.covers.count as usize / 3) else {
            return Ok(());
        };
        for &at in &changed {
            let at = at % count;
            all[at].replace_range(byte..=byte, "~");
        }
        let touched = changed.iter().filter(|&at| at % count < covered).count();
        let prepared = chat.before_model(&history(&all), None).unwrap();
        let report = &prepared.committed.report;
        prop_assert_eq!(warns(report) || report.diverged.is_some(), touched > 0);
        let mut twin = chat.clone();
        let again = twin.before_model(&history(&all), None).unwrap();
        prop_assert_eq!(again.view, prepared.view);
    }
}

#[test]
fn what_is_noted_of_outputs_is_the_same_wherever_the_history_is_loaded_from() {
    let all = history(&outputs("alice", 90));
    let mut chat = chat();
    for end in (3..=all.len()).step_by(9) {
        let from = engine::keep_from(&chat.session()).0 as usize;
        let mut part = chat.clone();
        part.more = json!({ "offset": from });
        part.before_model(&all[from..end], None).unwrap();
        chat.before_model(&all[..end], None).unwrap();
        assert_eq!(part.session().checkpoints, chat.session().checkpoints, "loaded from {from} to {end}");
    }
    let newest = chat.session().checkpoints.pop().unwrap();
    assert!(newest.covers.count > 180 && newest.sample.len() == 32, "{} of {:?}", newest.sample.len(), newest.covers);
}
