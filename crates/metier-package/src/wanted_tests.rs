use super::*;
use crate::fixture::name;

fn read(text: &str) -> Result<Wanted, LockError> {
    Wanted::read(text, Path::new("skills.toml"))
}

#[test]
fn both_ways_to_write_a_wish_are_read() {
    // P3
    let text = "# mine\n[skills]\npdf = \"owner/repo\" # short\n\
                notes = { source = \"o/r\", path = \"a/notes\", ref = \"v2\", why = \"fun\" }\n";
    let mut wanted = read(text).unwrap();
    let pdf = Want { source: "owner/repo".to_owned(), ..Want::default() };
    assert_eq!(wanted.get(&name("pdf")), Some(&pdf));
    assert_eq!(wanted.get(&name("notes")).unwrap().requested.as_deref(), Some("v2"));
    assert_eq!(wanted.to_string(), text);
    wanted.set(&name("pdf"), pdf);
    assert_eq!(wanted.to_string(), text, "nothing changed");
    let notes = Want { source: "o/r".to_owned(), ..Want::default() };
    wanted.set(&name("notes"), notes);
    wanted.set(&name("sheets"), Want { source: "x/y".to_owned(), ..Want::default() });
    let new = wanted.to_string();
    assert!(
        new.contains("# mine") && new.contains("why = \"fun\"") && !new.contains("v2"),
        "{new}"
    );
    assert!(new.contains("sheets = { source = \"x/y\" }"), "{new}");
    wanted.remove(&name("notes"));
    assert_eq!(wanted.skills().count(), 2);
    assert!(!wanted.to_string().contains("fun"));
}

#[test]
fn a_wish_that_cannot_be_read_names_its_line() {
    // P3
    for (text, line) in [
        ("[skills\n", 1),
        ("\nskills = 3\n", 2),
        ("[skills]\n\npdf = 3\n", 3),
        ("[skills]\npdf = { ref = \"x\" }\n", 2),
        ("[skills]\n\"../x\" = \"o/r\"\n", 2),
    ] {
        assert_eq!(read(text).unwrap_err().line, line, "{text}");
    }
    assert_eq!(read("").unwrap().skills().count(), 0);
}
