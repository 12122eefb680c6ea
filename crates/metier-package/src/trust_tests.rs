use super::*;

fn approval(directory: &str, digit: char, said: Said) -> Approval {
    Approval {
        said,
        directory: directory.to_owned(),
        tree: digit.to_string().repeat(64),
        by: By { who: "ada".to_owned(), at: "2031-05-06T07:08:09".to_owned() },
        source: None,
        commit: None,
        signer: None,
    }
}

#[test]
fn of_a_directory_the_last_word_counts() {
    // P4
    let acts = [
        approval("a", '1', Said::Approved),
        approval("b", '1', Said::Approved),
        approval("a", '2', Said::Approved),
        approval("b", '1', Said::Revoked),
        approval("c", '3', Said::Revoked),
        approval("c", '3', Said::Approved),
    ];
    let text: String = acts.iter().map(|act| act.line().unwrap()).collect();
    let approvals = Approvals::read(text.as_bytes());
    assert_eq!(approvals.get("a"), Some(&acts[2]));
    assert_eq!((approvals.get("b"), approvals.get("d")), (None, None));
    assert_eq!(approvals.get("c"), Some(&acts[5]));
    assert_eq!((approvals.iter().count(), approvals.unreadable), (2, 0));
    assert_eq!(acts[0].shown(), "ada at 2031-05-06T07:08:09");
}

#[test]
fn a_line_that_was_cut_short_is_no_approval() {
    // P4
    let line = approval("a", '1', Said::Approved).line().unwrap().into_bytes();
    for end in 0..line.len() {
        let torn = Approvals::read(&line[..end]);
        let whole = end == line.len() - 1;
        assert_eq!(torn.get("a").is_some(), whole, "{end}: it lacks nothing but its end");
        assert_eq!((torn.torn, torn.unreadable), (end > 0 && !whole, 0), "{end}");
        let mut ended = line[..end].to_vec();
        ended.push(b'\n');
        ended.extend(approval("b", '1', Said::Approved).line().unwrap().bytes());
        let approvals = Approvals::read(&ended);
        assert!(approvals.get("b").is_some());
        assert_eq!(approvals.get("a").is_some(), whole, "{end}");
        assert_eq!(approvals.unreadable, usize::from(end > 0 && !whole));
    }
    let forged = String::from_utf8(line).unwrap().replace('1', "x");
    assert_eq!(Approvals::read(forged.as_bytes()).unreadable, 1, "no digest");
}

#[test]
fn folders_are_there_once() {
    // P4
    let by = By::default();
    let mut folders = Folders::default();
    assert!(folders.add(PathBuf::from("/b"), by.clone()));
    assert!(folders.add(PathBuf::from("/a"), by.clone()));
    assert!(!folders.add(PathBuf::from("/b"), by));
    assert_eq!(folders.folders[0].folder, Path::new("/a"));
    assert!(folders.remove(Path::new("/b")) && !folders.remove(Path::new("/b")));
}
