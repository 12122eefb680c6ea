use proptest::prelude::*;

use super::*;
use crate::fixture::Fixture;
use crate::layer::Layer;
use crate::tokens;

fn two() -> Catalog {
    Fixture::new()
        .root(Layer::Personal, "/home/skills")
        .skill_at("pdf", "pdf", "Fills in forms & joins <pages>. Use when there's a \"PDF\".")
        .facts(|facts| {
            facts.compatibility = Some("Needs python3".into());
            facts.allowed_tools = Some("Read Bash(pdftk:*)".into());
        })
        .skill_at("deep/a&b", "docx", "Writes letters.\nAnd minutes.")
        .catalog()
}

fn text(catalog: &Catalog, options: Disclose) -> String {
    disclose(catalog, &options).text
}

fn styled(style: Style) -> Disclose {
    Disclose { style, ..Disclose::default() }
}

fn everything(style: Style) -> Disclose {
    let options = styled(style);
    Disclose { location: true, compatibility: true, allowed_tools: true, ..options }
}

/// `count` skills with descriptions of different lengths in three layers.
fn many(count: usize) -> Catalog {
    let layers = [Layer::Bundled, Layer::Personal, Layer::Enterprise];
    let mut fixture = Fixture::new();
    for layer in layers {
        fixture = fixture.root(layer, layer.as_str());
        for index in (0..count).filter(|index| layers[index % 3] == layer) {
            let name = format!("skill-{index:03}");
            let words = "Looks at ledgers and sorts what it finds, with care. ".repeat(index % 9);
            let description = format!("Number {index}. {words}Use when asked.");
            fixture = fixture.skill_at(&name, &name, &description);
            fixture = fixture.facts(|facts| facts.priority = i64::try_from(index % 2).unwrap());
        }
    }
    fixture.catalog()
}

fn budgeted(budget: usize) -> Disclose {
    Disclose { budget: Some(budget), ..Disclose::default() }
}

fn level_of(disclosure: &Disclosure, name: &str) -> Level {
    disclosure.report.skills.iter().find(|skill| skill.name == name).unwrap().level
}

#[test]
fn the_standards_elements_have_the_standards_layout() {
    // D5
    let expect = "<available_skills>\n\
        <skill>\n<name>\ndocx\n</name>\n<description>\nWrites letters.\nAnd minutes.\n\
        </description>\n<location>\n/home/skills/deep/a&amp;b/SKILL.md\n</location>\n</skill>\n\
        <skill>\n<name>\npdf\n</name>\n<description>\nFills in forms &amp; joins \
        &lt;pages&gt;. Use when there&#x27;s a &quot;PDF&quot;.\n</description>\n\
        <location>\n/home/skills/pdf/SKILL.md\n</location>\n</skill>\n\
        </available_skills>";
    assert_eq!(text(&two(), Disclose { location: true, ..styled(Style::Xml) }), expect);
}

#[test]
fn attributes_are_one_line_a_skill() {
    // D5
    let expect = "<available_skills>\n  \
        <skill name=\"docx\" description=\"Writes letters.&#10;And minutes.\" />\n  \
        <skill name=\"pdf\" description=\"Fills in forms &amp; joins &lt;pages&gt;. Use when \
        there&#x27;s a &quot;PDF&quot;.\" />\n\
        </available_skills>";
    assert_eq!(text(&two(), styled(Style::XmlAttributes)), expect);
}

#[test]
fn a_markdown_list_has_one_item_a_skill() {
    // D5
    let expect = "## Available skills\n\n\
        - **docx**: Writes letters. And minutes.\n  \
          - location: /home/skills/deep/a&b/SKILL.md\n\
        - **pdf**: Fills in forms & joins \\<pages\\>. Use when there's a \"PDF\".\n  \
          - location: /home/skills/pdf/SKILL.md\n  \
          - compatibility: Needs python3\n  \
          - allowed-tools: Read Bash(pdftk:\\*)\n\n\
        When one of these fits the task, load it by its name and follow it.";
    assert_eq!(text(&two(), everything(Style::Markdown)), expect);
}

#[test]
fn the_tool_description_lists_the_skills_and_gives_a_working_example() {
    // D5
    let text = text(&two(), styled(Style::Tool));
    let list = "\n\n<available_skills>\n\
        \"docx\": Writes letters. And minutes.\n\
        \"pdf\": Fills in forms &amp; joins &lt;pages&gt;. Use when there's a \"PDF\".\n\
        </available_skills>\n\n";
    assert!(text.contains(list), "{text}");
    assert!(
        text.contains(
            "- skill_name: a name from the list, letter for letter, for example \"docx\"\n"
        )
    );
    assert!(text.starts_with("Activates a skill"));
}

