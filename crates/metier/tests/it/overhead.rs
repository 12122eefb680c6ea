//! What skills cost before any work begins, counted by the tokenizer (`o200k_base`).
//!
//! The overhead of a set of skills is everything a host sends to a model because of skills, with
//! that set enabled and none of it used yet:
//!
//! - the catalog with every location, in whichever style is dearest, and the guide, both as `metier
//!   prompt` prints them;
//! - the definitions of the tools a model works with skills by: one that activates, one that reads
//!   a file, and the three of the source design that list, explain and run scripts.
//!
//! Bodies, references and scripts are no part of it: a model gets them when it asks. What they cost
//! then is bounded below as well, because a catalog that is cheap only until it is used is not.

use metier_store::tokens;
use metier_testing::{World, project_root};
use serde_json::{Value, json};

use super::metier;

const KALSHI: &str = "kalshi-markets";
const BOTH: &str = "kalshi-markets,hello-extended";

fn count(text: &str) -> usize {
    let tokens = tokens::exact(text);
    assert!(tokens.exact);
    tokens.count
}

/// The dearest text that `metier prompt` has for these skills.
fn prompt(skills: &str) -> String {
    let world = World::new();
    let styles = ["xml", "xml-attributes", "markdown", "tool", "json"];
    let texts = styles.map(|style| {
        let run = metier(
            &world,
            &["prompt", "--guide", "--location", "--style", style, "--skills", skills],
        );
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    });
    texts.into_iter().max_by_key(|text| count(text)).unwrap()
}

/// The tools as a host would define them, each argument described.
fn tool_definitions() -> Vec<Value> {
    let text = |about: &str| json!({"type": "string", "description": about});
    let tool = |name: &str, about: &str, required: &[&str], properties: Value| {
        json!({"type": "function", "function": {
            "name": name,
            "description": about,
            "parameters": {"type": "object", "properties": properties, "required": required},
        }})
    };
    let skill = text("Skill name, e.g. 'kalshi-markets'");
    let script = text("Script name, e.g. 'status' or 'status.py'");
    vec![
        tool(
            "activate_skill",
            "Load the instructions of a skill. Call it when a task fits the skill's description, before anything else.",
            &["skill_name"],
            json!({"skill_name": skill, "arguments": text("What the skill is given, as the user said it")}),
        ),
        tool(
            "read_skill_file",
            "Read a file of a skill: a reference, a template or a script. Paths are relative to the skill's directory.",
            &["skill_name", "path"],
            json!({"skill_name": skill, "path": text("Path inside the skill, e.g. 'references/answers.md'")}),
        ),
        tool(
            "script_list",
            "List available scripts for a skill or all skills. Returns script metadata without reading SKILL.md.",
            &[],
            json!({"skill_name": text("Skill name, or nothing for all skills")}),
        ),
        tool(
            "script_help",
            "Get help for a skill script by running --help. Use this to discover which arguments and options are available before running the script.",
            &["skill_name", "script_name"],
            json!({"skill_name": skill, "script_name": script}),
        ),
        tool(
            "script_run",
            "Execute a skill script with arguments. Most scripts support --json for structured output. Check script_help first to see available options.",
            &["skill_name", "script_name"],
            json!({
                "skill_name": skill,
                "script_name": script,
                "args": {"type": "array", "items": {"type": "string"}, "description": "Script arguments"},
                "json": {"type": "boolean", "default": true, "description": "Request JSON output"},
            }),
        ),
    ]
}

fn overhead(skills: &str) -> usize {
    let tools: usize = tool_definitions().iter().map(|tool| count(&tool.to_string())).sum();
    count(&prompt(skills)) + tools
}

/// A file of a bundled skill.
fn file(path: &str) -> String {
    std::fs::read_to_string(project_root().join("skills").join(path)).unwrap()
}

#[test]
fn skills_cost_little_before_they_are_used() {
    // B3
    let (none, kalshi, both) = (overhead("none"), overhead(KALSHI), overhead(BOTH));
    println!("tokens: none {none}, kalshi-markets {kalshi}, with hello-extended {both}");
    assert!(none < 2_000 && kalshi < 3_000 && both < 5_000, "{none} {kalshi} {both}");
    assert!(none < kalshi && kalshi < both, "each skill is there");
}

#[test]
fn nothing_of_a_skill_but_its_description_is_sent_before_it_is_used() {
    // B3
    let prompt = prompt(BOTH);
    for path in [
        "kalshi-markets/SKILL.md",
        "kalshi-markets/references/answers.md",
        "kalshi-markets/scripts/search.py",
        "hello-extended/SKILL.md",
        "hello-extended/scripts/advanced_greeting.py",
        "hello-extended/toolsets/hello.py",
    ] {
        let text = file(path);
        let body = text.split_once("\n---\n").filter(|_| path.ends_with("SKILL.md"));
        let lines = body.map_or(text.as_str(), |(_, body)| body).lines();
        for line in lines.filter(|line| line.len() > 30) {
            assert!(!prompt.contains(line), "{path}: {line}");
        }
    }
}

#[test]
fn used_skills_stay_within_the_same_bounds() {
    // B3
    let body = |path: &str| count(&file(path));
    let kalshi = overhead(KALSHI) + body("kalshi-markets/SKILL.md");
    let both = overhead(BOTH) + body("kalshi-markets/SKILL.md") + body("hello-extended/SKILL.md");
    println!("tokens once activated: kalshi-markets {kalshi}, with hello-extended {both}");
    assert!(kalshi < 3_000 && both < 5_000, "{kalshi} {both}");
    assert!(body("kalshi-markets/references/answers.md") < 1_500);
}
