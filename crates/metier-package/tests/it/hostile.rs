//! Packages made to do harm: each is refused with its code, and nothing is written anywhere but where
//! it is gone again.

use metier_package::{FetchError, Fetched};
use metier_testing::GitServer;

use crate::pack::{Tar, Zip, deflate, gzip, tar, tar_gz, zip, zip_with};
use crate::place::{Place, files};

const SKILL: &str =
    "---\nname: one\ndescription: Does one thing. Use when it is wanted.\n---\n\nBody\n";

/// Names no package may have, whatever it is, and why. `ONE` stands for the skill's directory.
const NAMES: &[(&[u8], &str)] = &[
    (b"../x", "PK101"),
    (b"ONE/../x", "PK101"),
    (b"ONE/../../x", "PK101"),
    (b"ONE/a/../b", "PK101"),
    (b"ONE/..", "PK101"),
    (b"ONE/../../../../../../tmp/x", "PK101"),
    (b"ONE/..\\x", "PK101"),
    (b"ONE/a\\..\\..\\x", "PK101"),
    (b"./../x", "PK101"),
    (b"/etc/x", "PK102"),
    (b"//x", "PK102"),
    (b"/ONE/x", "PK102"),
    (b"ONE//x", "PK103"),
    (b"ONE/./x", "PK103"),
    (b"ONE/a/.//x", "PK103"),
    (b"C:\\x", "PK104"),
    (b"C:/x", "PK104"),
    (b"ONE/c:x", "PK104"),
    (b"\\\\server\\share\\x", "PK104"),
    (b"ONE/a\\b", "PK104"),
    (b"ONE/x:stream", "PK104"),
    (b"ONE/x::$DATA", "PK104"),
    (b"ONE/a<b", "PK104"),
    (b"ONE/a>b", "PK104"),
    (b"ONE/a|b", "PK104"),
    (b"ONE/a?b", "PK104"),
    (b"ONE/a*b", "PK104"),
    (b"ONE/a\"b", "PK104"),
    (b"ONE/a\nb", "PK105"),
    (b"ONE/a\rb", "PK105"),
    (b"ONE/a\tb", "PK105"),
    (b"ONE/\x01", "PK105"),
    (b"ONE/\x1b[31mred", "PK105"),
    (b"ONE/\x1b]0;title\x07", "PK105"),
    (b"ONE/a\x7f", "PK105"),
    (b"ONE/a\xc2\x85b", "PK105"),
    (b"ONE/a\xc2\x9b31m", "PK105"),
    (b"ONE/cod\xe2\x80\xaedm.exe", "PK106"),
    (b"ONE/a\xe2\x80\x8bb", "PK106"),
    (b"ONE/\xef\xbb\xbfx", "PK106"),
    (b"ONE/\xf3\xa0\x81\x81", "PK106"),
    (b"ONE/\xe2\x81\xa6x", "PK106"),
    (b"ONE/a\xe2\x80\xa8b", "PK106"),
    (b"ONE/.g\xe2\x80\x8cit/config", "PK106"),
    (b"ONE/\xff\xfe", "PK107"),
    (b"ONE/a\xc0\xafb", "PK107"),
    (b"ONE/\xed\xa0\x80", "PK107"),
    (b"ONE/caf\xe9", "PK107"),
    (b"ONE/CON", "PK108"),
    (b"ONE/con.txt", "PK108"),
    (b"ONE/con.tar.gz", "PK108"),
    (b"ONE/NUL", "PK108"),
    (b"ONE/nul.md", "PK108"),
    (b"ONE/aux/x", "PK108"),
    (b"ONE/PRN.md", "PK108"),
    (b"ONE/COM1", "PK108"),
    (b"ONE/com9.txt", "PK108"),
    (b"ONE/LPT1.x", "PK108"),
    (b"ONE/lpt0", "PK108"),
    (b"ONE/CONIN$", "PK108"),
    (b"ONE/con .txt", "PK108"),
    (b"ONE/COM\xc2\xb9", "PK108"),
    (b"ONE/a.", "PK109"),
    (b"ONE/a ", "PK109"),
    (b"ONE/...", "PK109"),
    (b"ONE/dir./x", "PK109"),
    (b"ONE/dir /x", "PK109"),
    (b"ONE/ ", "PK109"),
    (b"ONE/-rf", "PK113"),
    (b"ONE/--upload-pack=touch x", "PK113"),
    (b"ONE/a/-x", "PK113"),
    (b"ONE/.git/config", "PK112"),
    (b"ONE/.git", "PK112"),
    (b"ONE/sub/.git/hooks/post-checkout", "PK112"),
    (b"ONE/.GIT/config", "PK112"),
    (b"ONE/.gIt", "PK112"),
    (b"ONE/.git./config", "PK112"),
    (b"ONE/.git /config", "PK112"),
    (b"ONE/git~1/config", "PK112"),
    (b"ONE/GIT~1", "PK112"),
    (b"ONE/.git::$INDEX_ALLOCATION/config", "PK112"),
    (b"ONE/.git\\config", "PK112"),
    (b"ONE/.\xef\xbd\x87\xef\xbd\x89\xef\xbd\x94", "PK112"),
];