#[test]
fn json_is_one_object_with_one_skill_a_line() {
    // D5
    let text = text(&two(), everything(Style::Json));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let expect = serde_json::json!({ "skills": [
        {
            "name": "docx",
            "description": "Writes letters.\nAnd minutes.",
            "location": "/home/skills/deep/a&b/SKILL.md",
        },
        {
            "name": "pdf",
            "description": "Fills in forms & joins <pages>. Use when there's a \"PDF\".",
            "location": "/home/skills/pdf/SKILL.md",
            "compatibility": "Needs python3",
            "allowed-tools": "Read Bash(pdftk:*)",
        },
    ]});
    assert_eq!(value, expect);
    assert_eq!(text.lines().count(), 4);
}

#[test]
fn what_was_not_asked_for_is_not_shown() {
    // D5
    for style in Style::ALL {
        let text = text(&two(), styled(style));
        for word in ["location", "SKILL.md", "compatibility", "allowed-tools", "pdftk"] {
            assert!(!text.contains(word), "{style:?} {word}: {text}");
        }
    }
}

#[test]
fn every_style_names_the_server_a_skill_is_from_however_short_it_is_shown() {
    // D5, U2
    let mut catalog = two();
    let entry = catalog.entries.first_mut().unwrap();
    let name = entry.name().to_string();
    entry.found.origin = Some("mcp:a*<b".into());
    for (style, origin) in [
        (Style::Xml, "<origin>\nmcp:a*&lt;b\n</origin>"),
        (Style::XmlAttributes, " origin=\"mcp:a*&lt;b\""),
        (Style::Markdown, " (from mcp:a\\*\\<b)"),
        (Style::Tool, " (from mcp:a*&lt;b)"),
        (Style::Json, "\"origin\":\"mcp:a*<b\""),
    ] {
        let whole = text(&catalog, styled(style));
        assert_eq!(whole.matches(origin).count(), 1, "{style:?}: {whole}");
        let at = whole.find(origin).unwrap();
        let before = &whole[..at];
        assert!(before.rfind(&name).is_some(), "{style:?}: it stands with its skill\n{whole}");
        let described = whole[at..].find("Writes letters.");
        assert!(described.is_some(), "{style:?}: before what the skill says of itself");
    }
    let plan = Plan { name_only: 2, ..Plan::FULL };
    let options = styled(Style::Markdown);
    let skills = Skills::of(&catalog, &options);
    let short = skills.text(&skills.parts(&plan), &plan, "");
    assert!(short.contains("(from mcp:a"), "{short}");
}

#[test]
fn an_empty_catalog_prints_nothing() {
    // D5
    for style in Style::ALL {
        let options = Disclose { guide: true, budget: Some(100), ..everything(style) };
        let disclosure = disclose(&Catalog::default(), &options);
        assert_eq!(disclosure.text, "", "{style:?}");
        assert_eq!((disclosure.report.tokens, disclosure.report.fits), (0, true));
        assert_eq!(disclosure.report.guide, GuideState::Absent);
    }
}

#[test]
fn only_what_a_model_may_see_is_shown() {
    // D4, D5
    let catalog = Fixture::new()
        .root(Layer::Project, "/work/skills")
        .with_root(|root| root.trusted = false)
        .skill("untrusted")
        .root(Layer::Personal, "/home/skills")
        .skill("by-hand")
        .facts(|facts| facts.disable_model_invocation = true)
        .skill("open")
        .catalog();
    let disclosure = disclose(&catalog, &Disclose::default());
    let names: Vec<_> = disclosure.report.skills.iter().map(|skill| &skill.name).collect();
    assert_eq!(names, ["open"]);
    assert!(!disclosure.text.contains("untrusted") && !disclosure.text.contains("by-hand"));
}

#[test]
fn the_guide_follows_the_catalog() {
    // S8, D5
    let tools = GuideTools { shell: "run_shell".into(), ..GuideTools::default() };
    let options = Disclose { guide: true, tools: tools.clone(), ..Disclose::default() };
    let disclosure = disclose(&two(), &options);
    assert!(disclosure.text.ends_with(&guide(&tools)));
    assert_eq!(disclosure.report.guide, GuideState::Included);
}

