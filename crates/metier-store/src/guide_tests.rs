use serde_json::Value;

use super::*;
use crate::tokens;

fn chibi() -> GuideTools {
    GuideTools {
        read: "file_lines".into(),
        read_path: "path".into(),
        shell: "shell_exec".into(),
        skill: "skill_load".into(),
        skill_name: "name".into(),
        ..GuideTools::default()
    }
}

fn calls(text: &str) -> Vec<Value> {
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_examples_of_a_tool_call_are_calls_of_the_tools_the_model_has() {
    // S8
    let check = |tools: &GuideTools| {
        let calls = calls(&guide(tools));
        let find = |tool: &str, argument: &str| {
            let call = calls.iter().find(|call| call["tool"] == tool).unwrap();
            call["arguments"][argument].as_str().unwrap().to_owned()
        };
        assert_eq!(calls.len(), 3);
        assert_eq!(find(&tools.skill, &tools.skill_name), "pdf-forms");
        let read = find(&tools.read, &tools.read_path);
        assert_eq!(read, "/skills/pdf-forms/references/fields.md");
        let command = find(&tools.shell, &tools.shell_command);
        assert_eq!(command, "python /skills/pdf-forms/scripts/fill.py form.pdf");
    };
    check(&GuideTools::default());
    check(&chibi());
}

#[test]
fn a_relative_path_is_shown_resolved_against_the_base_directory() {
    // S8
    for tools in [GuideTools::default(), chibi()] {
        let text = paths(&tools);
        assert!(
            text.contains("`/skills/pdf-forms` and the text says `[fields](references/fields.md)`")
        );
        let action = format!("use {} on `/skills/pdf-forms/references/fields.md`", tools.read);
        assert!(text.contains(&action), "{text}");
        assert!(text.contains("`https://` is used as it stands"));
    }
}

#[test]
fn a_script_is_shown_run_and_never_read() {
    // S8
    for tools in [GuideTools::default(), chibi()] {
        let text = scripts(&tools);
        let run = format!(
            "The text says `python scripts/fill.py form.pdf`: use {} with \
             `python /skills/pdf-forms/scripts/fill.py form.pdf`",
            tools.shell
        );
        let read = format!("Never use {} on `/skills/pdf-forms/scripts/fill.py`", tools.read);
        assert!(text.contains(&run), "{text}");
        assert!(text.contains(&read), "{text}");
    }
}

#[test]
fn a_tool_name_with_quotes_stays_one_json_string() {
    // S8
    let tools = GuideTools { read: "re\"ad\n".into(), ..GuideTools::default() };
    let calls = calls(&tool_calls(&tools));
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[1]["tool"], "re\"ad\n");
}

#[test]
fn the_whole_guide_is_cheap() {
    // S8, B3
    let text = guide(&GuideTools::default());
    assert!(tokens::exact(&text).count < 450, "{:?}", tokens::exact(&text));
    for heading in ["## Working with skills", "### Paths", "### Scripts", "### Tool calls"] {
        assert_eq!(text.lines().filter(|line| *line == heading).count(), 1, "{heading}");
    }
}
