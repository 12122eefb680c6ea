use super::map;

#[test]
fn results_come_in_the_order_of_the_things_however_many_threads_there_are() {
    // D3
    let things: Vec<usize> = (0..1000).collect();
    let expect: Vec<usize> = things.iter().map(|n| n * 2).collect();
    for threads in [0, 1, 2, 7, 64] {
        assert_eq!(map(&things, threads, |n| n * 2), expect, "{threads} threads");
    }
    assert!(map(&[] as &[usize], 4, |n| n * 2).is_empty());
}

#[test]
#[should_panic(expected = "on purpose")]
fn a_panic_in_a_thread_is_not_swallowed() {
    // U1
    let things: Vec<usize> = (0..1000).collect();
    map(&things, 4, |n| assert_ne!(*n, 999, "on purpose"));
}
