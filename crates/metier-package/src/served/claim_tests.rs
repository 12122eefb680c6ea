use serde_json::json;

use super::*;
use crate::served::tests::honest;

/// What an honest entry of `pdf` becomes after a change: `ok`, or the fault.
fn check(change: impl Fn(&mut Value), expect: &str) {
    let (mut entry, _) = honest("team/pdf", &[("scripts/run.py", "print()")]);
    change(&mut entry);
    let got = match Claim::read(&entry) {
        Ok(claim) => format!("ok {}", claim.files.len()),
        Err(fault) => fault.to_string(),
    };
    assert!(got.contains(expect), "`{expect}` expected, got `{got}` for {entry}");
}

#[test]
fn an_entry_says_where_a_skill_is_and_what_its_files_are() {
    // U2
    let (entry, files) = honest("team/pdf", &[("scripts/run.py", "print()"), ("A.md", "")]);
    let claim = Claim::read(&entry).unwrap();
    assert_eq!((claim.name.as_str(), claim.path.as_str()), ("pdf", "team/pdf"));
    assert_eq!(Claim::uri_of(&claim.path), claim.uri);
    let paths: Vec<&str> = claim.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["SKILL.md", "A.md", "scripts/run.py"], "the one that matters is first");
    assert_eq!(claim.manifest().unwrap().size, files[0].1.len() as u64);
    let sorted: Vec<&str> = claim.digests().iter().map(|(path, _)| *path).collect();
    assert_eq!(sorted, ["A.md", "SKILL.md", "scripts/run.py"]);
}

#[test]
fn what_is_no_entry_is_refused() {
    // U2
    check(|_| {}, "ok 2");
    check(|e| *e = json!("skill://pdf/SKILL.md"), "no `uri`");
    for key in ["uri", "frontmatter"] {
        check(|e| drop(e.as_object_mut().unwrap().remove(key)), &format!("no `{key}`"));
        check(|e| e[key] = json!(7), &format!("no `{key}`"));
    }
    check(|e| e["frontmatter"]["name"] = json!(7), "no `frontmatter.name`");
    check(|e| e["frontmatter"]["description"] = Value::Null, "no `frontmatter.description`");
    check(|e| e["resources"] = json!({}), "no `resources`");
    check(|e| e["resources"] = json!("all"), "no `resources`");
    check(|e| e["resources"][1] = json!(null), "no `resources.uri`");
    check(|e| e["unknown"] = json!({"_meta": 1}), "ok 2");
    check(|e| e["resources"][1]["mimeType"] = json!("text/x-python"), "ok 2");
}

#[test]
fn a_skill_whose_files_nobody_names_is_not_for_installing() {
    // U2
    check(|e| e["resources"] = json!("dynamic"), "made as they are asked for");
    check(|e| drop(e.as_object_mut().unwrap().remove("resources")), "made as they are asked for");
    check(|e| e["resources"] = json!([]), "`SKILL.md` is not among its files");
    check(|e| drop(e["resources"].as_array_mut().unwrap().remove(0)), "`SKILL.md` is not among");
}

#[test]
fn any_scheme_names_a_skill_as_long_as_all_of_its_files_are_below_it() {
    // U2
    let with = |scheme: &str| {
        let (entry, _) = honest("acme/skills/pdf", &[("scripts/run.py", "print()")]);
        let text = entry.to_string().replace("skill://", scheme);
        Claim::read(&serde_json::from_str(&text).unwrap())
    };
    for scheme in ["skill://", "github://", "https://", "x-1.0+team://"] {
        let claim = with(scheme).unwrap();
        assert_eq!(claim.path, "acme/skills/pdf", "{scheme}");
        assert_eq!(claim.uri, format!("{scheme}acme/skills/pdf/SKILL.md"));
        let paths: Vec<&str> = claim.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["SKILL.md", "scripts/run.py"], "{scheme}");
    }
    for scheme in ["GitHub://", "skill:", "skill:///", "skill://../", "a b://", "\u{e9}://"] {
        assert!(with(scheme).is_err(), "{scheme}");
    }
    let foreign = "is not a file of this skill";
    check(|e| e["resources"][1]["uri"] = "github://team/pdf/scripts/run.py".into(), foreign);
    check(|e| e["resources"][1]["uri"] = "skill://team/pdfs/run.py".into(), foreign);
}