/// Two names that cannot both be there.
const PAIRS: &[(&str, &str, &str)] = &[
    ("x", "x", "PK201"),
    ("SKILL.md", "skill.md", "PK202"),
    ("a", "A", "PK202"),
    ("dir/a", "DIR/b", "PK202"),
    ("é", "É", "PK202"),
    ("k", "\u{212a}", "PK202"),
    ("caf\u{e9}", "cafe\u{301}", "PK203"),
    ("\u{fb01}x", "fix", "PK203"),
    ("stra\u{df}e", "strasse", "PK203"),
    ("\u{ff41}", "a", "PK203"),
    ("d\u{e9}/a", "de\u{301}/b", "PK203"),
    ("\u{1e9e}", "ss", "PK203"),
    ("x", "x/y", "PK204"),
    ("x/y", "x", "PK204"),
    ("a/b", "a/b/c/d", "PK204"),
];

/// Links and where they lead.
const LINKS: &[(&str, &str, &str)] = &[
    ("l", "/etc/passwd", "PK301"),
    ("l", "../../../etc/passwd", "PK301"),
    ("l", "..", "PK301"),
    ("l", "../other/SKILL.md", "PK301"),
    ("a/l", "../../x", "PK301"),
    ("l", "a/../../x", "PK301"),
    ("l", "\\\\server\\x", "PK301"),
    ("l", "/", "PK301"),
    ("l", "/proc/self/environ", "PK301"),
    ("l", "nothing", "PK302"),
    ("l", ".", "PK302"),
    ("l", "l", "PK302"),
    ("l", "", "PK302"),
    ("a/l", "..", "PK302"),
];

/// Directories git takes for repositories.
const LAYOUTS: &[&[&str]] = &[
    &["HEAD", "objects/x", "refs/x", "config"],
    &["head", "Objects/x", "REFS/x"],
    &["repo/HEAD", "repo/objects/x", "repo/refs/x"],
    &["a/b/HEAD", "a/b/commondir"],
];

/// Manifests that are none, or that lie about who they are.
const MANIFESTS: &[(&str, &str)] = &[
    ("no frontmatter at all", "PK601"),
    ("---\nname: one\n", "PK601"),
    ("---\ndescription: A nameless one. Use never.\nname: ../evil\n---\n", "PK601"),
    ("---\ndescription: An absolute one. Use never.\nname: /etc/evil\n---\n", "PK601"),
    ("---\ndescription: A hidden one. Use never.\nname: \"a\\u202eb\"\n---\n", "PK601"),
    ("---\ndescription: A live one. Use never.\nname: \"a\\x1b[2Jb\"\n---\n", "PK601"),
    ("---\nname: con\ndescription: A device. Use never.\n---\n", "PK603"),
    ("---\nname: nul.md\ndescription: A device. Use never.\n---\n", "PK603"),
    ("---\nname: -rf\ndescription: An option. Use never.\n---\n", "PK603"),
    ("---\nname: .git\ndescription: A repository. Use never.\n---\n", "PK603"),
    ("---\nname: \"a:b\"\ndescription: A stream. Use never.\n---\n", "PK603"),
    ("---\nname: \"a.\"\ndescription: Another. Use never.\n---\n", "PK603"),
];

/// The name with the skill's directory in it.
fn inside(name: &[u8], directory: &str) -> Vec<u8> {
    match name.strip_prefix(b"ONE") {
        Some(rest) => [directory.as_bytes(), rest].concat(),
        None => match name.strip_prefix(b"/ONE") {
            Some(rest) => [b"/", directory.as_bytes(), rest].concat(),
            None => name.to_vec(),
        },
    }
}

