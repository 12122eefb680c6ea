//! No attempt to get out succeeds, from inside every backend that works here, as every user these
//! tests can be. `suite.rs` makes the attempts.

use metier_sandbox::BackendKind;

use crate::suite::{Outside, table};
use crate::world::{WALLS, exercised, users};

#[test]
fn no_attempt_to_get_out_succeeds_from_any_backend_as_any_user() {
    // R4, R5, R6
    let mut worked = 0;
    for user in users() {
        for backend in exercised(&WALLS) {
            let mut outside = Outside::new(user);
            let before = outside.snapshot();
            let (answer, attempts) = outside.attempts("walls", backend);
            if answer["enforced"]["filesystem"] == "none" {
                println!("{} does not work here: {answer}", backend.name());
                continue;
            }
            worked += 1;
            let who = user.map_or("the current user".to_owned(), |user| format!("user {user}"));
            println!("{}", table(&format!("{} as {who}", backend.name()), &attempts));
            println!("{}\n", answer["enforced"]);
            assert_eq!(answer["status"], "exit code 0", "{answer}");
            let escaped = attempts.iter().filter(|a| a.result != "blocked");
            let escaped: Vec<_> = escaped.map(|a| format!("{}: {}", a.class, a.name)).collect();
            assert_eq!(escaped, Vec::<String>::new(), "{} as {who}", backend.name());
            let crashed = attempts.iter().filter(|a| {
                a.reason.starts_with("SIG") && a.reason != "SIGSYS" && a.reason != "SIGKILL"
            });
            let crashed: Vec<_> = crashed.map(|a| format!("{}: {}", a.name, a.reason)).collect();
            assert_eq!(crashed, Vec::<String>::new(), "an attempt that crashes shows nothing");
            assert!(attempts.len() >= 150, "{} attempts", attempts.len());
            assert_eq!(outside.snapshot(), before, "something outside changed");
            outside.nobody_was_reached();
            assert_eq!(outside.world.left_behind(), Vec::<std::path::PathBuf>::new());
        }
    }
    assert!(worked > 0, "no backend works here");
}

#[test]
fn the_attempts_are_real_most_of_them_succeed_without_walls() {
    // R6
    let outside = Outside::new(None);
    let (answer, attempts) = outside.attempts("control", BackendKind::None);
    let made: Vec<_> = attempts.iter().filter(|a| a.result != "skipped").collect();
    let through = made.iter().filter(|a| a.result == "ESCAPED").count();
    println!("without walls {through} of {} harmless attempts succeed", made.len());
    for attempt in made.iter().filter(|a| a.result == "blocked") {
        println!("  not here: {}: {} ({})", attempt.class, attempt.name, attempt.reason);
    }
    assert_eq!(answer["enforced"]["filesystem"], "off");
    assert!(through * 2 > made.len(), "{through} of {}", made.len());
}