#[test]
fn an_address_means_one_file_and_says_so_in_one_way() {
    // U2
    for (uri, expect) in [
        ("skill://team/pdf/SKILL.md", "ok"),
        ("file:///team/pdf/SKILL.md", "the path is absolute"),
        ("SKILL://team/pdf/SKILL.md", "does not start with a scheme"),
        ("://team/pdf/SKILL.md", "does not start with a scheme"),
        ("1x://team/pdf/SKILL.md", "does not start with a scheme"),
        ("s k://team/pdf/SKILL.md", "does not start with a scheme"),
        ("/team/pdf/SKILL.md", "does not start with a scheme"),
        ("skill:/team/pdf/SKILL.md", "does not start with a scheme"),
        // One scheme for the skill, another one for its files.
        ("https://team/pdf/SKILL.md", "is not a file of this skill"),
        ("skill://team/pdf", "does not end in `/SKILL.md`"),
        ("skill://team/pdf/skill.md", "does not end in `/SKILL.md`"),
        ("skill://SKILL.md", "does not end in `/SKILL.md`"),
        ("skill:///SKILL.md", "empty component"),
        ("skill:////pdf/SKILL.md", "the path is absolute"),
        ("skill://team//pdf/SKILL.md", "empty component"),
        ("skill://team/../pdf/SKILL.md", "goes up"),
        ("skill://../pdf/SKILL.md", "goes up"),
        ("skill://team/./pdf/SKILL.md", "empty component"),
        ("skill://team/%2e%2e/pdf/SKILL.md", "`%` or `@`"),
        ("skill://user@team/pdf/SKILL.md", "`%` or `@`"),
        ("skill://team:80/pdf/SKILL.md", "contains `:`"),
        ("skill://team/pdf/SKILL.md?x=1", "U+003F"),
        ("skill://team/pdf/SKILL.md#x", "U+0023"),
        ("skill://team\\pdf/SKILL.md", "U+005C"),
        ("skill://team/pdf\u{202e}/SKILL.md", "U+202E"),
        ("skill://team/p df/SKILL.md", "U+0020"),
        ("skill://-rf/pdf/SKILL.md", "taken for an option"),
        ("skill://.git/pdf/SKILL.md", "git directory"),
        ("skill://con/pdf/SKILL.md", "device"),
        ("skill://team/pfd/SKILL.md", "is called `pdf` and lies"),
        ("skill://team/PDF/SKILL.md", "is called `pdf` and lies"),
    ] {
        check(
            |e| {
                e["uri"] = uri.into();
                if uri == "skill://team/pdf/SKILL.md" {
                    e["resources"][0]["uri"] = uri.into();
                }
            },
            expect,
        );
    }
    let long = format!("skill://{}/SKILL.md", "x/".repeat(4000));
    check(|e| e["uri"] = long.clone().into(), "it is too long");
    for name in ["Pdf", "p--df", "-pdf", "p_df", "p\u{fc}f"] {
        let (mut entry, _) = honest("team/pdf", &[]);
        entry["frontmatter"]["name"] = name.into();
        entry["uri"] = format!("skill://team/{name}/SKILL.md").into();
        assert!(Claim::read(&entry).is_err(), "{name}");
    }
    check(
        |e| {
            e["frontmatter"]["name"] = "p--df".into();
            e["uri"] = "skill://team/p--df/SKILL.md".into();
        },
        "not a skill's name by the standard",
    );
}

