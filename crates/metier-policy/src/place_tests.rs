use super::*;

/// A disk on which some paths are links.
struct Links(&'static [(&'static str, &'static str)]);

impl Resolve for Links {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        let mut path = normalize(absolute.to_str()?, None)?;
        for _ in 0..8 {
            let link = self.0.iter().find(|(from, _)| {
                path.strip_prefix(from).is_some_and(|r| r.is_empty() || r.starts_with('/'))
            });
            let Some((from, to)) = link else { return Some(PathBuf::from(path)) };
            path = normalize(&format!("{to}{}", path.strip_prefix(from)?), None)?;
        }
        None
    }
}

fn place(resolver: &dyn Resolve) -> Place<'_> {
    Place {
        cwd: Path::new("/project/sub"),
        home: Some(Path::new("/home/user")),
        project: Some(Path::new("/project")),
        protected: &[],
        resolver,
    }
}

fn spots(place: &Place<'_>, text: &str) -> Option<Vec<String>> {
    let spots = place.locate_argument(text, From::Directory(place.cwd))?;
    Some(spots.iter().map(|spot| spot.path.clone()).collect())
}

/// The magic link to the root, put together so that no machine's path stands here.
fn magic(process: &str, rest: &str) -> String {
    format!("/proc/{process}/{}{rest}", "root")
}

#[test]
fn the_link_to_the_root_leads_to_the_root() {
    // S3
    let table = [
        (magic("self", ""), Some("/")),
        (magic("self", "/etc/passwd"), Some("/etc/passwd")),
        (magic("self", "/../etc"), Some("/etc")),
        (magic("self", &magic("self", "/x")), Some("/x")),
        (magic("thread-self", "/x"), Some("/x")),
        (magic("./self/", "/x"), Some("/x")),
        (magic("1", "/etc"), None),
        (magic("1234", ""), None),
    ];
    for (path, expected) in table {
        assert_eq!(normalize(&path, Some("/cwd")).as_deref(), expected, "{path}");
    }
}

#[test]
fn a_path_is_spelled_one_way() {
    // S3
    let table = [
        ("/", Some("/")),
        ("/a/b", Some("/a/b")),
        ("//a///b/", Some("/a/b")),
        ("/a/./b/.", Some("/a/b")),
        ("/a/../b", Some("/b")),
        ("/../../a", Some("/a")),
        ("/a/b/../../../c", Some("/c")),
        ("/a/...", Some("/a/...")),
        ("relative", None),
        ("", None),
        ("/proc/self/cwd/x", Some("/cwd/x")),
        ("/proc/self/cwd/../x", Some("/x")),
        ("/proc/1234/cwd/x", None),
        ("/proc/self/fd/3", None),
        ("/dev/fd/3", None),
        ("/dev/null", Some("/dev/null")),
        ("/proc/cpuinfo", Some("/proc/cpuinfo")),
        ("/proc/sys/kernel", Some("/proc/sys/kernel")),
    ];
    for (path, expected) in table {
        assert_eq!(normalize(path, Some("/cwd")).as_deref(), expected, "{path}");
    }
    assert_eq!(normalize("/proc/self/cwd/x", None), None);
}

#[test]
fn a_relative_path_starts_where_the_call_does() {
    // S3
    let place = place(&Lexical);
    let table = [
        ("a", Some("/project/sub/a")),
        ("./a", Some("/project/sub/a")),
        ("../a", Some("/project/a")),
        ("../../a", Some("/a")),
        ("/a", Some("/a")),
        ("a b", Some("/project/sub/a b")),
        ("", None),
        ("a\nb", None),
        ("a\0b", None),
        ("file:///etc/passwd", None),
        ("https://example.com", None),
    ];
    for (text, expected) in table {
        let found = spots(&place, text);
        assert_eq!(found, expected.map(|path| vec![path.to_owned()]), "{text:?}");
    }
    assert!(place.locate("a", From::Elsewhere).is_none());
    assert!(place.locate("/a", From::Elsewhere).is_some());
}

#[test]
fn a_tilde_in_an_argument_is_read_both_ways() {
    // S3
    let place = place(&Lexical);
    let both =
        |rest: &str| Some(vec![format!("/project/sub/~{rest}"), format!("/home/user{rest}")]);
    assert_eq!(spots(&place, "~"), both(""));
    assert_eq!(spots(&place, "~/.ssh/id"), both("/.ssh/id"));
    assert_eq!(spots(&place, "~root/x"), None);
    let homeless = Place { home: None, ..place };
    assert_eq!(spots(&homeless, "~/x"), None);
}

#[test]
fn a_link_gives_a_path_two_places() {
    // S3
    let links = Links(&[("/project/sub/docs", "/etc")]);
    let place = place(&links);
    let expected = vec!["/project/sub/docs/passwd".to_owned(), "/etc/passwd".to_owned()];
    assert_eq!(spots(&place, "docs/passwd"), Some(expected));
    assert_eq!(spots(&place, "other"), Some(vec!["/project/sub/other".to_owned()]));
}

#[test]
fn a_path_that_cannot_be_resolved_is_nowhere() {
    // S3
    let links = Links(&[("/project/sub/loop", "/project/sub/loop/x")]);
    assert_eq!(spots(&place(&links), "loop"), None);
}

#[test]
fn a_path_has_a_limit() {
    // S3, F4
    let place = place(&Lexical);
    assert!(spots(&place, &"a".repeat(MAX_PATH_BYTES)).is_some());
    assert!(spots(&place, &"a".repeat(MAX_PATH_BYTES + 1)).is_none());
    let deep = "/a".repeat(MAX_PATH_BYTES);
    assert!(place.locate("x", From::Directory(Path::new(&deep))).is_none());
    assert!(place.locate("/x", From::Directory(Path::new(&deep))).is_some());
}

#[test]
fn relative_patterns_start_at_the_project_or_where_the_call_does() {
    // S3
    let place = place(&Lexical);
    assert_eq!(place.base(), Path::new("/project"));
    assert_eq!(Place { project: None, ..place }.base(), Path::new("/project/sub"));
    assert_eq!(Place::lexical(Path::new("/x")).base(), Path::new("/x"));
}

#[test]
fn the_ground_knows_both_names_of_its_directories() {
    // S3
    let links = Links(&[("/project", "/data/project")]);
    let place = place(&links);
    let ground = Ground::new(&place);
    let base: Vec<&str> = ground.base().iter().map(|spot| spot.path.as_str()).collect();
    assert_eq!(base, ["/project", "/data/project"]);
    let home: Vec<&str> = ground.home().iter().map(|spot| spot.path.as_str()).collect();
    assert_eq!(home, ["/home/user"]);
    let homeless = Place { home: None, ..place };
    assert!(Ground::new(&homeless).home().is_empty());
}

#[test]
fn a_place_says_what_it_is() {
    // S3
    let shown = format!("{:?}", place(&Lexical));
    assert!(shown.contains("/project/sub") && shown.contains("/home/user"), "{shown}");
}
