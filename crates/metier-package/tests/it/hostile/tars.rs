//! Tar files that lie, hide or drown.

use super::{Case, random, skill};
use crate::fetching::SKILL;
use crate::pack::{Tar, gzip, tar, tar_gz};

type Row = (&'static str, Vec<u8>, &'static str);

pub(super) fn cases() -> Vec<Case> {
    let rows = [kinds(), extensions(), damages(), amounts(), manifests()].concat();
    rows.into_iter().map(|(what, bytes, code)| (format!("tar {what}"), bytes, code)).collect()
}

fn with(entry: Tar) -> Vec<u8> {
    tar_gz(&[skill(), entry])
}

fn kinds() -> Vec<Row> {
    let kind = |flag, link: &str| with(Tar::kind("one/x", flag, link));
    let mode = |mode| with(Tar { mode, ..Tar::file("one/x", "x") });
    vec![
        ("hard link", kind(b'1', "one/SKILL.md"), "PK303"),
        ("hard link out", kind(b'1', "/etc/shadow"), "PK303"),
        ("character device", kind(b'3', ""), "PK304"),
        ("block device", kind(b'4', ""), "PK304"),
        ("fifo", kind(b'6', ""), "PK304"),
        ("set-user", mode(0o4755), "PK305"),
        ("set-group", mode(0o2755), "PK305"),
        ("set-both", mode(0o6644), "PK305"),
        ("sparse", kind(b'S', ""), "PK506"),
        ("multi-volume", kind(b'M', ""), "PK506"),
        ("unknown kind", kind(b'Z', ""), "PK506"),
        ("volume name", kind(b'V', ""), "PK506"),
        ("directory with content", with(Tar { flag: b'5', ..Tar::file("one/d", "hid") }), "PK505"),
        ("link with content", with(Tar { flag: b'2', ..Tar::file("one/l", "hid") }), "PK505"),
    ]
}

fn extensions() -> Vec<Row> {
    let pax = |flag, records: &[(&str, &[u8])]| {
        tar_gz(&[skill(), Tar::pax(flag, records), Tar::file("one/x", "x")])
    };
    let long = |flag, text: &str| Tar { flag, ..Tar::file("l", text) };
    let named = |text: &str| tar_gz(&[skill(), long(b'L', text), Tar::file("x", "")]);
    let linked = [skill(), long(b'K', "/etc/passwd\0"), Tar::kind("one/l", b'2', "SKILL.md")];
    let twice = [skill(), long(b'L', "one/a"), long(b'L', "one/b"), Tar::file("x", "")];
    let broken = |text: &str| tar_gz(&[skill(), long(b'x', text), Tar::file("x", "")]);
    let large = Tar { size: Some(b"00000400000\0".to_vec()), ..long(b'x', "") };
    vec![
        ("sparse by extension", pax(b'x', &[("GNU.sparse.major", b"1")]), "PK506"),
        ("other size", pax(b'x', &[("size", b"9")]), "PK504"),
        ("size no number", pax(b'x', &[("size", b"x")]), "PK501"),
        ("other path up", pax(b'x', &[("path", b"../x")]), "PK101"),
        ("other path absolute", pax(b'x', &[("path", b"/x")]), "PK102"),
        ("other path with a zero", pax(b'x', &[("path", b"one/a\0b")]), "PK105"),
        ("other path not text", pax(b'x', &[("path", b"one/\xff")]), "PK107"),
        ("two paths", pax(b'x', &[("path", b"one/a"), ("path", b"one/b")]), "PK504"),
        ("path for all", pax(b'g', &[("path", b"one/a")]), "PK506"),
        ("long name with a zero", named("a\0b"), "PK105"),
        ("long name up", named("../../x\0"), "PK101"),
        ("long link out", tar_gz(&linked), "PK301"),
        ("two long names", tar_gz(&twice), "PK504"),
        ("extension past its end", broken("99 path=x\n"), "PK501"),
        ("extension without a value", broken("6 path\n"), "PK501"),
        ("extension of length zero", broken("0 path=x\n"), "PK501"),
        ("large extension", tar_gz(&[skill(), large]), "PK402"),
    ]
}

fn damages() -> Vec<Row> {
    let sized = |size: &[u8]| with(Tar { size: Some(size.to_vec()), ..Tar::file("one/x", "") });
    let whole = tar_gz(&[skill()]);
    let plain = tar(&[skill()]);
    let mut bad_sum = plain.clone();
    bad_sum[0] ^= 1;
    let mut bad_crc = whole.clone();
    let at = bad_crc.len() - 6;
    bad_crc[at] ^= 1;
    vec![
        ("binary size", sized(b"\x80\0\0\0\0\0\0\0\0\0\0\x01"), "PK506"),
        ("negative size", sized(b"-0000000001\0"), "PK506"),
        ("huge size", sized(b"77777777777\0"), "PK402"),
        ("size past the end", sized(b"00000010000\0"), "PK501"),
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
    ]
}

fn amounts() -> Vec<Row> {
    let many = (0..10_001).map(|n| Tar::kind(format!("one/{n}"), b'5', ""));
    let many: Vec<Tar> = std::iter::once(skill()).chain(many).collect();
    let deep = format!("one/{}x", "d/".repeat(40));
    let long = format!("one/{}", "n".repeat(256));
    let longer = format!("one/{}x", format!("{}/", "n".repeat(100)).repeat(11));
    vec![
        ("bomb", with(Tar::file("one/x", vec![0; 4 << 20])), "PK404"),
        ("many", tar_gz(&many), "PK401"),
        ("deep", with(Tar::file(deep, "x")), "PK111"),
        ("long name", with(Tar::file(long, "x")), "PK110"),
        ("long path", with(Tar::file(longer, "x")), "PK110"),
    ]
}

fn manifests() -> Vec<Row> {
    let not_text = b"---\nname: one\ndescription: \xff\n---\n";
    let other = Tar::file("two/SKILL.md", format!("{SKILL}other\n"));
    let linked = [Tar::kind("one/SKILL.md", b'2', "README.md"), Tar::file("one/README.md", SKILL)];
    vec![
        ("one name, two skills", with(other), "PK602"),
        ("manifest is a link", tar_gz(&linked), "PK601"),
        ("manifest not text", tar_gz(&[Tar::file("one/SKILL.md", not_text)]), "PK601"),
        ("manifest huge", tar_gz(&[Tar::file("one/SKILL.md", random(17 << 20))]), "PK402"),
    ]
}
