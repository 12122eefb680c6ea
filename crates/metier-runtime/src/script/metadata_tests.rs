use super::{Metadata, MetadataError, lock_is_plain, read};

fn check(source: &str, expect: Result<Option<Metadata>, MetadataError>) {
    assert_eq!(read(source.as_bytes()), expect, "{source}");
}

fn some(dependencies: &[&str], requires: Option<&str>) -> Result<Option<Metadata>, MetadataError> {
    Ok(Some(Metadata {
        dependencies: dependencies.iter().map(ToString::to_string).collect(),
        requires_python: requires.map(str::to_owned),
        ..Metadata::default()
    }))
}

#[test]
fn a_block_is_read_and_what_only_looks_like_one_is_not() {
    // R3
    check("print(1)\n", Ok(None));
    check("# /// script\n# dependencies = []\n# ///\n", some(&[], None));
    check(
        "#!/usr/bin/env python3\n# /// script\n# requires-python = \">=3.9\"\n# dependencies = [\n#   \"httpx\",\n#   \"click<9\",\n# ]\n# ///\nimport httpx\n",
        some(&["httpx", "click<9"], Some(">=3.9")),
    );
    check("# /// script\r\n# dependencies = ['a']\r\n# ///\r\n", some(&["a"], None));
    check("# /// script\n#\n# ///\n", some(&[], None));
    check("# /// script\n# dependencies = []\nprint(1)\n", Ok(None));
    check("#/// script\n# ///\n", Ok(None));
    check("# /// tool\n# x\n# ///\n", Ok(None));
    check("text = '''\n# /// script\n'''\n", Ok(None));
}

#[test]
fn a_block_that_cannot_be_used_says_why() {
    // R3
    check(
        "# /// script\n# a = 1\n# ///\n\n# /// script\n# b = 1\n# ///\n",
        Err(MetadataError::Several),
    );
    check(
        "# /// script\n# dependencies = 'x'\n# ///\n",
        Err(MetadataError::Value("dependencies", "a list of texts")),
    );
    check(
        "# /// script\n# dependencies = [1]\n# ///\n",
        Err(MetadataError::Value("dependencies", "a list of texts")),
    );
    check(
        "# /// script\n# requires-python = 3\n# ///\n",
        Err(MetadataError::Value("requires-python", "a text")),
    );
    let broken = read(b"# /// script\n# = =\n# ///\n").unwrap_err();
    assert!(matches!(broken, MetadataError::Syntax(_)));
    let long = format!("# /// script\n{}# ///\n", "# x = 1\n".repeat(100_000));
    check(&long, Err(MetadataError::TooLarge));
}

#[test]
fn no_bytes_make_it_panic() {
    // R3
    for source in
        [&b"\xff\xfe# /// script\n"[..], b"# /// script", b"", b"# /// script\n\xff\n# ///"]
    {
        let _ = read(source);
    }
}

fn block(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("# {line}\n")).collect();
    format!("# /// script\n{lines}# ///\n")
}

#[test]
fn a_script_says_what_it_needs_and_not_how_it_is_had() {
    // R3, R6
    for (lines, key) in [
        ("[tool.uv]\ncompile-bytecode = true", "tool.uv.compile-bytecode"),
        ("[tool.uv]\nindex-url = 'http://127.0.0.1:1/simple'", "tool.uv.index-url"),
        ("[[tool.uv.index]]\nurl = 'https://example.org'", "tool.uv.index"),
        ("[tool.uv]\nfind-links = ['.']", "tool.uv.find-links"),
        ("[tool.uv]\nsources = []", "tool.uv.sources"),
        ("[tool.uv.sources]\nb = { path = './b', editable = true }", "tool.uv.sources.b"),
        ("[tool.uv.sources]\nb = { path = 'b.whl', editable = true }", "tool.uv.sources.b"),
        ("[tool.uv.sources]\nb = { path = './b' }", "tool.uv.sources.b"),
        ("[tool.uv.sources]\nb = { path = 'b.tar.gz' }", "tool.uv.sources.b"),
        ("[tool.uv.sources]\nb = { git = 'https://example.org/b' }", "tool.uv.sources.b"),
        ("[tool.uv.sources]\nb = { url = 'https://example.org/b.whl' }", "tool.uv.sources.b"),
        ("[tool.uv.sources]\nb = [{ path = 'b.whl' }]", "tool.uv.sources.b"),
    ] {
        check(&block(lines), Err(MetadataError::NotItsOwn(key.to_owned())));
    }
    check(&block("[tool]\nuv = 1"), Err(MetadataError::Value("tool.uv", "a table")));
    check(&block("tool = 1\ndependencies = ['a']"), some(&["a"], None));
    check(
        &block("[tool.uv]\nexclude-newer = 1"),
        Err(MetadataError::Value("tool.uv.exclude-newer", "a text")),
    );
    for address in
        ["a @ https://example.org/a.whl", "a@file:///skill/a.whl", "a [x] @ git+ssh://h/a"]
    {
        let lines = format!("dependencies = ['{address}']");
        check(&block(&lines), Err(MetadataError::Address(address.to_owned())));
    }
}