#[test]
fn a_guide_that_would_crowd_out_the_skills_is_left_out_and_reported() {
    // S8, D6
    let options = Disclose { guide: true, ..budgeted(300) };
    let disclosure = disclose(&two(), &options);
    assert!(!disclosure.text.contains("Working with skills"));
    assert_eq!(disclosure.report.guide, GuideState::Omitted);
    assert_eq!(disclosure.report.counts[&Level::Full], 2);
    let options = Disclose { guide: true, ..budgeted(3) };
    assert_eq!(disclose(&two(), &options).report.guide, GuideState::Omitted);
}

#[test]
fn a_roomy_budget_is_decided_without_counting() {
    // D6
    let disclosure = disclose(&two(), &budgeted(1000));
    assert!(!disclosure.report.exact);
    assert!(disclosure.report.fits);
    assert_eq!(disclosure.report.counts[&Level::Full], 2);
}

#[test]
fn numbers_are_counted_when_asked() {
    // D6
    let options = Disclose { exact: true, ..Disclose::default() };
    let disclosure = disclose(&two(), &options);
    assert!(disclosure.report.exact);
    assert_eq!(disclosure.report.tokens, tokens::exact(&disclosure.text).count);
    assert!(disclosure.report.skills.iter().all(|skill| skill.tokens > 10));
}

#[test]
fn long_descriptions_give_way_first_and_alike() {
    // D6
    let catalog = many(30);
    let full = disclose(&catalog, &Disclose { exact: true, ..Disclose::default() });
    let disclosure = disclose(&catalog, &budgeted(full.report.tokens * 3 / 4));
    let counts = &disclosure.report.counts;
    assert!(counts[&Level::Full] > 0 && counts[&Level::Shortened] > 0, "{counts:?}");
    assert_eq!(counts[&Level::NameOnly] + counts[&Level::Omitted], 0);
    let length = |level| {
        let of_level = disclosure.report.skills.iter().filter(move |skill| skill.level == level);
        of_level.map(|skill| {
            let entry = catalog.get(&NameKey::of(&skill.name)).unwrap();
            entry.found.description.chars().count()
        })
    };
    assert!(length(Level::Full).max() < length(Level::Shortened).min(), "one cap for all");
    assert_eq!(disclosure.text.matches('…').count(), counts[&Level::Shortened]);
}

#[test]
fn the_lowest_precedence_gives_way_first() {
    // D6
    let catalog = many(30);
    let mut levels = std::collections::BTreeSet::new();
    for budget in [200, 400, 600, 800, 1000, 1400] {
        let disclosure = disclose(&catalog, &budgeted(budget));
        let mut order: Vec<_> = catalog.visible().collect();
        order.sort_by_key(|entry| standing(&catalog, entry));
        let given: Vec<_> =
            order.iter().map(|e| level_of(&disclosure, e.name().as_str())).collect();
        let harshness = |level: &Level| match level {
            Level::Pinned | Level::Full | Level::Shortened => 0,
            Level::NameOnly => 1,
            Level::Omitted => 2,
        };
        assert!(given.is_sorted_by_key(harshness), "{budget}: {given:?}");
        levels.extend(given);
    }
    assert_eq!(levels.len(), 4, "the budgets reach every level: {levels:?}");
}

#[test]
fn what_is_left_out_is_said_in_the_text() {
    // D6
    for style in Style::ALL {
        let options = Disclose { style, ..budgeted(360) };
        let disclosure = disclose(&many(60), &options);
        let omitted = disclosure.report.counts[&Level::Omitted];
        assert!(omitted > 1 && omitted < 60, "{style:?} {omitted}");
        let sentence = format!("{omitted} more skills are not listed here; find them with ");
        assert!(disclosure.text.contains(&sentence), "{style:?} {}", disclosure.text);
        assert!(disclosure.text.contains("metier search"), "{style:?}");
    }
}

#[test]
fn one_left_out_is_one_skill() {
    // D6
    let more = render::More { count: 1, search: "`find`" };
    let list = List { skills: Vec::new(), example: None, more: Some(more) };
    let text = render::render(Style::Xml, &list);
    let sentence = "<more count=\"1\">1 more skill is not listed here; find it with `find`</more>";
    assert!(text.contains(sentence), "{text}");
}

#[test]
fn a_skill_shown_by_name_is_a_name_in_every_style() {
    // D5, D6
    let shown = render::Shown { name: "a<b", fields: Vec::new() };
    let check = |style, expect: &str| assert_eq!(render::one(style, &shown), expect);
    check(Style::Xml, "<skill>\n<name>\na&lt;b\n</name>\n</skill>");
    check(Style::XmlAttributes, "  <skill name=\"a&lt;b\" />");
    check(Style::Markdown, "- **a\\<b**");
    check(Style::Tool, "\"a&lt;b\"");
    check(Style::Json, "{\"name\":\"a<b\"}");
}

