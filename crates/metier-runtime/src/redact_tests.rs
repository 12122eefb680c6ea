use serde_json::json;

use super::Redactor;

#[test]
fn declared_secrets_never_remain() {
    // J2, R5
    let redactor = Redactor::new(["hunter2-canary".into(), "hunter2".into(), "abc".into()]);
    let value = redactor.value(&json!({
        "command": "login --with hunter2-canary && echo hunter2",
        "hunter2-canary": ["abc stays", {"deep": "xhunter2x"}],
        "n": 5
    }));
    let text = value.to_string();
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.contains("abc stays"), "short values are ordinary words: {text}");
    assert_eq!(value["n"], 5);
}

#[test]
fn what_looks_like_a_credential_goes() {
    // J2
    let key = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
    let cases = [
        format!("curl -H 'Authorization: Bearer {key}'"),
        format!("export X=ghp_{key}"),
        format!("key sk-{key} in text"),
        format!("AKIA{}", &key[..16].to_uppercase()),
        format!("eyJ{key}.{key}.{key}"),
        format!("https://x/?token={key}&a=b"),
        format!("-----BEGIN RSA PRIVATE KEY-----\n{key}\n-----END RSA PRIVATE KEY-----\nafter"),
    ];
    for case in cases {
        let text = Redactor::default().text(&case);
        assert!(
            !text.contains(key) && !text.contains(&key[..16].to_uppercase()),
            "{case} -> {text}"
        );
        assert!(text.contains("[redacted]"), "{case} -> {text}");
    }
}

#[test]
fn values_under_telling_keys_go_whole() {
    // J2
    let value = Redactor::default().value(&json!({
        "api_key": "short", "Password": "p", "X-Auth-Token": "t", "authorization": "Basic eA==",
        "tokens": 12, "keyboard": "qwerty", "password": ""
    }));
    assert_eq!(
        value,
        json!({
            "api_key": "[redacted]", "Password": "[redacted]", "X-Auth-Token": "[redacted]",
            "authorization": "[redacted]", "tokens": 12, "keyboard": "qwerty", "password": ""
        })
    );
}

#[test]
fn ordinary_text_is_left_alone() {
    // J2
    for text in ["git commit -m 'task-sk-list'", "the secret is out", "npm_config", "émoji 🙂 eyJ"]
    {
        assert_eq!(Redactor::default().text(text), text);
    }
}

proptest::proptest! {
    #[test]
    fn redaction_is_total_and_a_canary_never_survives(before in ".{0,30}", after in ".{0,30}") {
        // J2
        let redactor = Redactor::new(["canary-7731".into()]);
        let text = redactor.text(&format!("{before}canary-7731{after}"));
        proptest::prop_assert!(!text.contains("canary-7731"));
    }
}
