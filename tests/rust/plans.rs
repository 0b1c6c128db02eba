//! Plans are plain data that may wait, come late, or become outdated.

use crate::support::Chat;
use crate::support::M;
use crate::support::answer;
use crate::support::assistant;
use crate::support::calls;
use crate::support::filler;
use crate::support::json;
use crate::support::plain;
use crate::support::result;
use crate::support::to_value;
use crate::support::user;
use precis::base::error::{Code, Warning};
use precis::ladder::hold::Hold;
use precis::ladder::plan::Plan;
use precis::ladder::{Edit, Move, RungId};
use precis::report::Outcome;
use precis::session::compaction::Kind;
use precis::session::reach::Reach;
use serde_json::{Value, json as value};

fn turns(count: usize, bytes: usize) -> Vec<M> {
    let turn = |turn: usize| {
        let id = format!("call_{turn}");
        let question = user(&format!("question {turn}"));
        [question, calls(&[&id]), result(&id, &filler(bytes)), assistant(&format!("answer {turn} {}", filler(bytes)))]
    };
    (0..count).flat_map(turn).collect()
}

fn chat() -> Chat {
    Chat::new(
        value!({ "contextWindow": 8_000, "summarize": true, "summarizer": { "contextWindow": 64_000 }, "tune": { "strategy": "full" } }),
    )
}

#[test]
fn a_plan_survives_its_round_trip() {
    let mut clip = turns(1, 40_000);
    clip.push(user("next"));
    let cases = [vec![user("hello")], turns(12, 2_000), clip, vec![user("x"), assistant(&filler(90_000))]];
    let mut seen = Vec::new();
    for history in cases {
        let plan = chat().plan(&history);
        assert_eq!(Plan::parse(&plain(&plan)).unwrap(), plan);
        let reordered: Value = serde_json::from_str(&to_value(&plain(&plan)).to_string()).unwrap();
        assert_eq!(Plan::parse(&json(&reordered)).unwrap().action, plan.action);
        seen.push(plan.action);
    }
    assert!(matches!(seen[0], Move::Pass));
    assert!(matches!(seen[1], Move::Compact(_)));
    let edit = Plan {
        rung: RungId::Clear,
        action: Move::Edit(Edit {
            cap: Some(100),
            reach: Reach::Everything,
            clear: Some(4),
            failed: true,
            first: true,
            thoughts: Some(3),
            unsent: Some(2),
            over: Hold::Always,
        }),
        attempt: 2,
        ..Plan::default()
    };
    assert_eq!(Plan::parse(&plain(&edit)).unwrap(), edit);
    let stuck = Plan { action: Move::Stuck, rung: RungId::ClipAll, ..edit };
    assert_eq!(Plan::parse(&plain(&stuck)).unwrap(), stuck);
}

#[test]
fn a_plan_holds_no_text_of_the_conversation() {
    let plan = chat().plan(&turns(12, 2_000));
    let text = to_value(&plain(&plan)).to_string();
    assert!(!text.contains("question") && !text.contains("filler"), "{text}");
}

#[test]
fn other_data_is_refused_as_a_plan() {
    let good = to_value(&plain(&chat().plan(&turns(12, 2_000))));
    let refused = |change: &dyn Fn(&mut Value), path: &str| {
        let mut plan = good.clone();
        change(&mut plan);
        let error = Plan::parse(&json(&plan)).expect_err(path);
        assert_eq!((error.code, error.path.as_deref()), (Code::InvalidPlan, Some(path)), "{error}");
    };
    refused(&|plan| *plan = value!([]), "plan");
    refused(&|plan| plan["version"] = value!(2), "plan");
    refused(&|plan| plan["version"] = Value::Null, "plan");
    refused(&|plan| plan["rung"] = value!("jump"), "plan.rung");
    refused(&|plan| plan["shape"]["covers"]["chain"] = value!("x"), "plan.shape.covers");
    refused(&|plan| plan["shape"]["kept"] = value!("all"), "plan.shape.kept");
    refused(&|plan| plan["requests"][0]["id"] = value!(1), "plan.requests[0].id");
    refused(&|plan| plan["requests"] = value!({}), "plan.requests");
}