/// A package that is one file, with what it is and the code it has to get.
type Case = (String, Vec<u8>, &'static str);

fn skill() -> Tar {
    Tar::file("one/SKILL.md", SKILL)
}

fn skill_zip() -> Zip {
    Zip::file("one/SKILL.md", SKILL)
}

fn named_archives() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, code) in NAMES {
        let name = inside(name, "one");
        let shown = String::from_utf8_lossy(&name).into_owned();
        let packed = tar_gz(&[skill(), Tar::file(&name, "x")]);
        cases.push((format!("tar file {shown}"), packed, *code));
        let packed = zip(&[skill_zip(), Zip::file(&name, "x")]);
        cases.push((format!("zip file {shown}"), packed, *code));
        if !name.ends_with(b"/") {
            let link = tar_gz(&[skill(), Tar::kind(&name, b'2', "one/SKILL.md")]);
            cases.push((format!("tar link {shown}"), link, *code));
        }
    }
    for (first, second, code) in PAIRS {
        let (a, b) = (format!("one/{first}"), format!("one/{second}"));
        let mut entries = vec![Tar::file(&a, "1"), Tar::file(&b, "2")];
        let mut zipped = vec![Zip::file(&a, "1"), Zip::file(&b, "2")];
        if *first != "SKILL.md" {
            entries.push(skill());
            zipped.push(skill_zip());
        }
        cases.push((format!("tar pair {first} {second}"), tar_gz(&entries), *code));
        cases.push((format!("zip pair {first} {second}"), zip(&zipped), *code));
    }
    cases
}

fn linked_archives() -> Vec<Case> {
    let mut cases = Vec::new();
    for (link, target, code) in LINKS {
        let path = format!("one/{link}");
        let packed = tar_gz(&[skill(), Tar::kind(&path, b'2', target)]);
        cases.push((format!("tar link {link} -> {target}"), packed, *code));
        let packed = zip(&[skill_zip(), Zip::kind(&path, 0o120_777, target)]);
        cases.push((format!("zip link {link} -> {target}"), packed, *code));
    }
    let through = [skill(), Tar::kind("one/d", b'2', "/tmp"), Tar::file("one/d/x", "x")];
    cases.push(("tar write through a link".to_owned(), tar_gz(&through), "PK204"));
    let twice = [skill(), Tar::kind("one/d", b'2', "/tmp/x"), Tar::file("one/d", "x")];
    cases.push(("tar write over a link".to_owned(), tar_gz(&twice), "PK201"));
    let chain = [skill(), Tar::kind("one/a", b'2', "b"), Tar::kind("one/b", b'2', "SKILL.md")];
    cases.push(("tar link to a link".to_owned(), tar_gz(&chain), "PK302"));
    for layout in LAYOUTS {
        let mut entries = vec![skill()];
        entries.extend(layout.iter().map(|path| Tar::file(format!("one/{path}"), "x")));
        cases.push((format!("tar layout {layout:?}"), tar_gz(&entries), "PK307"));
        let mut entries = vec![skill_zip()];
        entries.extend(layout.iter().map(|path| Zip::file(format!("one/{path}"), "x")));
        cases.push((format!("zip layout {layout:?}"), zip(&entries), "PK307"));
    }
    for (text, code) in MANIFESTS {
        let packed = tar_gz(&[Tar::file("one/SKILL.md", text)]);
        cases.push((format!("tar manifest {text:?}"), packed, *code));
        let packed = zip(&[Zip::file("one/SKILL.md", text)]);
        cases.push((format!("zip manifest {text:?}"), packed, *code));
    }
    cases
}