#[test]
fn a_list_of_nothing_but_what_is_missing_is_well_formed() {
    // D5, D6
    let check = |style, expect: &str| {
        let more = render::More { count: 2, search: "<find>" };
        let list = List { skills: Vec::new(), example: None, more: Some(more) };
        let text = render::render(style, &list);
        assert!(text.contains(expect), "{style:?} {text}");
        assert!(!text.contains("for example"), "{style:?} has no example to give");
    };
    let xml = "<available_skills>\n<more count=\"2\">2 more skills are not listed here; find them \
               with &lt;find&gt;</more>\n</available_skills>";
    check(Style::Xml, xml);
    check(Style::XmlAttributes, xml);
    check(
        Style::Markdown,
        "## Available skills\n\n2 more skills are not listed here; find them with \\<find\\>.\n\n\
         When one",
    );
    check(
        Style::Tool,
        "<available_skills>\n2 more skills are not listed here; find them with &lt;find&gt;\n\
         </available_skills>",
    );
    check(
        Style::Json,
        "{\"skills\":[\n\n],\"omitted\":2,\"hint\":\"2 more skills are not listed here; find them \
         with <find>\"}",
    );
}

#[test]
fn how_to_search_is_said_in_the_words_of_the_host() {
    // D6
    let search = "the tool skill_search".to_owned();
    let options = Disclose { search, ..budgeted(360) };
    let text = disclose(&many(60), &options).text;
    assert!(text.contains("find them with the tool skill_search</more>"), "{text}");
}

#[test]
fn the_text_does_not_depend_on_the_order_of_finding() {
    // D3, D5, D6
    let build = |reverse: bool| {
        let mut fixture = Fixture::new().root(Layer::Personal, "/home/skills");
        for index in 0..20 {
            fixture = fixture.skill(&format!("skill-{index}"));
        }
        if reverse {
            fixture.discovery.found.reverse();
        }
        fixture.catalog()
    };
    for style in Style::ALL {
        for budget in [None, Some(150), Some(300), Some(450)] {
            let options = Disclose { style, budget, ..Disclose::default() };
            assert_eq!(disclose(&build(false), &options), disclose(&build(true), &options));
        }
    }
}

#[test]
fn a_pinned_skill_stands_in_its_place_in_the_list() {
    // D6
    let options = Disclose { pinned: vec![NameKey::of("pdf")], ..Disclose::default() };
    let plain = disclose(&two(), &Disclose::default());
    assert_eq!(disclose(&two(), &options).text, plain.text, "pinning does not reorder");
}

#[test]
fn a_budget_too_small_for_anything_prints_nothing_and_reports_it() {
    // D6
    for style in Style::ALL {
        for budget in [0, 1, 5] {
            let disclosure = disclose(&many(9), &Disclose { style, ..budgeted(budget) });
            assert_eq!(disclosure.text, "", "{style:?}");
            assert_eq!(disclosure.report.counts[&Level::Omitted], 9);
            assert!(disclosure.report.fits);
        }
    }
}

#[test]
fn a_pinned_skill_is_shown_in_full_whatever_the_budget() {
    // D6
    let catalog = many(30);
    let pinned = vec![NameKey::of("SKILL_008"), NameKey::of("no-such")];
    let options = Disclose { pinned: pinned.clone(), ..budgeted(260) };
    let disclosure = disclose(&catalog, &options);
    assert_eq!(level_of(&disclosure, "skill-008"), Level::Pinned);
    let entry = catalog.get(&NameKey::of("skill-008")).unwrap();
    assert!(disclosure.text.contains(&*entry.found.description));
    assert!(disclosure.report.fits && tokens::exact(&disclosure.text).count <= 260);
    assert_eq!(disclosure.report.unmatched, ["no-such"]);

    let starved = disclose(&catalog, &Disclose { pinned, ..budgeted(10) });
    assert!(starved.text.contains(&*entry.found.description));
    assert!(!starved.report.fits, "and it is said that the budget is broken");
    assert_eq!(starved.report.counts[&Level::Omitted], 29);
}

#[test]
fn a_skill_shown_by_name_keeps_the_location_it_is_opened_by() {
    // D6
    let options = Disclose { location: true, ..budgeted(900) };
    let disclosure = disclose(&many(30), &options);
    let names = disclosure.report.skills.iter().filter(|skill| skill.level == Level::NameOnly);
    let names: Vec<_> = names.map(|skill| skill.name.as_str()).collect();
    assert!(!names.is_empty());
    for name in names {
        let element = format!("<name>\n{name}\n</name>\n<location>\n");
        assert!(disclosure.text.contains(&element), "{name}");
    }
}

