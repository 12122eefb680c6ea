//! Names, descriptions and paths made to break out of their element, against strict readers of
//! each style that accept nothing but what we write.

use std::collections::BTreeMap;

use metier_format::SkillName;
use metier_format::text::{is_live, visible, visible_line};
use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::*;
use crate::fixture::Fixture;
use crate::layer::Layer;

/// Cases of as many skills make ten thousand strings of each kind a style.
const CASES: u32 = 500;
const SKILLS: usize = 20;

/// What is read back of one skill.
type Read = BTreeMap<String, String>;

const FRAGMENTS: &[&str] = &[
    "</description>",
    "</skill>",
    "</available_skills>",
    "<skill>",
    "<name>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&lt;",
    "&#60;",
    "&amp",
    "&",
    "\" />",
    "\" name=\"evil",
    "'",
    "\"evil\": ",
    "\n\"evil\": does",
    "\n- **evil**: does",
    "\n  - location: /evil",
    "**evil**",
    "__x__",
    "_x_ y_z",
    "`",
    "```\n",
    "~~~",
    "# heading",
    "\n\n## heading\n",
    "\n---\n",
    "===",
    "> quote",
    "[x](javascript:y)",
    "![x](y)",
    "[ref]: /x",
    "<script>",
    "<https://x.y>",
    "| a | b |",
    "\\",
    "\\\\\"",
    "\"}]}",
    "\",\"name\":\"evil",
    "\u{1b}[2J",
    "\u{1b}]0;x\u{7}",
    "\u{9b}31m",
    "\r",
    "\r\n",
    "\u{0}",
    "\u{8}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{2028}",
    "\u{e0041}",
    "\u{feff}",
    "\u{fffe}",
    "\u{85}",
    " ",
    "\t",
    "  \n",
    "word",
    "漢字",
    "1. ",
    "...",
];

/// A small generator of numbers, because growing ten thousand strings piece by piece as proptest
/// does it takes longer than all other tests together.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides
    }

    fn piece(&mut self) -> String {
        let any = |code: usize| char::from_u32(u32::try_from(code).unwrap()).unwrap_or('x');
        match self.roll(10) {
            0 => any(self.roll(0x11_0000)).to_string(),
            1 => any(self.roll(0x80)).to_string(),
            _ => FRAGMENTS[self.roll(FRAGMENTS.len())].to_owned(),
        }
    }

    fn text(&mut self) -> String {
        (0..=self.roll(7)).map(|_| self.piece()).collect()
    }
}

/// A name that can be loaded, as hostile as that allows.
fn name(text: &str, index: usize) -> String {
    let tame: String =
        text.chars().filter(|c| !is_live(*c) && !matches!(c, '\n' | '\t' | '/' | '\\')).collect();
    let name = format!("{tame}{index:02}");
    SkillName::parse(&name).map_or_else(|_| format!("n{index}"), |name| name.to_string())
}

#[derive(Clone, Debug)]
struct Skill {
    name: String,
    description: String,
    path: String,
}

fn skills() -> impl Strategy<Value = Vec<Skill>> {
    (1..u64::MAX).prop_map(|seed| {
        let mut dice = Dice(seed);
        let skill = |index| Skill {
            name: name(&dice.text(), index),
            description: dice.text(),
            path: format!("{index}{}", dice.text()),
        };
        (0..SKILLS).map(skill).collect()
    })
}

fn catalog(skills: &[Skill]) -> Catalog {
    let root = Fixture::new().root(Layer::Personal, "/home/<b>/\"s\"");
    let fixture = skills.iter().enumerate().fold(root, |fixture, (index, skill)| {
        let fixture = fixture.skill_at(&skill.path, &skill.name, &skill.description);
        if index % 4 != 0 {
            return fixture;
        }
        fixture.facts(|facts| {
            facts.compatibility = Some(skill.path.as_str().into());
            facts.allowed_tools = Some(skill.path.as_str().into());
        })
    });
    fixture.catalog()
}

