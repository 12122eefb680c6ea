use metier_format::SkillName;
use serde_json::{Value, json};

use super::{Market, read};
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
    let market = Market { at: &here.source(), here: Some((&here, &offered())) };
    read(&json!({ "plugins": plugins }), market, &bases)
}

/// What a list at `at` says, which lies beside nothing.
fn at(at: &str, plugins: Value) -> Contents {
    read(&json!({ "plugins": plugins }), Market { at, here: None }, &Bases::new("/"))
}

const WEB: &str = "https://market.example/marketplace.json";

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
        let contents = at(WEB, plugins);
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
        let contents = at(WEB, json!([plugin]));
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
    let nothing = at(WEB, json!(7));
    assert!(nothing.skills.is_empty());
}

#[test]
fn a_list_from_elsewhere_names_no_place_on_this_machine() {
    // P6, S3
    let (disk, git) = ("/srv/market", "file:///srv/market.git");
    let loopback = "http://127.0.0.1:8000/marketplace.json";
    let lists =
        [WEB, "ssh://git@git.example/market.git", "git@git.example:market", loopback, git, disk];
    let check = |url: &str, may: [bool; 6]| {
        let source = json!({"source": "url", "url": url});
        for (list, may) in lists.into_iter().zip(may) {
            let contents = at(list, json!([{"name": "x", "source": source}]));
            let got = (contents.skills.len(), contents.problems.len());
            assert_eq!(got, if may { (1, 0) } else { (0, 1) }, "{list} names {url}: {contents:?}");
        }
    };
    let (network, machine) = ([true; 6], [false, false, false, true, true, true]);
    let local = [false, false, false, false, true, true];
    check("https://git.example/t.git", network);
    check("ssh://git@git.example/t.git", network);
    check("git@git.example:t", network);
    check("https://x.example/t.tar.gz", network);
    check("http://127.0.0.1:9/t.git", machine);
    for url in [
        "https://127.0.0.1:8443/x.git",
        "https://127.0.0.1:8443/x.tar.gz",
        "ssh://localhost/x.git",
        "git@localhost:x",
        "https://169.254.169.254/x/y.git",
        "https://[::1]/x.git",
    ] {
        check(url, machine);
    }
    check("http://127.0.0.1:9/t.tar.gz", machine);
    for url in ["/abs/secret", "./secret", "../secret", "file:///abs/secret", "secret.tar.gz"] {
        check(url, local);
    }
    for url in ["mcp:team//refunds", "mcp+http://127.0.0.1:9/mcp", "mcp+https://x.example/mcp"] {
        check(url, [false; 6]);
    }
    let bases = Bases { home: Some("/home/me".into()), ..Bases::new("/") };
    let home = json!({"plugins": [{"name": "x", "source": {"source": "url", "url": "~/secret"}}]});
    let home = read(&home, Market { at: WEB, here: None }, &bases);
    assert_eq!((home.skills.len(), home.problems.len()), (0, 1), "{home:?}");
    assert!(home.problems[0].contains("on this machine, and the list is not"), "{home:?}");
}

#[test]
fn what_the_users_own_settings_are_short_for_may_be_named() {
    // P6
    let bases = Bases { repositories: "file:///srv/git".to_owned(), ..Bases::new("/") };
    let check = |url: &str, listed: usize| {
        let source = json!({"source": "url", "url": url});
        let document = json!({"plugins": [{"name": "x", "source": source}]});
        let contents = read(&document, Market { at: WEB, here: None }, &bases);
        assert_eq!(contents.skills.len(), listed, "{url}: {contents:?}");
    };
    check("acme/tool", 1);
    check("file:///srv/github/tool", 0);
    check("file:///srv/other/tool", 0);
}