fn odd_tars() -> Vec<Case> {
    let with = |entry: Tar| tar_gz(&[skill(), entry]);
    let mode = |mode| with(Tar { mode, ..Tar::file("one/x", "x") });
    let sized = |size: &[u8]| with(Tar { size: Some(size.to_vec()), ..Tar::file("one/x", "") });
    let pax = |flag, records: &[(&str, &[u8])]| {
        tar_gz(&[skill(), Tar::pax(flag, records), Tar::file("one/x", "x")])
    };
    let whole = tar_gz(&[skill()]);
    let plain = tar(&[skill()]);
    let mut bad_sum = plain.clone();
    bad_sum[0] ^= 1;
    let mut bad_crc = whole.clone();
    let at = bad_crc.len() - 6;
    bad_crc[at] ^= 1;
    let zeros = Tar::file("one/x", vec![0; 4 << 20]);
    let many = (0..10_001).map(|n| Tar::kind(format!("one/{n}"), b'5', ""));
    let deep = format!("one/{}x", "d/".repeat(40));
    let long = format!("one/{}", "n".repeat(256));
    let longer = format!("one/{}", format!("{}/", "n".repeat(100)).repeat(11));
    let list: Vec<(&str, Vec<u8>, &'static str)> = vec![
        ("hard link", with(Tar::kind("one/x", b'1', "one/SKILL.md")), "PK303"),
        ("hard link out", with(Tar::kind("one/x", b'1', "/etc/shadow")), "PK303"),
        ("character device", with(Tar::kind("one/x", b'3', "")), "PK304"),
        ("block device", with(Tar::kind("one/x", b'4', "")), "PK304"),
        ("fifo", with(Tar::kind("one/x", b'6', "")), "PK304"),
        ("set-user", mode(0o4755), "PK305"),
        ("set-group", mode(0o2755), "PK305"),
        ("set-both", mode(0o6644), "PK305"),
        ("sparse", with(Tar::kind("one/x", b'S', "")), "PK506"),
        ("multi-volume", with(Tar::kind("one/x", b'M', "")), "PK506"),
        ("unknown kind", with(Tar::kind("one/x", b'Z', "")), "PK506"),
        ("volume name", with(Tar::kind("one/x", b'V', "")), "PK506"),
        ("binary size", sized(b"\x80\0\0\0\0\0\0\0\0\0\0\x01"), "PK506"),
        ("negative size", sized(b"-0000000001\0"), "PK506"),
        ("huge size", sized(b"77777777777\0"), "PK402"),
        ("size past the end", sized(b"00000010000\0"), "PK501"),
        ("sparse by extension", pax(b'x', &[("GNU.sparse.major", b"1")]), "PK506"),
        ("other size", pax(b'x', &[("size", b"9")]), "PK504"),
        ("size no number", pax(b'x', &[("size", b"x")]), "PK501"),
        ("other path up", pax(b'x', &[("path", b"../x")]), "PK101"),
        ("other path absolute", pax(b'x', &[("path", b"/x")]), "PK102"),
        ("other path with a zero", pax(b'x', &[("path", b"one/a\0b")]), "PK105"),
        ("two paths", pax(b'x', &[("path", b"one/a"), ("path", b"one/b")]), "PK504"),
        ("path for all", pax(b'g', &[("path", b"one/a")]), "PK506"),
        (
            "long name with a zero",
            tar_gz(&[skill(), Tar { flag: b'L', ..Tar::file("l", "a\0b") }, Tar::file("x", "")]),
            "PK105",
        ),
        (
            "long name up",
            tar_gz(&[
                skill(),
                Tar { flag: b'L', ..Tar::file("l", "../../x\0") },
                Tar::file("x", ""),
            ]),
            "PK101",
        ),
        (
            "long link out",
            tar_gz(&[
                skill(),
                Tar { flag: b'K', ..Tar::file("l", "/etc/passwd\0") },
                Tar::kind("one/l", b'2', "SKILL.md"),
            ]),
            "PK301",
        ),
        (
            "two long names",
            tar_gz(&[
                skill(),
                Tar { flag: b'L', ..Tar::file("l", "one/a") },
                Tar { flag: b'L', ..Tar::file("l", "one/b") },
                Tar::file("x", ""),
            ]),
            "PK504",
        ),
        (
            "broken extension",
            tar_gz(&[
                skill(),
                Tar { flag: b'x', ..Tar::file("x", "99 path=x\n") },
                Tar::file("x", ""),
            ]),
            "PK501",
        ),
        (
            "directory with content",
            with(Tar { flag: b'5', ..Tar::file("one/d", "hidden") }),
            "PK505",
        ),
        (
            "link with content",
            with(Tar { flag: b'2', link: b"SKILL.md".to_vec(), ..Tar::file("one/l", "hidden") }),
            "PK505",
        ),
        ("wrong checksum", gzip(&bad_sum), "PK501"),
        ("wrong gzip checksum", bad_crc, "PK501"),
        ("cut", whole[..whole.len() / 2].to_vec(), "PK501"),
        ("no end", gzip(&plain[..plain.len() - 1024]), "PK501"),
        ("bytes behind", [&whole[..], b"more"].concat(), "PK505"),
        ("second member", [&whole[..], &whole[..]].concat(), "PK505"),
        ("tar behind tar", gzip(&[&plain[..], &plain[..]].concat()), "PK505"),
        ("bytes behind the end", gzip(&[&plain[..], b"x"].concat()), "PK505"),
        ("no tar", gzip(&[b'x'; 2000]), "PK501"),
        ("nothing", gzip(b""), "PK501"),
        ("no archive", b"hello".to_vec(), "PK501"),
        ("empty file", Vec::new(), "PK501"),
        ("bomb", tar_gz(&[skill(), zeros]), "PK404"),
        ("many", tar_gz(&std::iter::once(skill()).chain(many).collect::<Vec<_>>()), "PK401"),
        ("deep", with(Tar::file(deep, "x")), "PK111"),
        ("long name", with(Tar::file(long, "x")), "PK110"),
        ("long path", with(Tar::file(longer + "x", "x")), "PK110"),
        (
            "one name, two skills",
            tar_gz(&[skill(), Tar::file("two/SKILL.md", format!("{SKILL}other\n"))]),
            "PK602",
        ),
        (
            "manifest is a link",
            tar_gz(&[
                Tar::kind("one/SKILL.md", b'2', "README.md"),
                Tar::file("one/README.md", SKILL),
            ]),
            "PK601",
        ),
        (
            "manifest not text",
            tar_gz(&[Tar::file("one/SKILL.md", b"---\nname: one\ndescription: \xff\n---\n")]),
            "PK601",
        ),
        ("manifest huge", tar_gz(&[Tar::file("one/SKILL.md", random(17 << 20))]), "PK402"),
    ];
    list.into_iter().map(|(what, bytes, code)| (format!("tar {what}"), bytes, code)).collect()
}

