use super::*;

fn plan(abi: u32, tcp: TcpRule) -> LandlockPlan {
    LandlockPlan { abi, tcp, rules: Vec::new() }
}

#[test]
fn each_version_watches_all_it_can() {
    // R6
    let check = |abi: u32, files: u64, network: u64, scoped: u64, size: usize| {
        let found = attributes(&plan(abi, TcpRule::Deny));
        assert_eq!((found.files, found.network, found.scoped), (files, network, scoped), "{abi}");
        assert_eq!(attributes_size(abi), size, "{abi}");
    };
    check(1, 0x1fff, 0, 0, 8);
    check(2, 0x3fff, 0, 0, 8);
    check(3, 0x7fff, 0, 0, 8);
    check(4, 0x7fff, 3, 0, 16);
    check(5, 0xffff, 3, 0, 16);
    check(6, 0xffff, 3, 3, 24);
    check(9, 0xffff, 3, 3, 24);
    assert_eq!(attributes(&plan(7, TcpRule::Free)).network, 0);
}

#[test]
fn reading_never_means_changing() {
    // R6
    let changes = !(EXECUTE | READ_FILE | READ_DIR);
    assert_eq!(rights(Access::Read) & changes, 0);
    assert_eq!(rights(Access::Write) & (MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV), 0);
    assert_ne!(rights(Access::Write) & REFER & TRUNCATE, REFER);
    assert_eq!(rights(Access::Device) & EXECUTE, 0);
    assert_eq!(rights(Access::Device) & !FILE_RIGHTS, 0);
}

#[test]
fn a_rule_for_what_is_not_there_names_it() {
    // R6
    if sys::landlock_version() == 0 {
        return;
    }
    let rule = Bind { path: "/no/such/place".into(), access: Access::Read };
    let plan = LandlockPlan { abi: 1, tcp: TcpRule::Free, rules: vec![rule] };
    let broken = ruleset(&plan, None).err().unwrap();
    assert_eq!(broken.failure().step, "Landlock for `/no/such/place`");
}
