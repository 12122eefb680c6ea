use metier_format::SkillName;
use serde_json::{Value, json};

use super::read;
use crate::index::Contents;
use crate::reference::{Bases, Reference};
use crate::skills::Offered;

fn offered() -> Vec<Offered> {
    let skill = |path: &str| {
        let name = path.rsplit('/').next().unwrap();
        let name = SkillName::parse(name).unwrap();
        Offered { name, description: "Does it.".to_owned(), path: path.to_owned() }
    };
    ["skills/a", "skills/ab", "skills/b", "plugins/p/skills/c"].map(skill).to_vec()
}

fn at_home(plugins: Value) -> Contents {
    let bases = Bases::new("/");
    let here = Reference::parse("https://git.example/acme/market.git", &bases).unwrap();
    read(&json!({ "plugins": plugins }), Some((&here, &offered())), &bases)
}

fn names(contents: &Contents) -> Vec<&str> {
    contents.skills.iter().map(|listed| listed.name.as_str()).collect()
}

#[test]
fn a_plugin_in_the_same_repository_is_the_skills_it_names_or_all_below_it() {
    // P6
    let named = at_home(json!([{"name": "x", "source": "./", "skills": ["./skills/a"]}]));
    assert_eq!(names(&named), ["a"], "not `ab`");
    assert_eq!(named.skills[0].reference, "https://git.example/acme/market.git//skills/a");
    let all = at_home(json!([{"name": "x", "source": "./plugins/p"}]));
    assert_eq!(names(&all), ["c"]);
    let twice = at_home(json!([{"name": "x", "source": "./"}, {"name": "y", "source": "."}]));
    assert_eq!((names(&twice), twice.problems.len()), (vec!["a", "ab", "b", "c"], 0));
}

#[test]
fn a_plugin_elsewhere_is_listed_by_its_own_name() {
    // P6
    let check = |source: Value, expect: &str| {
        let plugins = json!([{"name": "tool", "description": "Helps.", "source": source}]);
        let contents = read(&json!({ "plugins": plugins }), None, &Bases::new("/"));
        assert_eq!(contents.problems, Vec::<String>::new());
        assert_eq!(contents.skills[0].reference, expect);
    };
    check(json!({"source": "github", "repo": "acme/tool"}), "https://github.com/acme/tool");
    let pinned = json!({"source": "github", "repo": "acme/tool", "ref": "v1"});
    check(pinned, "https://github.com/acme/tool#v1");
    check(
        json!({"source": "url", "url": "https://git.example/t.git"}),
        "https://git.example/t.git",
    );
    let inside = json!({"source": "git-subdir", "url": "https://git.example/t.git", "path": "a/b"});
    check(inside, "https://git.example/t.git//a/b");
}

#[test]
fn what_cannot_be_had_is_said() {
    // P6, F4
    let check = |plugin: Value| {
        let contents = read(&json!({ "plugins": [plugin] }), None, &Bases::new("/"));
        assert_eq!((contents.skills.len(), contents.problems.len()), (0, 1), "{contents:?}");
    };
    check(json!({}));
    check(json!({"name": "x"}));
    check(json!({"name": "x", "source": "./here"}));
    check(json!({"name": "x", "source": {"source": "npm", "package": "x"}}));
    check(json!({"name": "x", "source": {"source": "url", "url": "ext::sh -c id"}}));
    check(json!({"name": "x", "source": {"source": "url", "url": "--upload-pack=id"}}));
    check(json!({"name": "Not A Name", "source": {"source": "github", "repo": "a/b"}}));
    for plugin in [
        json!({"name": "x", "source": "../../etc"}),
        json!({"name": "x", "source": "./plugins/../../etc"}),
        json!({"name": "x", "source": "/etc"}),
        json!({"name": "x", "source": "./", "skills": ["../skills/a"]}),
    ] {
        let outside = at_home(json!([plugin, {"name": "y", "source": "./plugins/p"}]));
        assert_eq!((names(&outside), outside.problems.len()), (vec!["c"], 1), "{plugin}");
        assert!(outside.problems[0].contains("`x`") && outside.problems[0].contains("outside"));
    }
    let nothing = read(&json!({ "plugins": 7 }), None, &Bases::new("/"));
    assert!(nothing.skills.is_empty());
}