/// Bytes that do not compress.
fn random(count: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut step = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..count).map(|_| step()).collect()
}

fn odd_zips() -> Vec<Case> {
    let file = || Zip::file("one/x", "some content that is long enough");
    let with = |entry: Zip| zip(&[skill_zip(), entry]);
    let whole = zip(&[skill_zip(), file()]);
    let end = whole.len() - 22;
    let patched = |at: usize, bytes: &[u8]| {
        let mut patched = whole.clone();
        patched[at..at + bytes.len()].copy_from_slice(bytes);
        patched
    };
    let kind = |mode| with(Zip { mode, ..file() });
    let name_field = |name: &[u8]| {
        let mut extra = vec![0x75, 0x70, name.len() as u8 + 5, 0, 1, 0, 0, 0, 0];
        extra.extend(name);
        extra
    };
    let zeros = Zip::file("one/x", vec![0; 4 << 20]);
    let nested_end = zip_with(&[skill_zip()], 1, b"PK\x05\x06 and more of a comment");
    let list: Vec<(&str, Vec<u8>, &'static str)> = vec![
        ("encrypted", with(Zip { flags: 1, ..file() }), "PK502"),
        ("strongly encrypted", with(Zip { flags: 0x41, ..file() }), "PK502"),
        ("masked", with(Zip { flags: 0x2000, ..file() }), "PK502"),
        ("AES by extra field", with(Zip { extra: vec![1, 0x99, 0, 0], ..file() }), "PK502"),
        ("patch", with(Zip { flags: 0x20, ..file() }), "PK506"),
        ("other local name", with(Zip { local_name: Some(b"one/y".to_vec()), ..file() }), "PK504"),
        ("local name up", with(Zip { local_name: Some(b"../xx".to_vec()), ..file() }), "PK504"),
        ("other local method", with(Zip { local_method: Some(0), ..file() }), "PK504"),
        (
            "other name by extra field",
            with(Zip { extra: name_field(b"../evil"), ..file() }),
            "PK504",
        ),
        ("larger than said", with(Zip { size: Some(3), ..file() }), "PK504"),
        ("smaller than said", with(Zip { size: Some(300), ..file() }), "PK504"),
        ("other checksum", with(Zip { crc: Some(7), ..file() }), "PK504"),
        ("stored size lies", with(Zip { method: 0, size: Some(3), ..file() }), "PK504"),
        ("same bytes twice", zip(&[skill_zip(), Zip { start: Some(0), ..file() }]), "PK503"),
        ("inside another", zip(&[skill_zip(), Zip { start: Some(8), ..file() }]), "PK503"),
        ("start past the end", with(Zip { start: Some(1 << 20), ..file() }), "PK503"),
        ("gap", zip(&[Zip { gap: b"hidden".to_vec(), ..skill_zip() }, file()]), "PK505"),
        ("gap at the end", with(Zip { gap: b"hidden".to_vec(), ..file() }), "PK505"),
        (
            "hidden behind the stream",
            with(Zip {
                packed: Some([deflate(b"some"), b"hidden".to_vec()].concat()),
                ..Zip::file("one/x", "some")
            }),
            "PK505",
        ),
        ("broken stream", with(Zip { packed: Some(vec![0xff; 9]), ..file() }), "PK501"),
        (
            "cut stream",
            with(Zip {
                packed: Some(deflate(&random(99))[..50].to_vec()),
                ..Zip::file("one/x", random(99))
            }),
            "PK501",
        ),
        ("prepended", [b"#!/bin/sh\n", &whole[..]].concat(), "PK501"),
        ("appended", [&whole[..], b"more"].concat(), "PK505"),
        ("cut file", whole[..whole.len() - 9].to_vec(), "PK501"),
        ("no directory", whole[..40].to_vec(), "PK501"),
        ("too few entries said", zip_with(&[skill_zip(), file()], 1, b""), "PK501"),
        ("too many entries said", zip_with(&[skill_zip(), file()], 3, b""), "PK501"),
        ("two ends", nested_end, "PK504"),
        ("several disks", patched(end + 4, &[1, 0]), "PK506"),
        ("64 bits", patched(end + 16, &[0xff; 4]), "PK506"),
        ("64 bits by extra field", with(Zip { extra: vec![1, 0, 0, 0], ..file() }), "PK506"),
        ("directory elsewhere", patched(end + 16, &[1, 0, 0, 0]), "PK505"),
        ("bzip2", with(Zip { method: 12, packed: Some(vec![0; 9]), ..file() }), "PK506"),
        ("zstd", with(Zip { method: 93, packed: Some(vec![0; 9]), ..file() }), "PK506"),
        ("set-user", kind(0o104_755), "PK305"),
        ("set-group", kind(0o102_755), "PK305"),
        ("character device", kind(0o020_644), "PK304"),
        ("block device", kind(0o060_644), "PK304"),
        ("fifo", kind(0o010_644), "PK304"),
        ("socket", kind(0o140_644), "PK304"),
        ("directory with content", with(Zip { mode: 0o040_755, ..file() }), "PK505"),
        ("file called as a directory", with(Zip::kind("one/x/", 0o120_777, "SKILL.md")), "PK103"),
        ("zero in a name", with(Zip::file("one/a\0b", "x")), "PK105"),
        ("empty name", with(Zip::file("", "x")), "PK103"),
        ("bomb", with(zeros), "PK404"),
        (
            "one name, two skills",
            with(Zip::file("two/SKILL.md", format!("{SKILL}other\n"))),
            "PK602",
        ),
    ];
    list.into_iter().map(|(what, bytes, code)| (format!("zip {what}"), bytes, code)).collect()
}