/// Renders the skills, reads them back and compares; `shown` is what a value becomes.
fn check(
    skills: &[Skill],
    style: Style,
    read: impl Fn(&str) -> Vec<Read>,
    shown: impl Fn(&str) -> String,
) -> Result<(), TestCaseError> {
    let catalog = catalog(skills);
    let options = Disclose {
        style,
        location: true,
        compatibility: true,
        allowed_tools: true,
        ..Disclose::default()
    };
    let text = disclose(&catalog, &options).text;
    prop_assert!(!text.chars().any(is_live), "{text:?}");
    let found = read(&text);
    let expect: Vec<Read> = catalog
        .visible()
        .map(|entry| {
            let location = catalog.directory(&entry.found).join("SKILL.md");
            let location = location.to_string_lossy();
            let fields = [
                ("name", Some(entry.name().as_str())),
                ("description", Some(&*entry.found.description)),
                ("location", Some(&*location)),
                ("compatibility", entry.facts().and_then(|facts| facts.compatibility.as_deref())),
                ("allowed-tools", entry.facts().and_then(|facts| facts.allowed_tools.as_deref())),
            ];
            let fields = fields.into_iter();
            let fields = fields.filter_map(|(key, value)| Some((key.to_owned(), shown(value?))));
            fields.filter(|(_, value)| style != Style::Markdown || !value.is_empty()).collect()
        })
        .collect();
    prop_assert_eq!(found.len(), skills.len());
    prop_assert_eq!(found, expect);
    Ok(())
}

/// Reads on only where what is expected stands.
struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    fn take(&mut self, expect: &str) -> bool {
        let rest = self.0.strip_prefix(expect);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn must(&mut self, expect: &str) {
        assert!(self.take(expect), "expected {expect:?} at {:?}", self.0);
    }

    fn until(&mut self, end: &str) -> &'a str {
        let (before, after) = self.0.split_once(end).unwrap_or_else(|| panic!("no {end:?}"));
        self.0 = after;
        before
    }
}

/// Undoes the entities we write and refuses everything that is not text.
fn text(escaped: &str) -> String {
    assert!(!escaped.contains(['<', '>', '"', '\'']), "{escaped:?}");
    entities(escaped)
}

fn entities(escaped: &str) -> String {
    let known = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#10;", "\n"),
        ("&#9;", "\t"),
    ];
    let mut parts = escaped.split("&amp;").map(|part| {
        let plain = known.iter().fold(part.to_owned(), |s, (from, to)| s.replace(from, to));
        let loose = known.iter().fold(part.to_owned(), |s, (from, _)| s.replace(from, ""));
        assert!(!loose.contains('&'), "a loose & in {escaped:?}");
        plain
    });
    let first = parts.next().unwrap_or_default();
    parts.fold(first, |all, part| all + "&" + &part)
}

fn read_xml(source: &str) -> Vec<Read> {
    let mut reader = Reader(source);
    let mut skills = Vec::new();
    reader.must("<available_skills>\n");
    while reader.take("<skill>\n") {
        let mut fields = Read::new();
        while !reader.take("</skill>\n") {
            reader.must("<");
            let tag = reader.until(">\n");
            let value = reader.until(&format!("\n</{tag}>\n"));
            fields.insert(tag.to_owned(), text(value));
        }
        skills.push(fields);
    }
    reader.must("</available_skills>");
    assert_eq!(reader.0, "");
    skills
}

fn read_attributes(source: &str) -> Vec<Read> {
    let mut reader = Reader(source);
    let mut skills = Vec::new();
    reader.must("<available_skills>\n");
    while reader.take("  <skill") {
        let mut fields = Read::new();
        while !reader.take(" />\n") {
            reader.must(" ");
            let attribute = reader.until("=\"");
            let value = reader.until("\"");
            assert!(!value.contains(['\n', '\t']));
            fields.insert(attribute.to_owned(), text(value));
        }
        skills.push(fields);
    }
    reader.must("</available_skills>");
    assert_eq!(reader.0, "");
    skills
}