#[test]
fn files_lie_inside_the_skill_each_once_under_a_name_all_systems_take() {
    // U2, P2
    for (uri, expect) in [
        ("skill://team/pdf/scripts/a%20b.py", "ok 2"),
        ("skill://team/pdf/100%25.md", "ok 2"),
        ("skill://team/pdf/n\u{fc}.md", "U+00FC"),
        ("skill://team/pdf/n%C3%BC.md", "ok 2"),
        ("skill://team/other/x.md", "is not a file of this skill"),
        ("skill://team/pdfx/x.md", "is not a file of this skill"),
        ("skill://team/pdf", "is not a file of this skill"),
        ("skill://team/pdf/", "empty component"),
        ("file:///etc/passwd", "is not a file of this skill"),
        ("skill://team/pdf/../other/x.md", "goes up"),
        ("skill://team/pdf/%2e%2e/x.md", "escapes what needs no escape"),
        ("skill://team/pdf/%2E%2E/x.md", "escapes what needs no escape"),
        ("skill://team/pdf/..%2fx.md", "escapes what needs no escape"),
        ("skill://team/pdf/%61.md", "escapes what needs no escape"),
        ("skill://team/pdf/%zz.md", "escapes what needs no escape"),
        ("skill://team/pdf/a%", "escapes what needs no escape"),
        ("skill://team/pdf/%ff.md", "or what is no text"),
        ("skill://team/pdf/%00.md", "control character U+0000"),
        ("skill://team/pdf/%1b.md", "control character U+001B"),
        ("skill://team/pdf/%E2%80%AE.md", "hidden character U+202E"),
        ("skill://team/pdf/%5c..%5cx", "goes up"),
        ("skill://team/pdf//etc/passwd", "the path is absolute"),
        ("skill://team/pdf/.git/config", "git directory"),
        ("skill://team/pdf/.GIT/hooks/x", "git directory"),
        ("skill://team/pdf/nul.txt", "device"),
        ("skill://team/pdf/x.md.", "ends in a dot"),
        ("skill://team/pdf/-rf", "taken for an option"),
        ("skill://team/pdf/SKILL.md", "there twice"),
        ("skill://team/pdf/skill.md", "differs from `SKILL.md` in case only"),
        ("skill://team/pdf/SKILL.md/x", "both a file and a directory"),
    ] {
        check(|e| e["resources"][1]["uri"] = uri.into(), expect);
    }
    check(
        |e| {
            let digest = e["resources"][0]["digest"].clone();
            for at in ["HEAD", "objects/x", "refs/x"] {
                let uri = format!("skill://team/pdf/{at}");
                let file = json!({"uri": uri, "digest": digest, "size": 1});
                e["resources"].as_array_mut().unwrap().push(file);
            }
        },
        "laid out as a git repository",
    );
}

#[test]
fn a_digest_and_a_size_are_one_spelling_of_one_number() {
    // U2
    let good = "a".repeat(64);
    for bad in [
        json!(null),
        json!(7),
        json!(""),
        json!(good),
        json!(format!("sha256:{}", "A".repeat(64))),
        json!(format!("sha256:{}", "a".repeat(63))),
        json!(format!("sha256:{}g", "a".repeat(63))),
        json!(format!("sha512:{good}")),
        json!(format!("sha256: {good}")),
    ] {
        check(|e| e["resources"][1]["digest"] = bad.clone(), "64 lowercase digits");
    }
    for bad in [json!(null), json!("7"), json!(-1), json!(1.5), json!(1e30)] {
        check(|e| e["resources"][1]["size"] = bad.clone(), "not a number of bytes");
    }
}

#[test]
fn as_much_as_every_host_takes_is_taken_and_far_more_is_not() {
    // U2
    let digest = format!("sha256:{}", "a".repeat(64));
    let many = |count: usize, size: u64| {
        let (mut entry, _) = honest("team/pdf", &[]);
        for number in 1..count {
            let uri = format!("skill://team/pdf/{number}.md");
            let file = json!({"uri": uri, "digest": digest, "size": size});
            entry["resources"].as_array_mut().unwrap().push(file);
        }
        Claim::read(&entry)
    };
    assert_eq!(many(512, 30_000).unwrap().files.len(), 512, "15 MiB in 512 files");
    assert_eq!(many(2, 16 << 20).unwrap().files.len(), 2);
    assert_eq!(many(MAX_SERVED_FILES + 1, 1), Err(Fault::TooMany));
    assert_eq!(many(2, MAX_SERVED_BYTES), Err(Fault::TooLarge));
    assert_eq!(many(3, u64::MAX), Err(Fault::TooLarge));
}

#[test]
fn every_fault_is_a_sentence() {
    // U2
    let text = || "x".to_owned();
    for fault in [
        Fault::Shape("uri"),
        Fault::Uri { uri: text(), why: text() },
        Fault::Name(text()),
        Fault::NotAName(text()),
        Fault::Digest(text()),
        Fault::Size(text()),
        Fault::Foreign(text()),
        Fault::Path(Hazard::Duplicate.at(b"x")),
        Fault::NoManifest,
        Fault::TooMany,
        Fault::TooLarge,
        Fault::Dynamic,
        Fault::Twice,
    ] {
        let said = fault.to_string();
        assert!(said.len() > 10 && !said.ends_with('.') && !said.contains('\n'), "{said}");
        assert_eq!(fault.hazard().code(), "PK604");
    }
}