/// The code a package got: for the whole of it, or for the one skill in it.
fn code(result: &Result<Fetched, FetchError>) -> String {
    match result {
        Err(FetchError::Refused(at)) => at.hazard.code().to_owned(),
        Err(other) => format!("{other:?}"),
        Ok(fetched) => match fetched.refused.first() {
            Some(refused) if fetched.skills.is_empty() => refused.code.to_owned(),
            _ => format!("accepted {:?}", files(&fetched.skills[0].directory)),
        },
    }
}

/// What lies in the place besides cache and staging, and in the staging directory.
fn around(place: &Place) -> (Vec<String>, Vec<String>) {
    let all = files(place.path());
    let staged = |path: &String| path.starts_with("staging/");
    let cached = |path: &String| path.starts_with("cache/") || path.starts_with("p.");
    let (staged, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(staged);
    (rest.into_iter().filter(|path| !cached(path)).collect(), staged)
}

#[test]
fn every_hostile_archive_is_refused_with_its_code_and_leaves_nothing() {
    // P1, P2
    let place = Place::new();
    place.write("canary/file", "untouched");
    let before = around(&place).0;
    let mut cases = named_archives();
    cases.extend(linked_archives());
    cases.extend(odd_tars());
    cases.extend(odd_zips());
    assert!(cases.len() >= 300, "{} packages", cases.len());
    let mut wrong = Vec::new();
    for (what, bytes, expect) in &cases {
        let name = if bytes.starts_with(b"PK") { "p.zip" } else { "p.skill" };
        place.write(name, bytes);
        let got = code(&place.fetch(&format!("./{name}")));
        let (rest, staged) = around(&place);
        if got != *expect || rest != before || !staged.is_empty() {
            wrong.push(format!("{what}: {expect} expected, got {got}; staged {staged:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn every_hostile_git_tree_is_refused_with_its_code() {
    // P1, P2
    let server = GitServer::start();
    let repo = server.repo("evil/trees");
    let blob = |bytes: &[u8]| repo.git(&["hash-object", "-w", "--stdin"], bytes);
    let (manifest, x) = (blob(SKILL.as_bytes()), blob(b"x"));
    let mut expect: Vec<(String, &str)> = Vec::new();
    let mut root: Vec<(String, String)> = Vec::new();
    let mut add = |entries: &[(&str, &[u8], &str)], code: &'static str| {
        let directory = format!("s{:03}", root.len());
        let mut all = vec![("100644", b"SKILL.md".to_vec(), manifest.clone())];
        all.extend(entries.iter().map(|(mode, path, id)| (*mode, path.to_vec(), (*id).to_owned())));
        root.push((directory.clone(), tree(&repo, all)));
        expect.push((directory, code));
    };
    for (name, code) in NAMES {
        // What git itself refuses has a test of its own; a slash cannot be in a name of a tree.
        let refused =
            matches!(*code, "PK101" | "PK102" | "PK103" | "PK112") && !name.contains(&b'\\');
        if let (Some(inner), false) = (name.strip_prefix(b"ONE/"), refused) {
            if !name.starts_with(b"ONE/.git") && !inner.starts_with(b".g\xe2") {
                add(&[("100644", inner, &x)], code);
            }
        }
    }
    for (first, second, code) in
        PAIRS.iter().filter(|(_, _, code)| matches!(*code, "PK202" | "PK203"))
    {
        let mut both = vec![("100644", second.as_bytes(), &*x)];
        if *first != "SKILL.md" {
            both.push(("100644", first.as_bytes(), &*x));
        }
        add(&both, code);
    }
    for (link, target, code) in LINKS.iter().filter(|(_, target, _)| !target.is_empty()) {
        let target = blob(target.as_bytes());
        add(&[("120000", link.as_bytes(), &target)], code);
    }
    for layout in LAYOUTS {
        let entries: Vec<_> = layout.iter().map(|path| ("100644", path.as_bytes(), &*x)).collect();
        add(&entries, "PK307");
    }
    add(&[("160000", b"sub", "1234567812345678123456781234567812345678")], "PK306");
    for (text, code) in MANIFESTS {
        let manifest = blob(text.as_bytes());
        let directory = format!("s{:03}", root.len());
        root.push((
            directory.clone(),
            tree(&repo, vec![("100644", b"SKILL.md".to_vec(), manifest)]),
        ));
        expect.push((directory, code));
    }
    let listing: String =
        root.iter().map(|(name, id)| format!("040000 tree {id}\t{name}\n")).collect();
    let whole = repo.git(&["mktree"], listing.as_bytes());
    let commit = repo.git(&["commit-tree", &whole, "-m", "evil"], b"");
    let _ = repo.git(&["update-ref", "refs/heads/main", &commit], b"");
    let place = Place::new();
    place.write("canary/file", "untouched");
    let fetched = place.fetch(&server.url("evil/trees")).unwrap();
    assert!(fetched.skills.is_empty(), "{:?}", fetched.skills);
    let got: Vec<(String, &str)> =
        fetched.refused.iter().map(|refused| (refused.path.clone(), refused.code)).collect();
    let reasons: Vec<_> = fetched.refused.iter().map(|refused| &refused.reason).collect();
    assert_eq!(got, expect, "{reasons:#?}");
    assert!(expect.len() >= 90, "{} trees", expect.len());
    assert_eq!(around(&place).1, Vec::<String>::new());
}

/// Writes a tree with these paths, whatever git would think of their names.
fn tree(repo: &metier_testing::RepoBuilder, mut entries: Vec<(&str, Vec<u8>, String)>) -> String {
    let mut inner: std::collections::BTreeMap<Vec<u8>, Vec<(&str, Vec<u8>, String)>> =
        Default::default();
    let mut here: Vec<(&str, Vec<u8>, String)> = Vec::new();
    for (mode, path, id) in entries.drain(..) {
        match path.iter().position(|byte| *byte == b'/') {
            Some(slash) => {
                let rest = path[slash + 1..].to_vec();
                inner.entry(path[..slash].to_vec()).or_default().push((mode, rest, id));
            }
            None => here.push((mode, path, id)),
        }
    }
    for (name, entries) in inner {
        here.push(("40000", name, tree(repo, entries)));
    }
    // Git sorts directories as if a slash stood behind them.
    let key = |(mode, name, _): &(&str, Vec<u8>, String)| {
        let slash: &[u8] = if *mode == "40000" { b"/" } else { b"" };
        [name, slash].concat()
    };
    here.sort_by_key(key);
    let mut bytes = Vec::new();
    for (mode, name, id) in here {
        bytes.extend(mode.bytes());
        bytes.push(b' ');
        bytes.extend(name);
        bytes.push(0);
        bytes.extend(
            (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()),
        );
    }
    repo.git(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &bytes)
}

#[test]
fn trees_that_git_refuses_are_refused() {
    // P1, P2
    let server = GitServer::start();
    let place = Place::new();
    let names: &[&[u8]] = &[b"..", b".", b".git", b".GIT", b"git~1", b"a/b"];
    for (index, name) in names.iter().enumerate() {
        let repo = server.repo(&format!("evil/git{index}"));
        let x = repo.git(&["hash-object", "-w", "--stdin"], b"x");
        let manifest = repo.git(&["hash-object", "-w", "--stdin"], SKILL.as_bytes());
        let mut bytes = Vec::new();
        let mut sorted = [(*name, &x), (b"SKILL.md", &manifest)];
        sorted.sort();
        for (name, id) in sorted {
            bytes.extend([b"100644 ", name, b"\0"].concat());
            bytes.extend(
                (0..40).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()),
            );
        }
        let tree = repo.git(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &bytes);
        let commit = repo.git(&["commit-tree", &tree, "-m", "evil"], b"");
        let _ = repo.git(&["update-ref", "refs/heads/main", &commit], b"");
        let got = code(&place.fetch(&server.url(&format!("evil/git{index}"))));
        assert_eq!(got, "PK507", "{:?}", String::from_utf8_lossy(name));
        assert_eq!(around(&place).1, Vec::<String>::new());
    }
}

#[test]
fn hostile_local_directories_are_refused_with_their_code() {
    // P1, P2
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    for (index, (name, expect)) in NAMES.iter().enumerate() {
        let Some(inner) = name.strip_prefix(b"ONE/") else { continue };
        if matches!(*expect, "PK101" | "PK103") && !name.contains(&b'\\') {
            continue;
        }
        let root = format!("d{index}");
        place.write(&format!("{root}/one/SKILL.md"), SKILL);
        let path = place.path().join(&root).join("one").join(std::ffi::OsStr::from_bytes(inner));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "x").unwrap();
        assert_eq!(code(&place.fetch(&format!("./{root}"))), *expect, "{path:?}");
    }
    for (index, (link, target, expect)) in
        LINKS.iter().filter(|(_, t, _)| !t.is_empty()).enumerate()
    {
        let root = format!("l{index}");
        place.write(&format!("{root}/one/SKILL.md"), SKILL);
        let path = place.path().join(&root).join("one").join(link);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, &path).unwrap();
        assert_eq!(code(&place.fetch(&format!("./{root}"))), *expect, "{link} -> {target}");
    }
    let file = place.write("setuid/one/x", "x");
    place.write("setuid/one/SKILL.md", SKILL);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o4755)).unwrap();
    assert_eq!(code(&place.fetch("./setuid")), "PK305");
    place.write("fifo/one/SKILL.md", SKILL);
    let fifo = place.path().join("fifo/one/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    assert_eq!(code(&place.fetch("./fifo")), "PK304");
    place.write("socket/one/SKILL.md", SKILL);
    let _socket =
        std::os::unix::net::UnixListener::bind(place.path().join("socket/one/s")).unwrap();
    assert_eq!(code(&place.fetch("./socket")), "PK304");
}
