//! Zip files that lie, hide or drown.

use super::{Case, random, skill_zip};
use crate::fetching::SKILL;
use crate::pack::{Zip, deflate, zip, zip_with};

type Row = (&'static str, Vec<u8>, &'static str);

pub(super) fn cases() -> Vec<Case> {
    let rows = [secrets(), disagreements(), places(), ends(), kinds()].concat();
    rows.into_iter().map(|(what, bytes, code)| (format!("zip {what}"), bytes, code)).collect()
}

fn file() -> Zip {
    Zip::file("one/x", "some content that is long enough")
}

fn with(entry: Zip) -> Vec<u8> {
    zip(&[skill_zip(), entry])
}

fn secrets() -> Vec<Row> {
    vec![
        ("encrypted", with(Zip { flags: 1, ..file() }), "PK502"),
        ("strongly encrypted", with(Zip { flags: 0x41, ..file() }), "PK502"),
        ("masked", with(Zip { flags: 0x2000, ..file() }), "PK502"),
        ("AES by extra field", with(Zip { extra: vec![1, 0x99, 0, 0], ..file() }), "PK502"),
        ("patch", with(Zip { flags: 0x20, ..file() }), "PK506"),
        ("bzip2", with(Zip { method: 12, packed: Some(vec![0; 9]), ..file() }), "PK506"),
        ("zstd", with(Zip { method: 93, packed: Some(vec![0; 9]), ..file() }), "PK506"),
    ]
}

fn disagreements() -> Vec<Row> {
    let mut renamed = vec![0x75, 0x70, 12, 0, 1, 0, 0, 0, 0];
    renamed.extend(b"../evil");
    let local = |name: &[u8]| with(Zip { local_name: Some(name.to_vec()), ..file() });
    vec![
        ("other local name", local(b"one/y"), "PK504"),
        ("local name up", local(b"../xx"), "PK504"),
        ("longer local name", local(b"one/xxxxxxxx"), "PK504"),
        ("other local method", with(Zip { local_method: Some(0), ..file() }), "PK504"),
        ("other name by extra field", with(Zip { extra: renamed, ..file() }), "PK504"),
        ("larger than said", with(Zip { size: Some(3), ..file() }), "PK504"),
        ("smaller than said", with(Zip { size: Some(300), ..file() }), "PK504"),
        ("other checksum", with(Zip { crc: Some(7), ..file() }), "PK504"),
        ("stored size lies", with(Zip { method: 0, size: Some(3), ..file() }), "PK504"),
    ]
}

fn places() -> Vec<Row> {
    let start = |start| with(Zip { start: Some(start), ..file() });
    let gap = || b"hidden".to_vec();
    let behind = [deflate(b"some"), gap()].concat();
    let cut = deflate(&random(99))[..50].to_vec();
    vec![
        ("same bytes twice", start(0), "PK503"),
        ("inside another", start(8), "PK503"),
        ("start past the end", start(1 << 20), "PK503"),
        ("gap", zip(&[Zip { gap: gap(), ..skill_zip() }, file()]), "PK505"),
        ("gap at the end", with(Zip { gap: gap(), ..file() }), "PK505"),
        (
            "behind a stream",
            with(Zip { packed: Some(behind), ..Zip::file("one/x", "some") }),
            "PK505",
        ),
        ("broken stream", with(Zip { packed: Some(vec![0xff; 9]), ..file() }), "PK501"),
        ("cut stream", with(Zip { packed: Some(cut), ..Zip::file("one/x", random(99)) }), "PK501"),
        ("64 bits by extra field", with(Zip { extra: vec![1, 0, 0, 0], ..file() }), "PK506"),
        ("false descriptor", with(Zip { flags: 8, gap: vec![0; 12], ..file() }), "PK505"),
    ]
}

fn ends() -> Vec<Row> {
    let whole = zip(&[skill_zip(), file()]);
    let end = whole.len() - 22;
    let directory = whole.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let patched = |at: usize, bytes: &[u8]| {
        let mut patched = whole.clone();
        patched[at..at + bytes.len()].copy_from_slice(bytes);
        patched
    };
    let said = |count| zip_with(&[skill_zip(), file()], count, b"");
    vec![
        ("two ends", zip_with(&[skill_zip()], 1, b"PK\x05\x06 and more of a comment"), "PK504"),
        ("prepended", [b"#!/bin/sh\n", &whole[..]].concat(), "PK501"),
        ("prepended zip", [&whole[..end], &whole[..]].concat(), "PK505"),
        ("appended", [&whole[..], b"more"].concat(), "PK505"),
        ("cut file", whole[..whole.len() - 9].to_vec(), "PK501"),
        ("no directory", whole[..40].to_vec(), "PK501"),
        ("too few entries said", said(1), "PK501"),
        ("too many entries said", said(3), "PK501"),
        ("several disks", patched(end + 4, &[1, 0]), "PK506"),
        ("64 bits", patched(end + 16, &[0xff; 4]), "PK506"),
        ("directory elsewhere", patched(end + 16, &[1, 0, 0, 0]), "PK505"),
        ("directory that is none", patched(directory, b"XXXX"), "PK501"),
    ]
}

fn kinds() -> Vec<Row> {
    let kind = |mode| with(Zip { mode, ..file() });
    let other = Zip::file("two/SKILL.md", format!("{SKILL}other\n"));
    vec![
        ("set-user", kind(0o104_755), "PK305"),
        ("set-group", kind(0o102_755), "PK305"),
        ("character device", kind(0o020_644), "PK304"),
        ("block device", kind(0o060_644), "PK304"),
        ("fifo", kind(0o010_644), "PK304"),
        ("socket", kind(0o140_644), "PK304"),
        ("directory with content", kind(0o040_755), "PK505"),
        ("link called as a directory", with(Zip::kind("one/x/", 0o120_777, "y")), "PK103"),
        ("zero in a name", with(Zip::file("one/a\0b", "x")), "PK105"),
        ("empty name", with(Zip::file("", "x")), "PK103"),
        ("bomb", with(Zip::file("one/x", vec![0; 4 << 20])), "PK404"),
        ("one name, two skills", with(other), "PK602"),
    ]
}
