use proptest::prelude::*;

use super::*;

fn written(text: &str) -> Result<Vec<String>, ToolPatternError> {
    ToolPattern::tokenize(text).map(|patterns| patterns.iter().map(ToString::to_string).collect())
}

#[track_caller]
fn check(text: &str, expect: &[&str]) {
    assert_eq!(
        written(text).as_deref(),
        Ok(&*expect.iter().map(|t| t.to_string()).collect::<Vec<_>>())
    );
}

#[track_caller]
fn refused(text: &str, expect: ToolPatternError) {
    assert_eq!(written(text), Err(expect), "{text:?}");
}

#[test]
fn spaces_and_commas_separate_tools() {
    // F2, S3
    check("Bash(git:*) Bash(jq:*) Read", &["Bash(git:*)", "Bash(jq:*)", "Read"]);
    check("Read, Write, Grep", &["Read", "Write", "Grep"]);
    check("Read,Write", &["Read", "Write"]);
    check(" ,, Read\t\n Write , ", &["Read", "Write"]);
    check("mcp__server__* state.get", &["mcp__server__*", "state.get"]);
    check("Read\u{a0}Write", &["Read", "Write"]);
    check("", &[]);
    check(" , ", &[]);
}

#[test]
fn nothing_inside_parentheses_separates() {
    // F2, S3
    check("Bash(git add *), Read", &["Bash(git add *)", "Read"]);
    check("Bash(echo a,b c) Read", &["Bash(echo a,b c)", "Read"]);
    check("Bash(a (b (c)) d) Read", &["Bash(a (b (c)) d)", "Read"]);
    check("Bash(\n  ls\n)", &["Bash(\n  ls\n)"]);
}

#[test]
fn a_pattern_is_a_name_and_an_argument() {
    // F2, S3
    let bash = |argument: Option<&str>| ToolPattern {
        tool: "Bash".to_owned(),
        argument: argument.map(str::to_owned),
    };
    assert_eq!(
        ToolPattern::tokenize("Bash Bash() Bash(a (b)) Bash(())"),
        Ok(vec![bash(None), bash(Some("")), bash(Some("a (b)")), bash(Some("()"))])
    );
}

#[test]
fn unbalanced_parentheses_are_refused() {
    // F2, S3
    refused("Bash(git:*", ToolPatternError::Unbalanced(4));
    refused("Read Bash(a (b)", ToolPatternError::Unbalanced(9));
    refused("Read)", ToolPatternError::Unbalanced(4));
    refused("Bash(a))", ToolPatternError::Unbalanced(7));
    refused("Bash(a)) Read", ToolPatternError::Unbalanced(7));
    refused(") Read", ToolPatternError::Unbalanced(0));
    refused("Bash(echo \")\") Read", ToolPatternError::Trailing(12));
    refused("Bash (git:*)", ToolPatternError::Nameless(5));
    refused("()", ToolPatternError::Nameless(0));
    refused("Bash(x)y", ToolPatternError::Trailing(7));
    refused("Bash(x)(y)", ToolPatternError::Trailing(7));
    assert_eq!(ToolPatternError::Trailing(7).offset(), Some(7));
    assert_eq!(ToolPatternError::TooMany.offset(), None);
}

#[test]
fn the_number_of_tools_is_bounded() {
    // F4
    let many = "T ".repeat(MAX_TOOL_PATTERNS);
    assert_eq!(ToolPattern::tokenize(&many).map(|tools| tools.len()), Ok(MAX_TOOL_PATTERNS));
    refused(&format!("{many} T"), ToolPatternError::TooMany);
}

proptest! {
    #[test]
    fn a_pattern_reads_back_as_itself(text in "[A-Za-z_*.:, ()\"'\\\\\nä]{0,40}") {
        // F2, S3
        if let Ok(patterns) = ToolPattern::tokenize(&text) {
            for pattern in &patterns {
                prop_assert_eq!(ToolPattern::tokenize(&pattern.to_string()), Ok(vec![pattern.clone()]));
            }
            let joined: Vec<String> = patterns.iter().map(ToString::to_string).collect();
            prop_assert_eq!(ToolPattern::tokenize(&joined.join(" ")), Ok(patterns));
        }
    }

    #[test]
    fn any_text_gives_an_answer(text in any::<String>()) {
        // F4
        if let Err(error) = ToolPattern::tokenize(&text) {
            prop_assert!(error.offset().is_none_or(|at| text.is_char_boundary(at)));
        }
    }
}
