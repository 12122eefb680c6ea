use metier_runtime::arguments::split;

use super::{UseArgs, joined, wanted};

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

#[test]
fn several_arguments_split_into_themselves_again() {
    // S2
    for list in [
        &["a", "b"][..],
        &["a b", "c"],
        &["", "x"],
        &["say \"hi\"", "it's"],
        &["back\\slash", "end\\"],
        &["tab\there", "new\nline"],
    ] {
        let list = words(list);
        assert_eq!(split(&joined(&list)), list);
    }
}

#[test]
fn one_argument_is_the_text_a_host_has() {
    // S2
    assert_eq!(joined(&words(&["report.pdf in two columns"])), "report.pdf in two columns");
    assert_eq!(joined(&[]), "");
}

#[test]
fn a_slash_command_names_skill_and_arguments() {
    // S2
    let check = |name: &str, args: &[&str], expect: (&str, &str)| {
        let args = UseArgs { name: name.to_owned(), args: words(args), auto: false };
        let (name, arguments) = wanted(&args);
        assert_eq!((name.as_str(), arguments.as_str()), expect);
    };
    check("pdf", &["a", "b"], ("pdf", "a b"));
    check("/pdf a b", &[], ("pdf", "a b"));
    check("/skill:pdf a", &["b"], ("pdf", "a b"));
    check("/etc/hosts", &[], ("/etc/hosts", ""));
}
