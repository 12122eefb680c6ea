//! The five styles: a catalog, decided skill by skill, as text. Knows nothing of budgets.

use super::Style;
use super::escape::{json, markdown, xml_attribute, xml_line, xml_quoted, xml_text};

/// One skill as far as it is shown.
pub(super) struct Shown<'a> {
    pub(super) name: &'a str,
    /// The other fields: `origin`, `description`, `location`, `compatibility`, `allowed-tools`, in this
    /// order, those that are shown.
    pub(super) fields: Vec<(&'static str, &'a str)>,
}

/// What stands at the end when skills are left out.
pub(super) struct More<'a> {
    pub(super) count: usize,
    pub(super) search: &'a str,
}

/// The list of skills, each written by [`one`].
pub(super) struct List<'a> {
    pub(super) skills: Vec<&'a str>,
    /// The name of one of them.
    pub(super) example: Option<&'a str>,
    pub(super) more: Option<More<'a>>,
}

/// The whole text, without a final line break.
pub(super) fn render(style: Style, list: &List<'_>) -> String {
    match style {
        Style::Xml | Style::XmlAttributes => available_skills(style, list),
        Style::Markdown => markdown_list(list),
        Style::Tool => tool_description(list),
        Style::Json => json_object(list),
    }
}

/// One skill as it stands in the list.
pub(super) fn one(style: Style, skill: &Shown<'_>) -> String {
    match style {
        Style::Xml => xml_elements(skill),
        Style::XmlAttributes => xml_attributes(skill),
        Style::Markdown => markdown_item(skill),
        Style::Tool => tool_line(skill),
        Style::Json => json_skill(skill),
    }
}

fn available_skills(style: Style, list: &List<'_>) -> String {
    let more = list.more.as_ref().map(|more| match style {
        Style::Tool => xml_line(&more.sentence()),
        _ => format!("<more count=\"{}\">{}</more>", more.count, xml_line(&more.sentence())),
    });
    let mut lines = vec!["<available_skills>"];
    lines.extend(&list.skills);
    lines.extend(more.as_deref());
    lines.push("</available_skills>");
    lines.join("\n")
}

/// The standard's layout: every value on lines of its own.
fn xml_elements(skill: &Shown<'_>) -> String {
    let mut out = String::from("<skill>\n");
    for (tag, value) in [("name", skill.name)].iter().chain(&skill.fields) {
        out.push_str(&format!("<{tag}>\n{}\n</{tag}>\n", xml_text(value)));
    }
    out.push_str("</skill>");
    out
}

fn xml_attributes(skill: &Shown<'_>) -> String {
    let mut out = String::from("  <skill");
    for (attribute, value) in [("name", skill.name)].iter().chain(&skill.fields) {
        out.push_str(&format!(" {attribute}=\"{}\"", xml_attribute(value)));
    }
    out.push_str(" />");
    out
}

fn markdown_list(list: &List<'_>) -> String {
    let skills = (!list.skills.is_empty()).then(|| list.skills.join("\n"));
    let more = list.more.as_ref().map(|more| format!("{}.", markdown(&more.sentence())));
    let how = "When one of these fits the task, load it by its name and follow it.".to_owned();
    let parts = [Some("## Available skills".to_owned()), skills, more, Some(how)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

fn markdown_item(skill: &Shown<'_>) -> String {
    let mut out = format!("- **{}**", markdown(skill.name));
    for (label, value) in &skill.fields {
        let value = markdown(value);
        match (*label, value.is_empty()) {
            (_, true) => {}
            ("origin", false) => out.push_str(&format!(" (from {value})")),
            ("description", false) => out.push_str(&format!(": {value}")),
            (_, false) => out.push_str(&format!("\n  - {label}: {value}")),
        }
    }
    out
}

fn tool_line(skill: &Shown<'_>) -> String {
    let mut out = xml_quoted(skill.name);
    for (label, value) in &skill.fields {
        match *label {
            "origin" => out.push_str(&format!(" (from {})", xml_line(value))),
            "description" => out.push_str(&format!(": {}", xml_line(value))),
            _ => out.push_str(&format!("\n  {label}: {}", xml_line(value))),
        }
    }
    out
}

/// What the tool that activates skills says about itself.
fn tool_description(list: &List<'_>) -> String {
    let example = list.example.map(|name| format!(", for example {}", xml_quoted(name)));
    let (example, list) = (example.unwrap_or_default(), available_skills(Style::Tool, list));
    format!(
        "Activates a skill: instructions, documents and scripts for one kind of task. When a skill \
         below fits what is asked, call this tool before anything else; naming the skill in your \
         answer does not activate it.\n\n\
         Arguments:\n\
         - skill_name: a name from the list, letter for letter{example}\n\
         - args: optional text for the skill, such as a file or a number\n\n\
         {list}\n\n\
         There are no other skills to call, and an active one is not called again. The answer holds \
         the skill's base directory and its instructions: follow them, resolve relative paths \
         against the base directory, and keep to the tools the skill allows."
    )
}

fn json_object(list: &List<'_>) -> String {
    let more = list.more.as_ref().map_or_else(String::new, |more| {
        format!(",\"omitted\":{},\"hint\":{}", more.count, json(&more.sentence()))
    });
    format!("{{\"skills\":[\n{}\n]{more}}}", list.skills.join(",\n"))
}

fn json_skill(skill: &Shown<'_>) -> String {
    let fields = [("name", skill.name)];
    let pairs = fields.iter().chain(&skill.fields);
    let pairs: Vec<_> = pairs.map(|(key, value)| format!("\"{key}\":{}", json(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

impl More<'_> {
    fn sentence(&self) -> String {
        let (noun, them) =
            if self.count == 1 { ("skill is", "it") } else { ("skills are", "them") };
        format!("{} more {noun} not listed here; find {them} with {}", self.count, self.search)
    }
}
