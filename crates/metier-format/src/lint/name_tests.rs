use super::reason;

#[test]
fn names_in_one_script_look_like_themselves() {
    // F5: ConfusableName
    for name in [
        "pdf-tools",
        "m0dern-1l",
        "技能",
        "データ",
        "日本語-スキル-pdf",
        "навык",
        "мой-навык",
        "δοκιμή",
        "مهارة",
        "café",
        "año-nuevo",
        "한국어-skill",
        "straße",
        "x²",
    ] {
        assert_eq!(reason(name), None, "{name}");
    }
}

#[test]
fn names_that_pass_for_ascii_say_for_which() {
    // F5: ConfusableName
    for (name, look) in [
        ("раураl", "paypal"),
        ("ѕkill", "skill"),
        ("gіt-commit", "git-commit"),
        ("dоcх", "docx"),
        ("ехсе1", "exce1"),
    ] {
        let expected = format!("`{name}` looks like `{look}`, which has other letters");
        assert_eq!(reason(name), Some(expected));
    }
}

#[test]
fn scripts_that_look_alike_do_not_mix() {
    // F5: ConfusableName
    for name in ["навык-skillж", "δata", "pдf"] {
        let expected = format!("`{name}` mixes letters of scripts that look alike");
        assert_eq!(reason(name), Some(expected));
    }
}
