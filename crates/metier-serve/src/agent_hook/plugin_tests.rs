use super::*;

#[test]
fn a_plugin_is_known_by_where_its_skills_are() {
    // U5
    let home = "/home/you/.claude/plugins";
    for (directory, plugin, installed) in [
        ("cache/acme/docs/1.0.0/skills/pdf", Some("docs"), true),
        ("cache/acme/docs/0a1b2c/own/pdf", Some("docs"), true),
        ("marketplaces/acme/plugins/docs/skills/pdf", Some("docs"), false),
        ("cache/acme", None, true),
        ("loose/pdf", None, false),
    ] {
        let directory = Path::new(home).join(directory);
        assert_eq!(of(&directory), plugin, "{}", directory.display());
        assert_eq!(is_installed(&directory), installed, "{}", directory.display());
    }
    assert_eq!(of(Path::new("/opt/docs/skills/pdf")), Some("docs"));
    assert_eq!(of(Path::new("skills/pdf")), None);
}
