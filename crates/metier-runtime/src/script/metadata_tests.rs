use super::{Metadata, MetadataError, read};

fn check(source: &str, expect: Result<Option<Metadata>, MetadataError>) {
    assert_eq!(read(source.as_bytes()), expect, "{source}");
}

fn some(dependencies: &[&str], requires: Option<&str>) -> Result<Option<Metadata>, MetadataError> {
    Ok(Some(Metadata {
        dependencies: dependencies.iter().map(ToString::to_string).collect(),
        requires_python: requires.map(str::to_owned),
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
