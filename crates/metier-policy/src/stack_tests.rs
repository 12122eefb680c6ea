use metier_format::ToolPattern;

use super::*;

fn skill(name: &str, allowed: Option<&str>) -> ActiveSkill {
    let only = |text: &str| AllowedTools::Only(ToolPattern::tokenize(text).expect("patterns"));
    ActiveSkill {
        allowed: allowed.map(only),
        ..ActiveSkill::unrestricted(SkillName::parse(name).expect("a name"))
    }
}

fn names(stack: &ActiveStack) -> Vec<&str> {
    stack.iter().map(|skill| skill.name.as_str()).collect()
}

#[test]
fn the_last_skill_in_is_the_first_out() {
    // S3
    let mut stack = ActiveStack::default();
    assert!(stack.is_empty() && stack.innermost().is_none() && stack.pop().is_none());
    stack.push(skill("outer", Some("Read")));
    stack.push(skill("inner", None));
    assert_eq!((stack.len(), names(&stack)), (2, vec!["outer", "inner"]));
    assert_eq!(stack.innermost().map(|skill| skill.name.as_str()), Some("inner"));
    assert_eq!(stack.pop().map(|skill| skill.name.as_str().to_owned()).as_deref(), Some("inner"));
    assert_eq!(names(&stack), ["outer"]);
}

#[test]
fn a_stack_is_made_of_skills_in_order() {
    // S3
    let mut stack: ActiveStack = [skill("a", None), skill("b", None)].into_iter().collect();
    stack.extend([skill("c", None)]);
    assert_eq!(names(&stack), ["a", "b", "c"]);
    assert_eq!(stack.iter().rev().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["c", "b", "a"]);
}

#[test]
fn a_skill_without_allowed_tools_has_no_clause() {
    // S3
    let stack: ActiveStack =
        [skill("a", None), skill("b", Some("")), skill("c", Some("Read"))].into_iter().collect();
    let clauses: Vec<Option<usize>> = stack
        .entries()
        .iter()
        .map(|active| active.clause.as_ref().map(|clause| clause.patterns.len()))
        .collect();
    assert_eq!(clauses, [None, Some(0), Some(1)]);
    let mut unreadable = skill("d", None);
    unreadable.allowed = Some(AllowedTools::Unreadable);
    let stack: ActiveStack = [unreadable].into_iter().collect();
    assert_eq!(stack.entries()[0].clause.as_ref().map(|clause| clause.patterns.len()), Some(0));
}

#[test]
fn patterns_that_are_not_understood_are_named() {
    // S3
    let stack: ActiveStack =
        [skill("a", Some("Read Bash(a&&b)")), skill("b", Some("Task(x)"))].into_iter().collect();
    let faults: Vec<(String, String)> =
        stack.faults().map(|(name, pattern)| (name.to_string(), pattern.to_string())).collect();
    let expected = [("a", "Bash(a&&b)"), ("b", "Task(x)")];
    assert_eq!(faults, expected.map(|(name, pattern)| (name.to_owned(), pattern.to_owned())));
}

#[test]
fn the_skills_own_directory_is_put_into_its_patterns() {
    // S3
    let table = [
        ("Bash(${CLAUDE_SKILL_DIR}/run.sh:*)", "Bash(/skills/x/run.sh:*)"),
        ("Bash(${SKILL_DIR}/run.sh:*)", "Bash(/skills/x/run.sh:*)"),
        ("Bash($SKILL_DIR/run.sh:*)", "Bash(/skills/x/run.sh:*)"),
        ("Bash(python {baseDir}/run.py:*)", "Bash(python /skills/x/run.py:*)"),
        ("Read({baseDir}/**)", "Read(/skills/x/**)"),
        ("Read", "Read"),
        ("Bash(git:*)", "Bash(git:*)"),
    ];
    for (written, expected) in table {
        let mut active = skill("x", Some(written));
        active.directory = Some(PathBuf::from("/skills/x/"));
        let stack: ActiveStack = [active].into_iter().collect();
        let clause = stack.entries()[0].clause.clone().expect("a clause");
        assert_eq!(clause.patterns[0].to_string(), expected, "{written}");
        assert_eq!(clause.patterns[0].fault(), None, "{written}");
    }
}

#[test]
fn a_directory_that_is_no_plain_word_is_not_put_in() {
    // S3
    for directory in ["/a b", "/a*", "/a;b", "/a$b", "/a'b", "/a(b"] {
        let mut active = skill("x", Some("Bash(${SKILL_DIR}/run.sh:*)"));
        active.directory = Some(PathBuf::from(directory));
        let stack: ActiveStack = [active].into_iter().collect();
        assert_eq!(stack.faults().count(), 1, "{directory}");
    }
    let stack: ActiveStack =
        [skill("x", Some("Bash(${SKILL_DIR}/run.sh:*)"))].into_iter().collect();
    assert_eq!(stack.faults().count(), 1);
}
