use super::*;

#[test]
fn every_failure_means_something_to_whoever_asked() {
    // P2
    let check = |failure: Failure, expect: &str| {
        let failed = Failed { failure, detail: "said".to_owned() };
        let error = meaning(failed, "https://x/y", Path::new("/cache/x.git"));
        assert_eq!(error.to_string(), expect);
        error
    };
    let error =
        check(Failure::Authentication, "`https://x/y` cannot be read without signing in: said");
    assert!(matches!(error, FetchError::Authentication { .. }));
    let error = check(Failure::NotFound, "there is nothing at `https://x/y`");
    assert!(matches!(error, FetchError::NotFound { .. }));
    let error = check(Failure::NoSuchRef, "`https://x/y` has no branch, tag or commit `said`");
    assert!(matches!(error, FetchError::NoSuchRef { .. }));
    let error = check(Failure::RateLimited, "`https://x/y` is answering no more requests for now");
    assert!(matches!(error, FetchError::RateLimited { .. }));
    let error = check(Failure::Transient, "`https://x/y` cannot be reached: said");
    assert!(matches!(error, FetchError::Unreachable { .. }));
    let error = check(Failure::Untrusted, "`https://x/y` is not trusted: said");
    assert!(matches!(error, FetchError::Untrusted { .. }));
    let error = check(Failure::NoSpace, "the disk of `/cache/x.git` is full");
    assert!(matches!(error, FetchError::NoSpace { .. }));
    let error = check(Failure::Corrupt, "the cache at `/cache/x.git` is broken: said");
    assert!(matches!(error, FetchError::Cache { .. }));
    let error =
        check(Failure::Refused, "the package is refused: `.`: git refuses its content: said");
    assert!(matches!(error, FetchError::Refused(_)));
    let error = check(Failure::TimedOut, "`https://x/y` took too long to answer");
    assert!(matches!(error, FetchError::TimedOut { .. }));
    let error = check(Failure::Other, "git failed: said");
    assert!(matches!(error, FetchError::Git { .. }));
}

#[test]
fn git_may_use_only_the_ways_of_transport_an_address_has() {
    // P1
    for (url, expect) in [
        ("https://x/y", "https:ssh"),
        ("http://127.0.0.1/y", "http:https:ssh"),
        ("file:///x", "file"),
        ("ssh://git@x/y", "ssh"),
        ("git@x:y", "ssh"),
    ] {
        assert_eq!(protocols(url), expect, "{url}");
    }
}