#[test]
fn what_uv_is_given_says_what_was_understood() {
    // R3, R6
    let source = block(
        "requires-python = '>=3.9'\ndependencies = ['a>=1; python_version > \"3\"', 'b']\n[tool.other]\nx = 1\n\
         [tool.uv]\nexclude-newer = '2026-01-01'\n[tool.uv.sources]\na = { path = '../wheels/a.whl' }",
    );
    // A line ends at a carriage return for some readers: for them, what follows is the first block.
    let hidden = format!("x = 1\r{}", block("[tool.uv]\ncompile-bytecode = true"));
    let metadata = read(format!("{hidden}\n{source}").as_bytes()).unwrap().unwrap();
    assert_eq!(metadata.exclude_newer.as_deref(), Some("2026-01-01"));
    let header = metadata.header();
    assert!(!header.contains("compile") && !header.contains("other"), "{header}");
    assert_eq!(read(header.as_bytes()).unwrap(), Some(metadata.clone()), "{header}");
    assert_eq!(metadata.wheels_beside("scripts/go.py"), Some(vec!["wheels/a.whl".to_owned()]));
    assert_eq!(metadata.wheels_beside("go.py"), None, "it lies outside");
    let absolute = Metadata { wheels: vec![("a".into(), "/a.whl".into())], ..Metadata::default() };
    assert_eq!(absolute.wheels_beside("scripts/go.py"), None);
    let broken = Metadata { dependencies: vec!["a\n# ///\nimport os".into()], ..metadata };
    assert_eq!(
        read(broken.header().as_bytes()).unwrap(),
        Some(broken),
        "one block, whatever is in it"
    );
}

#[test]
fn a_lock_names_indexes_and_wheels_and_no_other_address() {
    // R3, R6
    let locked = |source: &str| {
        let text = format!("version = 1\n[[package]]\nname = \"a\"\nsource = {source}\n");
        lock_is_plain(text.as_bytes())
    };
    assert_eq!(lock_is_plain(b"version = 1\nrequires-python = \">=3.11\"\n"), Ok(()));
    assert_eq!(locked("{ registry = \"https://index.example/simple\" }"), Ok(()));
    assert_eq!(locked("{ path = \"a-1.0-py3-none-any.whl\" }"), Ok(()));
    for source in [
        "{ url = \"https://example.org/a.whl\" }",
        "{ registry = \"http://127.0.0.1:1/simple\" }",
        "{ registry = \"https://x\", editable = \".\" }",
        "{ path = \"a.tar.gz\" }",
        "{ editable = \"bld\" }",
        "{ git = \"https://example.org/a\" }",
        "1",
    ] {
        assert_eq!(locked(source), Err(MetadataError::Source("a".to_owned())), "{source}");
    }
    assert_eq!(
        lock_is_plain(b"[[package]]\nname = \"a\"\n"),
        Err(MetadataError::Source("a".to_owned()))
    );
    assert!(matches!(lock_is_plain(b"\xff"), Err(MetadataError::Syntax(_))));
    assert!(matches!(lock_is_plain(b"= ="), Err(MetadataError::Syntax(_))));
}
