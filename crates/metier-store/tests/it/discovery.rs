//! What a scan of the disk finds, and what it says about what it did not.

use std::os::unix::fs::symlink;

use metier_store::discover::ScanLimits;
use metier_store::{FileStore, Root, Store};
use metier_testing::World;

use crate::ground::{notes, paths, root, scan, skills, skipped};

#[test]
fn skills_are_found_at_any_depth_and_sorted_by_path() {
    // D1, D3
    let world = World::new();
    world.skill("skills", "beta", "Second.");
    world.skill("skills/group/deep", "alpha", "First.");
    world.skill("skills/group-b", "gamma", "Third.");
    let found = scan(&skills(&world));
    assert_eq!(paths(&found), ["beta", "group/deep/alpha", "group-b/gamma"]);
    assert!(found.skipped.is_empty() && found.notes.is_empty(), "{found:?}");
    assert_eq!(&*found.found[1].description, "First.");
    assert_eq!(found.found[1].name.as_str(), "alpha");
}

#[test]
fn nothing_beneath_a_skill_is_another_skill() {
    // D1 (ruling 4)
    let world = World::new();
    world.skill("skills", "outer", "The skill.");
    world.skill("skills/outer/examples", "inner", "Part of it.");
    assert_eq!(paths(&scan(&skills(&world))), ["outer"]);
}

#[test]
fn directories_of_tools_are_not_searched() {
    // D1
    let world = World::new();
    for name in [".git", ".venv", "node_modules", "__pycache__", "venv"] {
        world.skill(format!("skills/{name}"), "inner", "Of a tool. Use never.");
    }
    world.skill("skills/vendor", "outer", "Of the user. Use it.");
    let found = scan(&skills(&world));
    assert_eq!(paths(&found), ["vendor/outer"]);
}

#[test]
fn a_root_given_twice_is_walked_once() {
    // D1
    let world = World::new();
    world.skill("skills", "one", "Is there once. Use it.");
    let once = scan(&skills(&world));
    let twice = FileStore::new(vec![root(skills(&world)), root(skills(&world))]);
    let twice = twice.discover(&ScanLimits::default());
    assert_eq!(paths(&twice), ["one"]);
    assert_eq!(twice.stats, once.stats, "nothing was opened a second time");
}

#[test]
fn the_root_itself_may_be_the_skill() {
    // D1
    let world = World::new();
    let directory = world.skill("skills", "alone", "The root is the skill.");
    world.skill("skills/alone/more", "inner", "Part of it.");
    let found = scan(&directory);
    assert_eq!(paths(&found), [""]);
    assert_eq!(found.directory(&found.found[0]), directory);
    assert!(found.found[0].diagnostics.is_empty());
}

#[test]
fn an_immediate_only_root_looks_one_level_down_and_no_further() {
    // D1 (ruling 4)
    let world = World::new();
    world.skill("skills", "one", "Found.");
    world.skill("skills/group", "two", "Too deep for this root.");
    world.write("skills/SKILL.md", "---\nname: skills\ndescription: Not one level down.\n---\n");
    let immediate = Root { immediate_only: true, ..root(skills(&world)) };
    let found = FileStore::new(vec![immediate]).discover(&ScanLimits::default());
    assert_eq!(paths(&found), ["one"]);
    assert!(found.notes.is_empty(), "{:?}", notes(&found));
}

#[test]
fn hidden_and_dependency_directories_are_passed_over() {
    // D1
    let world = World::new();
    world.skill("skills", "seen", "Found.");
    for hidden in [".git/hooks", ".disabled", "node_modules/package", "venv/lib", "__pycache__"] {
        world.skill(format!("skills/{hidden}"), "unseen", "Not found.");
    }
    world.skill("skills", "venv", "A skill may still be called so.");
    assert_eq!(paths(&scan(&skills(&world))), ["seen", "venv"]);
}

#[test]
fn a_link_to_a_directory_is_followed_and_the_same_directory_counts_once() {
    // D1
    let world = World::new();
    let elsewhere = world.skill("elsewhere", "linked", "Lives outside.");
    world.skill("skills/group", "real", "Lives inside.");
    symlink(&elsewhere, skills(&world).join("linked")).unwrap();
    symlink(&elsewhere, skills(&world).join("linked-again")).unwrap();
    symlink(skills(&world), skills(&world).join("group/back-to-the-root")).unwrap();
    symlink(skills(&world).join("group/real"), skills(&world).join("group/same")).unwrap();
    let found = scan(&skills(&world));
    assert_eq!(paths(&found), ["group/real", "linked"]);
    assert!(found.notes.is_empty(), "{:?}", notes(&found));
}

#[test]
fn roots_that_overlap_or_are_links_to_each_other_give_each_skill_once() {
    // D1, D3
    let world = World::new();
    world.skill("skills/team", "one", "Once.");
    world.write("skills/team/bad/SKILL.md", "nothing");
    symlink(skills(&world), world.path().join("link")).unwrap();
    let inner = skills(&world).join("team");
    let roots = vec![root(inner), root(skills(&world)), root(world.path().join("link"))];
    let found = FileStore::new(roots).discover(&ScanLimits::default());
    assert_eq!(paths(&found), ["one"]);
    assert_eq!(found.found[0].root.0, 0);
    assert_eq!(skipped(&found), ["bad/SKILL.md SK010"]);
}

#[test]
fn a_missing_root_is_reported_unless_it_is_optional() {
    // D1
    let world = World::new();
    let missing = world.path().join("nowhere");
    let optional = Root { optional: true, ..root(&missing) };
    let found = FileStore::new(vec![optional, root(&missing)]).discover(&ScanLimits::default());
    let said = notes(&found);
    assert_eq!(said.len(), 1);
    assert!(said[0].starts_with("SK310 : `"), "{said:?}");
    assert!(said[0].ends_with("No such file or directory (os error 2)"), "{said:?}");
    assert_eq!(found.notes[0].root.0, 1);
}

#[test]
fn a_walk_that_reaches_a_limit_says_so_once_with_the_first_path() {
    // D1
    let world = World::new();
    world.skill("skills/a/b/c", "deep", "Four levels down.");
    world.skill("skills/a/b/d", "deep", "Four levels down.");
    world.skill("skills", "shallow", "One level down.");
    let text = "---\nname: lower\ndescription: Its directories are its own.\n---\n";
    world.write("skills/a/b/lower/skill.md", text);
    world.write("skills/a/b/lower/scripts/run.py", "");
    symlink("missing", skills(&world).join("a/b/lower/link")).unwrap();
    let store = FileStore::new(vec![root(skills(&world))]);
    let deep = store.discover(&ScanLimits { max_depth: 3, ..ScanLimits::default() });
    assert_eq!(paths(&deep), ["a/b/lower", "shallow"]);
    let expected = "SK311 a/b/c/deep: `a/b/c/deep` and 1 more directory lie more than 3 levels \
                    below the root, not looked into";
    assert_eq!(notes(&deep), [expected]);

    let wide = store.discover(&ScanLimits { max_directories: 2, ..ScanLimits::default() });
    assert_eq!(paths(&wide), Vec::<String>::new());
    assert!(notes(&wide)[0].starts_with("SK312 a/b: `a/b` and 1 more directory lie past"));
}