fn read_tool(source: &str) -> Vec<Read> {
    let list = source.split("<available_skills>\n").collect::<Vec<_>>();
    let [_, list] = list[..] else { panic!("one list in {source:?}") };
    let (list, _) = list.split_once("\n</available_skills>\n").unwrap();
    assert!(!list.contains(['<', '>']), "{list:?}");
    let mut skills: Vec<Read> = Vec::new();
    for line in list.lines() {
        let (key, value) = match line.strip_prefix("  ") {
            Some(field) => field.split_once(": ").unwrap(),
            None => {
                let (name, rest) = quoted(line);
                skills.push(Read::from([("name".to_owned(), entities(&name))]));
                ("description", rest.strip_prefix(": ").unwrap())
            }
        };
        skills.last_mut().unwrap().insert(key.to_owned(), entities(value));
    }
    skills
}

/// The string in quotes at the start of a line, and the rest.
fn quoted(line: &str) -> (String, &str) {
    let mut inside = line.strip_prefix('"').unwrap().char_indices();
    let mut name = String::new();
    loop {
        match inside.next().unwrap() {
            (at, '"') => return (name, &line[at + 2..]),
            (_, '\\') => name.push(inside.next().unwrap().1),
            (_, c) => name.push(c),
        }
    }
}

fn read_json(source: &str) -> Vec<Read> {
    let value: serde_json::Value = serde_json::from_str(source).unwrap();
    serde_json::from_value(value["skills"].clone()).unwrap()
}

/// A heading, one list whose items are a name in bold, a text and a list of fields, a paragraph.
fn read_markdown(source: &str) -> Vec<Read> {
    let mut skills: Vec<Read> = Vec::new();
    let (mut depth, mut bold, mut line) = (0, false, String::new());
    for event in Parser::new(source) {
        match event {
            Event::Start(Tag::Item) => depth += 1,
            Event::End(TagEnd::Item) => {
                field(&mut skills, &std::mem::take(&mut line));
                depth -= 1;
            }
            Event::Start(Tag::Strong) => {
                assert_eq!(depth, 1, "bold only in items: {source:?}");
                bold = true;
                skills.push(Read::new());
            }
            Event::End(TagEnd::Strong) => bold = false,
            Event::Text(text) if bold => {
                let name = skills.last_mut().unwrap().entry("name".to_owned()).or_default();
                name.push_str(&text);
            }
            Event::Text(text) if depth > 0 => line.push_str(&text),
            Event::Start(Tag::List(None)) => field(&mut skills, &std::mem::take(&mut line)),
            Event::End(TagEnd::List(false)) => {}
            Event::Text(_) => {}
            Event::Start(Tag::Heading { .. } | Tag::Paragraph) => assert_eq!(depth, 0),
            Event::End(TagEnd::Heading(_) | TagEnd::Paragraph) => {}
            other => panic!("{other:?} in {source:?}"),
        }
    }
    skills
}

fn field(skills: &mut [Read], line: &str) {
    let Some(skill) = skills.last_mut() else { return };
    let (key, value) = match line.strip_prefix(": ") {
        Some(description) => ("description", description),
        None if line.is_empty() => return,
        None => line.split_once(": ").unwrap(),
    };
    assert_eq!(skill.insert(key.to_owned(), value.to_owned()), None, "{key} twice");
}

fn lines(text: &str) -> String {
    visible(text)
        .replace("\r\n", "\n")
        .replace('\u{fffe}', "\\u{fffe}")
        .replace('\u{ffff}', "\\u{ffff}")
}

fn line(text: &str) -> String {
    visible_line(text).replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn no_text_breaks_out_of_an_element(skills in skills()) {
        // D5
        check(&skills, Style::Xml, read_xml, lines)?;
    }

    #[test]
    fn no_text_breaks_out_of_an_attribute(skills in skills()) {
        // D5
        check(&skills, Style::XmlAttributes, read_attributes, lines)?;
    }

    #[test]
    fn no_text_breaks_out_of_a_list_item(skills in skills()) {
        // D5
        check(&skills, Style::Markdown, read_markdown, |text| visible_line(text).trim().to_owned())?;
    }

    #[test]
    fn no_text_breaks_out_of_a_line_of_the_tool(skills in skills()) {
        // D5
        check(&skills, Style::Tool, read_tool, line)?;
    }

    #[test]
    fn no_text_breaks_out_of_json(skills in skills()) {
        // D5
        check(&skills, Style::Json, read_json, |text| visible(text).into_owned())?;
    }
}
