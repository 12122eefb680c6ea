//! Writes the built-in tables so that a run which guards one call reads only the entries it needs:
//! people write them in TOML, with comments; here each entry becomes a text in JSON of its own, found
//! by sorted names. All texts of a table are one, with numbers for where each ends, for a table of
//! many pointers would have to be put right whenever a process starts.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a build script reads and writes files and stops the build when it cannot"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let hosts = table("hosts");
    let hosts = entries(&hosts, "host");
    let names: BTreeMap<String, usize> = hosts
        .iter()
        .enumerate()
        .map(|(at, host)| (host["name"].as_str().expect("a name").to_owned(), at))
        .collect();
    write("hosts", &(texts(hosts) + &index(&names)));

    let programs = table("programs");
    let entries = entries(&programs, "program");
    // A later entry wins, so that settings can replace a built-in one.
    let (mut exact, mut families) = (BTreeMap::new(), Vec::new());
    for (at, program) in entries.iter().enumerate() {
        for name in strings(&program["names"]) {
            match name.strip_suffix('*') {
                Some(stem) => families.push(format!("{stem} {at}")),
                None => {
                    exact.insert(name, at);
                }
            }
        }
    }
    families.reverse();
    let harmless = strings(&programs["harmless-variables"]).join("\n");
    let lists = format!(
        "static FAMILIES: &str = {:?};\nstatic HARMLESS: &str = {harmless:?};\n",
        families.join("\n")
    );
    write("programs", &(texts(entries) + &index(&exact) + &lists));
}

fn variable(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(name).expect("set by cargo"))
}

fn table(name: &str) -> toml::Table {
    let file = variable("CARGO_MANIFEST_DIR").join(format!("src/data/{name}.toml"));
    println!("cargo::rerun-if-changed={}", file.display());
    std::fs::read_to_string(&file).expect("the table").parse().expect("TOML")
}

fn write(name: &str, text: &str) {
    std::fs::write(variable("OUT_DIR").join(format!("{name}.rs")), text).expect("written");
}

fn entries<'t>(table: &'t toml::Table, key: &str) -> &'t [toml::Value] {
    table[key].as_array().expect("a list")
}

fn strings(list: &toml::Value) -> Vec<String> {
    let list = list.as_array().expect("a list").iter();
    list.map(|text| text.as_str().expect("a text").to_owned()).collect()
}

/// Every entry as a text, and where each ends.
fn texts(entries: &[toml::Value]) -> String {
    let (mut text, mut ends) = (String::new(), String::new());
    for entry in entries {
        text.push_str(&serde_json::to_string(entry).expect("JSON"));
        write!(ends, "{}, ", text.len()).expect("written");
    }
    let count = entries.len();
    format!("static TEXTS: &str = {text:?};\nstatic ENDS: [u32; {count}] = [{ends}];\n")
}

/// Every name in order, where each ends, and of which entry it is.
fn index(names: &BTreeMap<String, usize>) -> String {
    let (mut text, mut ends, mut of) = (String::new(), String::new(), String::new());
    for (name, at) in names {
        text.push_str(name);
        write!(ends, "{}, ", text.len()).expect("written");
        write!(of, "{at}, ").expect("written");
    }
    let count = names.len();
    format!(
        "static NAMES: &str = {text:?};\nstatic NAME_ENDS: [u16; {count}] = [{ends}];\n\
         static OF: [u16; {count}] = [{of}];\n"
    )
}