#[test]
fn the_report_is_one_json_object() {
    // D6
    let catalog = two();
    let options = Disclose { pinned: vec![NameKey::of("pdf")], exact: true, ..Disclose::default() };
    let report = disclose(&catalog, &options).report;
    let json = serde_json::to_value(&report).unwrap();
    let expect = serde_json::json!({
        "budget": null,
        "tokens": report.tokens,
        "exact": true,
        "fits": true,
        "guide": "absent",
        "counts": { "pinned": 1, "full": 1, "shortened": 0, "name-only": 0, "omitted": 0 },
        "unmatched": [],
        "skills": [
            { "name": "docx", "level": "full", "tokens": report.skills[0].tokens },
            { "name": "pdf", "level": "pinned", "tokens": report.skills[1].tokens },
        ],
    });
    assert_eq!(json, expect);
}

#[test]
fn styles_and_levels_are_called_by_their_words() {
    // D5, D6
    for style in Style::ALL {
        assert_eq!(Style::parse(style.as_str()), Some(style));
    }
    assert_eq!(Style::parse("yaml"), None);
    for level in Level::ALL {
        assert_eq!(serde_json::to_value(level).unwrap(), level.as_str());
    }
}

/// Catalogs of every size with descriptions in several scripts.
fn catalogs() -> impl Strategy<Value = Catalog> {
    let description = prop_oneof![
        3 => "([a-z]{2,9} ){1,60}[a-z]{3}\\.",
        1 => "[\u{4e00}-\u{9fff}]{1,200}",
        1 => "(&|<|>|\"|'| ){1,80}x",
        1 => "[a-zA-Z0-9+/]{1,300}",
    ];
    let layer = prop::sample::select(Layer::ALL.to_vec());
    prop::collection::vec((description, layer, -1..2i64), 1..25).prop_map(|skills| {
        let mut fixture = Fixture::new();
        for (index, (description, layer, priority)) in skills.into_iter().enumerate() {
            let (name, root) = (format!("skill-{index}"), format!("/root/{index}"));
            fixture = fixture.root(layer, &root).skill_at(&name, &name, &description);
            fixture = fixture.facts(|facts| facts.priority = priority);
        }
        fixture.catalog()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn a_budget_is_kept_as_if_every_try_had_been_counted(
        budget in 1_usize..2_500, count in 1_usize..60, style in 0_usize..5,
        rare in proptest::bool::weighted(0.2),
    ) {
        // D6
        let mut catalog = many(count);
        if rare {
            catalog = two();
        }
        let options = Disclose { style: Style::ALL[style], ..budgeted(budget) };
        let skills = Skills::of(&catalog, &options);
        let (plan, fits) = skills.row().first_fitting(budget, |plan| {
            let text = skills.text(&skills.parts(plan), plan, "");
            tokens::by_tokenizer(&text).count <= budget
        });
        let expected = skills.text(&skills.parts(&plan), &plan, "");
        let disclosure = disclose(&catalog, &options);
        prop_assert_eq!(&disclosure.text, &expected);
        prop_assert_eq!(disclosure.report.fits, fits);
        prop_assert_eq!(disclosed(&catalog, &options), expected.clone());
        if disclosure.report.exact {
            prop_assert_eq!(disclosure.report.tokens, tokens::by_tokenizer(&expected).count);
        }
    }

    #[test]
    fn no_text_is_larger_than_its_budget(
        catalog in catalogs(),
        style in prop::sample::select(Style::ALL.to_vec()),
        budget in 0..3000usize,
        location in any::<bool>(),
        guide in any::<bool>(),
    ) {
        // D6
        let options = Disclose { style, location, guide, ..budgeted(budget) };
        let disclosure = disclose(&catalog, &options);
        let exact = tokens::exact(&disclosure.text).count;
        prop_assert!(exact <= budget, "{exact} > {budget}");
        prop_assert!(disclosure.report.fits);
        prop_assert!(disclosure.report.tokens <= budget);
        let counted: usize = disclosure.report.counts.values().sum();
        prop_assert_eq!(counted, catalog.visible().count());
        prop_assert_eq!(disclosure, disclose(&catalog, &options), "the same every time");
    }

    #[test]
    fn more_budget_never_lists_fewer_skills(catalog in catalogs(), budget in 100..1500usize) {
        // D6
        let listed = |budget| {
            let report = disclose(&catalog, &budgeted(budget)).report;
            report.skills.len() - report.counts[&Level::Omitted]
        };
        prop_assert!(listed(budget) <= listed(budget + 60));
    }
}