#[test]
fn planning_changes_nothing_and_committing_at_once_is_what_before_model_does() {
    let history = turns(12, 2_000);
    let mut planned = chat();
    let before = planned.state.clone();
    let plan = planned.plan(&history);
    let requests = planned.requests(&history, &plan);
    assert_eq!(planned.state, before);
    assert_eq!(requests.len(), plan.requests.len());
    assert_eq!(requests[0].id, plan.requests[0].id);
    let committed = planned.commit(&history, &plan, Some(&[answer("A summary.")]));
    let mut direct = chat();
    let prepared = direct.before_model(&history, Some(&mut |_| answer("A summary."))).unwrap();
    assert_eq!((committed.view, planned.state), (prepared.view, direct.state));
}

#[test]
fn an_answer_may_come_late_on_a_longer_history() {
    let mut chat = chat();
    let mut history = turns(12, 2_000);
    let plan = chat.plan(&history);
    history.push(user("one more thing"));
    history.push(assistant("yes?"));
    history.push(user("this"));
    let committed = chat.commit(&history, &plan, Some(&[answer("A late summary.")]));
    let session = chat.session();
    assert_eq!(session.checkpoints[0].kind, Kind::Summary);
    assert!(precis::engine::summary_of(&session).unwrap().contains("A late summary."));
    assert!(committed.view.ends_with(&history[48..]));
    assert!(committed.committed.report.warnings.iter().all(|warning| warning.code != Warning::StalePlan));
}

/// Code had to help before the answer came. This answer and that of the next request are useless.
#[test]
fn a_useless_late_answer_leaves_a_digest_that_covers_at_least_as_much_alone() {
    for more in [2, 30] {
        let mut chat = chat();
        let mut history = turns(12, 2_000);
        history.push(user("one more thing"));
        let plan = chat.plan(&history);
        let Move::Compact(shape) = &plan.action else { panic!("{plan:?}") };
        // The new messages are too large to wait for the summary.
        history.extend((0..more).flat_map(|at| [assistant(&format!("yes {at} {}", filler(1_600))), user("and this?")]));
        let first = chat.before_model(&history, None).unwrap();
        assert_eq!(first.committed.report.outcome, Outcome::Compacted);
        let before = chat.session().checkpoints;
        assert!(
            before
                .last()
                .is_some_and(|digest| digest.kind == Kind::Digest && digest.covers.count >= shape.covers.count)
        );
        let late = chat.commit(&history, &plan, Some(&[answer("")]));
        assert_eq!((&late.view, chat.session().checkpoints), (&first.view, before.clone()));
        let correction = late.committed.next.unwrap();
        assert_eq!(chat.requests(&history, &correction)[0].kind, "correction");
        let late = chat.commit(&history, &correction, Some(&[answer("I'm sorry, but I can't help with that.")]));
        assert_eq!((&late.view, chat.session().checkpoints), (&first.view, before));
        assert!(late.committed.next.is_none());
        assert!(late.committed.report.warnings.iter().any(|warning| warning.code == Warning::SummaryFailed));
    }
}

#[test]
fn a_plan_for_another_history_is_made_anew_without_its_answer() {
    let mut chat = chat();
    let history = turns(12, 2_000);
    let plan = chat.plan(&history);
    let mut edited = history.clone();
    edited[0] = user("something else entirely");
    assert!(chat.requests(&edited, &plan).is_empty(), "nothing is asked for a plan that no longer holds");
    let committed = chat.commit(&edited, &plan, Some(&[answer("About the old history.")]));
    assert!(!crate::support::says(&committed.view, "About the old history."));
    assert!(committed.committed.report.warnings.iter().any(|warning| warning.code == Warning::StalePlan));
    assert_eq!(committed.committed.report.outcome, Outcome::Compacted);
}

#[test]
fn a_plan_without_answers_works_without_a_model() {
    let mut chat = chat();
    let history = turns(12, 2_000);
    let plan = chat.plan(&history);
    chat.commit(&history, &plan, None);
    assert_eq!(chat.session().checkpoints[0].kind, Kind::Digest);
}
