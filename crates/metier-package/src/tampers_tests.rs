//! Random tampers of a tree: content, mode, name, link, added, removed, each with its times put back
//! where that can be done.

#![expect(clippy::disallowed_methods, reason = "tests tamper with files")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, statat, utimensat};

/// Numbers that look random and are the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// The files of a tree, links and directories aside.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut ahead = vec![root.to_owned()];
    while let Some(directory) = ahead.pop() {
        let mut entries: Vec<_> =
            std::fs::read_dir(directory).unwrap().map(Result::unwrap).collect();
        entries.sort_by_key(std::fs::DirEntry::path);
        for entry in entries {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                ahead.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn times(path: &Path) -> Timestamps {
    let stat = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).unwrap();
    let time = |seconds, nanoseconds: u64| Timespec {
        tv_sec: seconds,
        tv_nsec: i64::try_from(nanoseconds).unwrap(),
    };
    Timestamps {
        last_access: time(stat.st_atime, stat.st_atime_nsec),
        last_modification: time(stat.st_mtime, stat.st_mtime_nsec),
    }
}

/// Does one random thing to the tree at `root`; gives what it was and how to undo it.
pub(crate) fn tamper(root: &Path, dice: &mut Dice) -> (String, Box<dyn FnOnce()>) {
    let files = files(root);
    let file = files[dice.roll(files.len())].clone();
    let parent = file.parent().unwrap().to_owned();
    let (file_times, parent_times) = (times(&file), times(&parent));
    let (bytes, mode) =
        (std::fs::read(&file).unwrap(), std::fs::metadata(&file).unwrap().permissions().mode());
    let kind = dice.roll(8);
    let new = parent.join(format!("new-{}", dice.roll(1000)));
    set_mode(&parent, 0o755);
    set_mode(&file, 0o755);
    let mut changed = bytes.clone();
    match kind {
        // One bit of one byte, the size as it was.
        0 | 1 => {
            let at = dice.roll(changed.len());
            changed[at] ^= 1 << dice.roll(8);
            std::fs::write(&file, &changed).unwrap();
        }
        2 => {
            changed.truncate(dice.roll(changed.len()));
            std::fs::write(&file, &changed).unwrap();
        }
        3 => {
            changed.insert(dice.roll(changed.len() + 1), b'x');
            std::fs::write(&file, &changed).unwrap();
        }
        4 => {}
        5 => std::fs::rename(&file, &new).unwrap(),
        6 => std::fs::write(&new, "extra").unwrap(),
        _ => {
            std::fs::remove_file(&file).unwrap();
            if dice.roll(2) == 0 {
                std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
            }
        }
    }
    // The mode as it was, but when the mode is what is tampered with.
    if file.is_file() && !file.is_symlink() {
        let odd = [0o4000, 0o2000, 0o002, 0o111][dice.roll(4)];
        set_mode(&file, if kind == 4 { mode ^ odd } else { mode });
        utimensat(CWD, &file, &file_times, AtFlags::empty()).unwrap();
    }
    utimensat(CWD, &parent, &parent_times, AtFlags::empty()).unwrap();
    let what = format!("{kind} on {}", file.display());
    let undo = move || {
        let _ = std::fs::remove_file(&new);
        let _ = std::fs::remove_file(&file);
        std::fs::write(&file, bytes).unwrap();
        set_mode(&file, mode);
    };
    (what, Box::new(undo))
}
