//! `hello-extended`: its script and its toolset, run by Python.

use metier_testing::{Run, World, project_root, tools};
use serde_json::{Value, json};

use super::metier;

fn greet(arguments: &[&str]) -> Run {
    let script = project_root().join("skills/hello-extended/scripts/advanced_greeting.py");
    let mut world = World::new();
    for (key, value) in tools::uv_environment() {
        world.env(key, &value);
    }
    let mut all = vec!["run", "--quiet", "--script", script.to_str().unwrap()];
    all.extend(arguments);
    world.run(tools::uv().to_str().unwrap(), &all)
}

/// Loads the toolset as a host does, by file, and prints what `expression` is. `before` runs first.
fn toolset(before: &str, expression: &str) -> Value {
    let file = project_root().join("skills/hello-extended/toolsets/hello.py");
    let program = format!(
        "import asyncio, importlib.util, json, sys\n\
         sys.dont_write_bytecode = True\n\
         {before}\n\
         spec = importlib.util.spec_from_file_location('skill.toolsets.hello', {file:?})\n\
         module = importlib.util.module_from_spec(spec)\n\
         spec.loader.exec_module(module)\n\
         tools = module.HelloExtended({{'some': 'settings'}})\n\
         run = asyncio.run\n\
         print(json.dumps({expression}))\n"
    );
    let run = World::new().run("python3", &["-c", &program]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.json()
}

#[test]
fn the_script_greets_in_every_language_and_style() {
    // B1
    let check = |arguments: &[&str], expect: &str| {
        let run = greet(arguments);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?}");
        assert_eq!(run.stdout, format!("{expect}\n"));
    };
    check(&[], "Hello, world");
    check(&["--name", " Ada\n Lovelace", "--style", "cheerful"], "Hi there, Ada Lovelace!");
    check(&["--name", "{}", "--language", "german", "--style", "formal", "--hour", "9"], {
        "Guten Morgen, {}"
    });
    let run = greet(&["--name", "Ada", "--language", "japanese", "--json"]);
    let expect =
        json!({"greeting": "こんにちは、Adaさん", "language": "japanese", "style": "plain"});
    assert_eq!(run.json(), expect);
    let help = greet(&["--help"]).stdout;
    for word in ["--name", "--language", "--style", "--hour", "--json", "Example"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}

#[test]
fn the_script_refuses_what_it_cannot_do() {
    // B1
    let long = "x".repeat(101);
    let table: &[(&[&str], &str)] = &[
        (&["--language", "latin"], "invalid choice"),
        (&["--hour", "24"], "invalid choice"),
        (&["--name", " "], "a name has 1 to 100 characters"),
        (&["--name", &long], "a name has 1 to 100 characters"),
    ];
    for (arguments, message) in table {
        let run = greet(&[*arguments, &["--json"]].concat());
        let error = run.json();
        assert_eq!((run.code, run.stderr.as_str()), (1, ""));
        assert_eq!(error["kind"], "usage");
        assert!(error["error"].as_str().unwrap().contains(message), "{error}");
    }
    let run = greet(&["--language", "latin"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.starts_with("error: ") && run.stderr.lines().count() == 1, "{}", run.stderr);
}

#[test]
fn the_tools_of_the_toolset_answer() {
    // B1
    let answers = toolset(
        "",
        "[run(tools.hello_greet_in_language('Ada', ' Spanish ')), \
         run(tools.hello_greet_many(['Ada', ' Alan  Turing'])), \
         run(tools.hello_languages()), \
         run(tools.hello_greet_in_language('Ada', 'latin')), \
         run(tools.hello_greet_in_language(' ')), \
         run(tools.hello_greet_many(['Ada'] * 51)), \
         run(tools.hello_greet_many([])), \
         tools.config]",
    );
    let expect = json!([
        {"success": true, "result": "¡Hola, Ada!", "message": "Greeted 1 in spanish"},
        {"success": true, "result": "Hello, Ada!\nHello, Alan Turing!", "message": "Greeted 2 in english"},
        {"success": true, "result": ["english", "french", "german", "japanese", "spanish"], "message": "5 languages"},
        {"success": false, "error": "unknown_language", "message": "No greeting in 'latin'; see hello_languages"},
        {"success": false, "error": "invalid_name", "message": "Nobody to greet"},
        {"success": false, "error": "too_many", "message": "At most 50 names of 100 characters"},
        {"success": false, "error": "invalid_name", "message": "Nobody to greet"},
        {"some": "settings"},
    ]);
    assert_eq!(answers, expect);
}

#[test]
fn the_toolset_is_what_a_host_expects() {
    // B1
    // A host brings the base class; the toolset must be one of its own, and each tool say what it does.
    let host = "import types\n\
                for name in ('agent', 'agent.tools', 'agent.tools.toolset'):\n    \
                    sys.modules[name] = types.ModuleType(name)\n\
                class Base:\n    \
                    def __init__(self, config):\n        \
                        self.config = config\n\
                sys.modules['agent.tools.toolset'].AgentToolset = Base";
    let found = toolset(
        host,
        "[isinstance(tools, Base), \
         [(t.__name__, t.__doc__, asyncio.iscoroutinefunction(t)) for t in tools.get_tools()]]",
    );
    let expect = json!([
        true,
        [
            ["hello_greet_in_language", "Greet one person in one language.", true],
            ["hello_greet_many", "Greet several people in one language, one line each.", true],
            ["hello_languages", "List the languages there are greetings in.", true],
        ]
    ]);
    assert_eq!(found, expect);
    let skill = project_root().join("skills/hello-extended");
    let props = metier(&World::new(), &["props", skill.to_str().unwrap()]).json();
    assert_eq!(props["extra"]["toolsets"], json!(["toolsets.hello:HelloExtended"]));
}
