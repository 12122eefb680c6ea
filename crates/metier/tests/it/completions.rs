use metier_testing::World;

use crate::metier;

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    // U1
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = metier(&world, &["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{shell}");
        for word in ["lint", "prompt", "no-default-roots"] {
            assert!(run.stdout.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn bash_accepts_the_script() {
    // U1
    let world = World::new();
    let script = world.write("completions.bash", metier(&world, &["completions", "bash"]).stdout);
    let check = std::process::Command::new("bash").arg("-n").arg(&script).output().unwrap();
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
}

#[test]
fn an_unknown_shell_is_wrong_usage() {
    // U1
    let world = World::new();
    let run = metier(&world, &["completions", "tcsh"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("bash, elvish, fish, powershell, zsh"), "{}", run.stderr);
}
