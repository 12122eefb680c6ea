use super::*;

static READ: [OnceLock<Box<[u8; 1]>>; 3] = [const { OnceLock::new() }; 3];

#[test]
fn an_entry_is_found_by_its_name_and_read_alone() {
    // S2
    let entries = Entries { texts: "[1][2]nonsense", ends: &[3, 6, 14], read: &READ };
    assert_eq!(entries.get(1, || [0]), Some(&[2]));
    assert!(READ[0].get().is_none());
    assert_eq!(entries.get(0, || [0]), Some(&[1]));
    assert_eq!(entries.get(2, || [9]), Some(&[9]));
    assert_eq!(entries.get(3, || [0]), None);
    let names = Names { texts: "aabbbz", ends: &[1, 3, 5, 6], of: &[7, 8, 9, 10] };
    let found: Vec<Option<usize>> =
        ["a", "bb", "z", "", "b", "zz"].into_iter().map(|name| names.find(name)).collect();
    assert_eq!(found, [Some(7), Some(9), Some(10), None, None, None]);
    assert_eq!(names.of(9), Some("bb"));
    assert_eq!(names.of(4), None);
}
