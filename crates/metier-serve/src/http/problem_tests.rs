use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use metier_runtime::Capability;

use super::{Broke, NotYours, Problem, STATUS, status};

#[test]
fn every_code_in_the_table_of_statuses_is_one_that_somebody_gives() {
    // U3, U7
    let ours = ["busy", "invalid_arguments"];
    for code in STATUS.iter().flat_map(|(_, codes)| codes.iter()) {
        let known = Capability::ALL.iter().any(|capability| capability.errors.contains(code));
        assert!(known || ours.contains(code), "{code}");
    }
}

#[test]
fn every_code_an_operation_fails_with_has_a_status_that_somebody_chose() {
    // U3, U7
    let could_not_be_done = [
        "skill_changed",
        "skill_invalid",
        "skill_hook_failed",
        "not_a_file",
        "unreadable",
        "interpreter_missing",
        "script_unusable",
        "dependencies_missing",
        "execution_failed",
    ];
    for code in Capability::ALL.iter().flat_map(|capability| capability.errors) {
        let named = STATUS.iter().any(|(_, codes)| codes.contains(code));
        assert!(named != could_not_be_done.contains(code), "{code}");
    }
}

#[test]
fn a_failure_has_the_status_of_its_kind() {
    // U3
    let check = |code: &str, expect: u16| assert_eq!(status(code).as_u16(), expect, "{code}");
    check("invalid_arguments", 400);
    check("skill_denied", 403);
    check("read_denied", 403);
    check("skill_not_found", 404);
    check("skill_ambiguous", 409);
    check("skill_already_active", 409);
    check("skill_outdated", 409);
    check("file_too_large", 413);
    check("skill_invalid", 422);
    check("journal_refused", 503);
}

#[test]
fn who_is_refused_hears_what_would_help() {
    // U3
    let refused = Problem::unauthorized("no").into_response();
    assert!(refused.headers().contains_key(header::WWW_AUTHENTICATE));
    let busy = Problem::busy().into_response();
    assert_eq!(busy.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(busy.headers().contains_key(header::RETRY_AFTER));
    assert_eq!(Problem::from(Broke).into_response().status(), StatusCode::INTERNAL_SERVER_ERROR);
}

#[test]
fn a_session_that_is_not_to_be_named_is_forbidden_and_one_that_cannot_be_is_a_mistake() {
    // U3, S6
    let check = |why: NotYours, expect: (u16, &str)| {
        let problem = Problem::from(why);
        assert_eq!((problem.status.as_u16(), problem.code), expect, "{}", problem.message);
    };
    check(NotYours::Invalid("no name".to_owned()), (400, "bad_request"));
    check(NotYours::Agents, (403, "not_yours"));
    check(NotYours::Section, (403, "not_yours"));
}
