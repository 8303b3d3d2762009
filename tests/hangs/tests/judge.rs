//! The judge accepts the right kind, detail, confidence and lines, if no other verdict is proven.

use diagnose_hangs_tests::look::{Link, Look, Verdict};
use diagnose_hangs_tests::row::{Flavor, Row, Section};
use diagnose_hangs_tests::source::{self, Marks};
use diagnose_hangs_tests::{ALL, judge};

fn row(name: &str) -> (&'static Row, Marks) {
    let in_section = |section: &'static Section| {
        section.rows.iter().find(|row| row.name == name).map(|row| (row, source::marks(section, row)))
    };
    ALL.iter().find_map(in_section).unwrap()
}

/// The verdict that a row expects.
fn expected(row: &Row, marks: &Marks) -> Verdict {
    let finding = row.finding.unwrap();
    let link = |role: &str, lines: &[u64]| Link {
        node: "task".to_owned(),
        file: format!("tests/hangs/src/programs/{}", marks.file),
        line: lines[0],
        role: role.to_owned(),
        ..Link::default()
    };
    Verdict {
        kind: finding.kind.to_owned(),
        detail: finding.detail.map(str::to_owned),
        confidence: finding.confidence.to_owned(),
        root_cause: true,
        chain: vec![link("waits", &marks.waits), link("holds", &marks.holds)],
        ..Verdict::default()
    }
}

fn look(verdicts: impl IntoIterator<Item = Verdict>) -> Look {
    Look {
        at_ms: 300,
        verdicts: Some(verdicts.into_iter().collect()),
        is_same_when_read: true,
        findings: Vec::new(),
    }
}

fn judged(name: &str, looks: &[Look]) -> Option<String> {
    let (row, marks) = row(name);
    judge::looks(row, Flavor::CurrentThread, &marks, looks)
}

#[test]
fn the_expected_verdict_in_the_last_look_is_right() {
    let (row, marks) = row("read_again");
    let verdict = expected(row, &marks);
    assert_eq!(judged("read_again", &[look([]), look([verdict.clone()])]), None);
    assert!(judged("read_again", &[look([verdict]), look([])]).is_some());
}

#[test]
fn a_verdict_with_another_kind_detail_confidence_or_line_is_wrong() {
    let (row, marks) = row("guard_set_aside");
    let right = expected(row, &marks);
    let changes: [fn(&mut Verdict); 5] = [
        |verdict| verdict.kind = "leak".to_owned(),
        |verdict| verdict.detail = None,
        |verdict| verdict.confidence = "likely".to_owned(),
        |verdict| verdict.chain[0].line = 1,
        |verdict| verdict.chain[1].file = "other.rs".to_owned(),
    ];
    for change in changes {
        let mut verdict = right.clone();
        change(&mut verdict);
        assert!(judged("guard_set_aside", &[look([verdict.clone()])]).is_some(), "{verdict:?}");
    }
}

#[test]
fn another_proven_verdict_is_wrong_unless_it_waits_behind() {
    let (row, marks) = row("read_again");
    let right = expected(row, &marks);
    let mut other = Verdict { kind: "starved".to_owned(), confidence: "proven".to_owned(), ..right.clone() };
    assert!(judged("read_again", &[look([right.clone(), other.clone()])]).is_some());
    assert!(judged("read_again", &[look([other.clone()]), look([right.clone()])]).is_some());
    other.root_cause = false;
    assert!(judged("read_again", &[look([right.clone(), other.clone()])]).is_some());
    other.behind = Some(0);
    assert_eq!(judged("read_again", &[look([right, other])]), None);
}

#[test]
fn an_earlier_look_may_show_another_detail_of_the_verdict() {
    let (row, marks) = row("second_attempt");
    let granted = expected(row, &marks);
    let queued = Verdict { detail: Some("queued".to_owned()), ..granted.clone() };
    assert_eq!(judged("second_attempt", &[look([queued.clone()]), look([granted.clone()])]), None);
    assert!(judged("second_attempt", &[look([granted]), look([queued])]).is_some());
}

#[test]
fn a_control_may_only_have_suspect_verdicts() {
    let (row, marks) = row("read_again");
    let said =
        |confidence: &str| look([Verdict { confidence: confidence.to_owned(), ..expected(row, &marks) }]);
    assert_eq!(judged("slow_lock", &[look([]), said("suspect")]), None);
    assert!(judged("slow_lock", &[said("likely"), look([])]).is_some());
    assert!(judged("slow_lock", &[said("proven"), look([])]).is_some());
}

#[test]
fn a_program_that_ends_on_one_runtime_is_a_control_there() {
    let (row, marks) = row("spins");
    assert_eq!(judge::looks(row, Flavor::TwoWorkers, &marks, &[]), None);
    assert!(judge::looks(row, Flavor::OneWorker, &marks, &[]).is_some());
}

#[test]
fn a_dump_without_verdicts_is_wrong() {
    assert!(
        judged(
            "slow_lock",
            &[Look { at_ms: 300, verdicts: None, is_same_when_read: true, findings: Vec::new() }]
        )
        .is_some()
    );
}

#[test]
fn a_saved_snapshot_with_other_verdicts_is_wrong() {
    let (row, marks) = row("read_again");
    let right = look([expected(row, &marks)]);
    let other = Look { is_same_when_read: false, ..right.clone() };
    assert!(judged("read_again", &[other, right]).is_some());
}

#[test]
fn a_proven_verdict_counts_in_any_look() {
    let (row, marks) = row("guard_set_aside");
    let proven = expected(row, &marks);
    assert!(judge::is_proven(&[look([]), look([proven.clone()]), look([])]));
    let likely = Verdict { confidence: "likely".to_owned(), ..proven };
    assert!(!judge::is_proven(&[look([likely]), look([])]));
}

#[test]
fn a_panic_is_named_with_its_place_and_message() {
    let errors = "diagnose: ready\n\nthread 'main' (7) panicked at tests/hangs/src/programs/late.rs:87:9:\n\
                  it came late\nnote: run with `RUST_BACKTRACE=1`\n";
    let panic = judge::panic_in(errors).unwrap();
    assert_eq!(panic, "tests/hangs/src/programs/late.rs:87:9: it came late");
    assert_eq!(judge::panic_in("diagnose: ready\n"), None);
}
