//! Tests that `used <= requested` holds for any data, and that the most useful parts survive.

use hob_proto::envelope::{Envelope, tokens_of};
use hob_proto::tools::{ListCut, MAX_BUDGET, map};
use hob_proto::{ErrorCode, ToolError};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{AnswerDraft, Limit, OmittedItems, fit};

static CUTS: &[ListCut] = &[
    ListCut { path: "results[].hubs", kind: "hubs", narrow: "Pass hubsPerCluster:2" },
    ListCut { path: "results", kind: "results", narrow: "Pass pathPrefix" },
];

fn draft_of(data: Value, requested: u32) -> AnswerDraft {
    AnswerDraft {
        outcome: Ok(data),
        warnings: Vec::new(),
        omitted: Vec::new(),
        generation: None,
        limit: Limit { requested, max: MAX_BUDGET },
        cuts: CUTS,
    }
}

/// Fits the draft, and checks the rules that hold for every envelope.
#[track_caller]
fn fit_checked(draft: AnswerDraft) -> Envelope {
    let requested = draft.limit.requested;
    let out = fit(draft);
    let envelope = Envelope::parse(&out.text).expect("a fitted answer is an envelope");
    assert_eq!(envelope.token_budget.used, tokens_of(&out.text), "`used` is the cost of the text itself");
    assert!(
        envelope.token_budget.used <= requested,
        "{} > {requested}: {}",
        envelope.token_budget.used,
        out.text
    );
    assert_eq!(envelope.ok, out.ok);
    assert_eq!(envelope.truncated, envelope.dropped.is_some());
    envelope
}

#[test]
fn what_fits_is_left_alone() {
    let data = json!({"results": [{"id": "py:a.py#f", "doc": "d"}], "total": 1});
    let envelope = fit_checked(draft_of(data.clone(), 2000));
    assert_eq!(envelope.data, Some(data));
    assert!(!envelope.truncated);
}

#[test]
fn a_long_list_keeps_its_largest_prefix_and_says_how_to_get_the_rest() {
    let results: Vec<Value> =
        (0..100_000).map(|i| json!({"id": format!("py:a.py#f{i}"), "line": i})).collect();
    let envelope = fit_checked(draft_of(json!({"results": results, "total": 100_000}), 800));
    let data = envelope.data.expect("data");
    let kept = data["results"].as_array().expect("a list").len();
    assert!(envelope.token_budget.used > 780, "the budget is used: {}", envelope.token_budget.used);
    let dropped = envelope.dropped.expect("dropped");
    assert_eq!((dropped.kind.as_str(), dropped.count), ("results", 100_000 - kept as u64));
    assert!(
        dropped.note.contains("pathPrefix") && dropped.note.contains("tokenBudget=800"),
        "{}",
        dropped.note
    );
    assert_eq!(data["results"][0]["id"], "py:a.py#f0");
}

#[test]
fn what_a_limit_left_out_is_said_too() {
    let mut draft = draft_of(json!({"results": [1, 2, 3], "total": 90}), 400);
    draft.omitted.push(OmittedItems { kind: "results", count: 87, way: "Raise limit." });
    let dropped = fit_checked(draft).dropped.expect("dropped");
    assert_eq!((dropped.kind.as_str(), dropped.count), ("results", 87));
    assert_eq!(dropped.note, "87 more results beyond the limit. Raise limit.");
}

#[test]
fn one_giant_string_is_shortened_and_its_body_is_not_called_complete() {
    let source = "let x = 1;\n".repeat(300_000);
    let data = json!({"results": [{"uid": "rs:a.rs#main", "source": source, "body_complete": true}]});
    let envelope = fit_checked(draft_of(data, 500));
    let item = &envelope.data.expect("data")["results"][0];
    assert_eq!((&item["uid"], &item["body_complete"]), (&json!("rs:a.rs#main"), &json!(false)));
    assert!(item["source"].as_str().expect("text").len() > 1000);
}

#[test]
fn identities_are_never_shortened() {
    let id = format!("py:{}#f", "very/".repeat(60));
    let envelope = fit_checked(draft_of(json!({"results": [{"id": id, "doc": "x".repeat(5000)}]}), 250));
    assert_eq!(envelope.data.expect("data")["results"][0]["id"], id.as_str());
}

#[test]
fn monstrous_errors_and_warnings_fit_too() {
    let error = ToolError::new(ErrorCode::Internal, "é\u{1}".repeat(50_000))
        .hint("\u{1F600}".repeat(50_000))
        .with_field("candidates", vec!["c"; 10_000]);
    for requested in [100, 101, 150, 2000] {
        let limit = Limit { requested, max: MAX_BUDGET };
        let warnings = vec!["\"w\\".repeat(9_000); 50];
        let envelope = fit_checked(AnswerDraft {
            outcome: Err(error.clone()),
            warnings,
            omitted: Vec::new(),
            generation: Some(7),
            limit,
            cuts: &[],
        });
        let error = envelope.error.expect("the error survives");
        assert_eq!(error.code, ErrorCode::Internal);
        assert!(!error.message.is_empty());
    }
}

#[test]
fn budgets_are_clamped_with_a_warning() {
    let (limit, warning) = Limit::new(&map::SEARCH, Some(5));
    assert_eq!(limit.requested, 100);
    assert!(warning.expect("a warning").contains("100 to 10000"));
    assert_eq!(Limit::new(&map::SEARCH, Some(1_000_000)).0.requested, 10_000);
    assert_eq!(Limit::new(&map::SEARCH, None), (Limit { requested: 2000, max: 10_000 }, None));
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![".{0,40}", "[a-z]{0,400}", "(\u{1F600}|\u{0}|\"|\\\\|é|\n){0,60}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 400, 30, |inner| {
        let key = prop_oneof![
            Just("results".to_owned()),
            Just("hubs".to_owned()),
            Just("snippet".to_owned()),
            Just("id".to_owned()),
            Just("source".to_owned()),
            Just("body_complete".to_owned()),
            ".{0,20}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..30).prop_map(Value::from),
            prop::collection::hash_map(key, inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn used_never_exceeds_requested(
        data in any_json(),
        warnings in prop::collection::vec(".{0,200}", 0..6),
        requested in prop_oneof![Just(100u32), 100u32..400, 400u32..10_000],
        repeat in prop_oneof![Just(1usize), Just(50), Just(2_000)],
    ) {
        let results = vec![data; repeat];
        let mut draft = draft_of(json!({"results": results}), requested);
        draft.warnings = warnings;
        fit_checked(draft);
    }

    #[test]
    fn errors_never_exceed_their_budget(
        message in ".{0,3000}", hint in ".{0,3000}", more in any_json(), requested in 100u32..1_000,
        warnings in prop::collection::vec(".{0,600}", 0..6),
    ) {
        let error = ToolError::new(ErrorCode::BadArgs, message).hint(hint).with_field("detail", more);
        let limit = Limit { requested, max: MAX_BUDGET };
        fit_checked(AnswerDraft { outcome: Err(error), warnings, omitted: Vec::new(), generation: Some(7), limit, cuts: &[] });
    }
}
