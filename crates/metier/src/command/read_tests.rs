use metier_runtime::session::ResourceError;
use metier_store::Catalog;
use metier_store::store::ReadError;
use metier_testing::World;

use super::{ReadArgs, explain};
use crate::args::Global;
use crate::env::Environment;
use crate::error::Kind;
use crate::settings::Settings;

#[test]
fn every_failure_has_its_kind_and_its_code() {
    // R1, U1
    let world = World::new();
    let environment = Environment::from_lookup(|_| None, world.project());
    let settings = Settings::load(&Global::default(), &environment).unwrap();
    let path = || "a.md".to_owned();
    let name = || "pdf".to_owned();
    let args = ReadArgs {
        name: name(),
        path: path(),
        max_bytes: Some(9),
        offset: 0,
        limit: None,
        auto: false,
    };
    let refused = std::io::Error::other("no");
    for (error, kind, code) in [
        (
            ResourceError::SkillNotFound { name: name(), suggestion: None },
            Kind::Failed,
            "skill_not_found",
        ),
        (ResourceError::NotTrusted(name()), Kind::Refused, "skill_not_trusted"),
        (
            ResourceError::Hidden { name: name(), reason: "is disabled".to_owned() },
            Kind::Refused,
            "skill_hidden",
        ),
        (ResourceError::Read(ReadError::InvalidPath(path())), Kind::Refused, "invalid_path"),
        (ResourceError::Read(ReadError::LeavesSkill(path())), Kind::Refused, "invalid_path"),
        (ResourceError::Read(ReadError::NotFound(path())), Kind::Failed, "file_not_found"),
        (ResourceError::Read(ReadError::NotAFile(path())), Kind::Failed, "not_a_file"),
        (
            ResourceError::Read(ReadError::TooLarge { path: path(), size: 9, limit: 1 }),
            Kind::Failed,
            "file_too_large",
        ),
        (
            ResourceError::Read(ReadError::Io { path: path(), source: refused }),
            Kind::Failed,
            "unreadable",
        ),
    ] {
        let explained = explain(error, &args, &Catalog::default(), &settings);
        assert_eq!((explained.kind, explained.code), (kind, Some(code)), "{explained:?}");
    }
}
