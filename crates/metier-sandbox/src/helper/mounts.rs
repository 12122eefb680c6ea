//! The child's own file system tree: an empty one in memory, into which the paths it may see are
//! mounted at the places they have outside.
//!
//! Sources are opened before anything is covered, and both sources and places are resolved without
//! following a symbolic link, so that nobody who can rename a directory meanwhile moves a mount.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, UnmountFlags,
};

use super::{Broken, Step, sys};
use crate::wire::{Access, Bind, Bytes, NamespacePlan, ScratchPlan};

/// A directory that exists everywhere. The new root is mounted over it, in this mount namespace
/// only, until it becomes the root.
const STAGE: &str = "/usr";

const RECURSIVE: u32 = libc::AT_RECURSIVE as u32;

/// Moves this process into a new mount namespace whose root shows only what the plan names.
pub(super) fn build(plan: &NamespacePlan, scratch: Option<&ScratchPlan>) -> Result<(), Broken> {
    sys::unshare(libc::CLONE_NEWNS).step("the mount namespace")?;
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private).step("private mounts")?;
    let mut binds: Vec<&Bind> = plan.binds.iter().collect();
    binds.sort_by(|a, b| a.path.cmp(&b.path));
    let sources: Result<Vec<_>, _> = binds.iter().map(|bind| source(bind)).collect();
    let root = stage()?;
    if let Some(scratch) = scratch {
        mount_scratch(&root, scratch)?;
    }
    for (bind, source) in binds.iter().zip(sources?) {
        place(&root, bind.path.path(), &source)?;
    }
    for link in &plan.links {
        symlink(&root, &link.at, &link.to)?;
    }
    furnish(&root, scratch)?;
    let proc = process_files()?;
    place(&root, Path::new("/proc"), &proc)?;
    if let Some(most) = plan.pid_max {
        bound_process_ids(most)?;
    }
    become_root(&root)
}

/// One thing to be mounted.
struct Source {
    tree: OwnedFd,
    directory: bool,
}

fn source(bind: &Bind) -> Result<Source, Broken> {
    let step = format!("`{}`", bind.path.path().display());
    let strict = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let path =
        rustix::fs::openat2(CWD, bind.path.path(), flags, Mode::empty(), strict).step(&step)?;
    let kind = rustix::fs::fstat(&path).step(&step)?.st_mode;
    let clone = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    let tree = rustix::mount::open_tree(&path, "", clone).step(&step)?;
    sys::set_mount_attributes(tree.as_fd(), RECURSIVE, attributes(bind.access)).step(&step)?;
    Ok(Source { tree, directory: FileType::from_raw_mode(kind) == FileType::Directory })
}

fn attributes(access: Access) -> u64 {
    let always = libc::MOUNT_ATTR_NOSUID;
    match access {
        Access::Read => always | libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_RDONLY,
        Access::Write => always | libc::MOUNT_ATTR_NODEV,
        Access::Device => always | libc::MOUNT_ATTR_NOEXEC | libc::MOUNT_ATTR_RDONLY,
    }
}

/// The empty new root.
fn stage() -> Result<OwnedFd, Broken> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let options = c"mode=0755,size=1m,nr_inodes=8k";
    rustix::mount::mount("tmpfs", STAGE, "tmpfs", flags, options).step("the new root")?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(STAGE, flags, Mode::empty()).step("the new root")
}

fn mount_scratch(root: &OwnedFd, scratch: &ScratchPlan) -> Result<(), Broken> {
    let options = [
        ("mode", "0700".to_owned()),
        ("size", scratch.bytes.to_string()),
        ("nr_inodes", scratch.entries.to_string()),
    ];
    let flags = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    let tree = new_filesystem("tmpfs", &options, flags).step("the private directory")?;
    place(root, scratch.path.path(), &Source { tree, directory: true })
}

/// Only processes, and of those only the ones the reader may look into: no kernel settings, no
/// memory, no keys, and not this process.
fn process_files() -> Result<Source, Broken> {
    let options = [("subset", "pid".to_owned()), ("hidepid", "ptraceable".to_owned())];
    let flags = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC
        | MountAttrFlags::MOUNT_ATTR_RDONLY;
    let tree = new_filesystem("proc", &options, flags).step("the list of processes")?;
    Ok(Source { tree, directory: true })
}

/// Sets the highest process id of this namespace, through a mount nobody else sees.
fn bound_process_ids(most: u64) -> Result<(), Broken> {
    let step = "the bound on processes";
    let tree = new_filesystem("proc", &[], MountAttrFlags::empty()).step(step)?;
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(&tree, "sys/kernel/pid_max", flags, Mode::empty()).step(step)?;
    rustix::io::write(&file, most.to_string().as_bytes()).step(step).map(drop)
}

fn new_filesystem(
    kind: &str,
    options: &[(&str, String)],
    flags: MountAttrFlags,
) -> rustix::io::Result<OwnedFd> {
    let context = rustix::mount::fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (name, value) in options {
        rustix::mount::fsconfig_set_string(&context, *name, value.as_str())?;
    }
    rustix::mount::fsconfig_create(&context)?;
    rustix::mount::fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, flags)
}

/// Mounts something at an absolute path of the new root, making what leads there.
fn place(root: &OwnedFd, at: &Path, source: &Source) -> Result<(), Broken> {
    let step = format!("the place `{}`", at.display());
    let (parent, name) = parent_and_name(root, at)?;
    let made = match source.directory {
        true => rustix::fs::mkdirat(&parent, &name, Mode::from_raw_mode(0o755)),
        false => make_file(parent.as_fd(), &name, b""),
    };
    match made {
        Ok(()) | Err(rustix::io::Errno::EXIST) => {}
        // A place inside a tree that is mounted already, which is read-only or belongs to somebody
        // else; if it is not there, opening it says so.
        Err(rustix::io::Errno::ROFS | rustix::io::Errno::ACCESS) => {}
        Err(error) => return Err(error).step(&step),
    }
    let target = open_beneath(parent.as_fd(), &name).step(&step)?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    rustix::mount::move_mount(&source.tree, "", &target, "", flags).step(&step)
}

fn symlink(root: &OwnedFd, at: &Bytes, to: &Bytes) -> Result<(), Broken> {
    let step = format!("the link `{}`", at.path().display());
    let (parent, name) = parent_and_name(root, at.path())?;
    match rustix::fs::symlinkat(to.path(), &parent, &name) {
        // Already visible through a mounted tree.
        Ok(()) | Err(rustix::io::Errno::EXIST | rustix::io::Errno::ROFS) => Ok(()),
        Err(error) => Err(error).step(&step),
    }
}

/// The directory that leads to a path, made where it is missing, and the last name.
fn parent_and_name(root: &OwnedFd, at: &Path) -> Result<(OwnedFd, CString), Broken> {
    let step = format!("the way to `{}`", at.display());
    let mut directory = rustix::io::fcntl_dupfd_cloexec(root, 3).step(&step)?;
    if at.components().any(|component| component == Component::ParentDir) {
        return Err(rustix::io::Errno::INVAL).step(&step);
    }
    let mut names = at.components().filter_map(|component| match component {
        Component::Normal(name) => Some(CString::new(name.as_encoded_bytes())),
        _ => None,
    });
    let mut name = match names.next() {
        Some(Ok(name)) => name,
        _ => return Err(rustix::io::Errno::INVAL).step(&step),
    };
    for next in names {
        match rustix::fs::mkdirat(&directory, &name, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(_) => directory = open_beneath(directory.as_fd(), &name).step(&step)?,
        }
        name = next.map_err(|_| rustix::io::Errno::INVAL).step(&step)?;
    }
    Ok((directory, name))
}

fn open_beneath(directory: BorrowedFd<'_>, name: &CString) -> rustix::io::Result<OwnedFd> {
    let strict = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(directory, name, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), strict)
}

fn make_file(parent: BorrowedFd<'_>, name: &CString, text: &[u8]) -> rustix::io::Result<()> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(parent, name, flags, Mode::from_raw_mode(0o644))?;
    rustix::io::write(&file, text).map(drop)
}

/// What programs expect to find: their streams as files, shared memory, a name for their user.
fn furnish(root: &OwnedFd, scratch: Option<&ScratchPlan>) -> Result<(), Broken> {
    let streams = [
        ("/dev/fd", "/proc/self/fd"),
        ("/dev/stdin", "/proc/self/fd/0"),
        ("/dev/stdout", "/proc/self/fd/1"),
        ("/dev/stderr", "/proc/self/fd/2"),
    ];
    for (at, to) in streams {
        symlink(root, &at.into(), &to.into())?;
    }
    let mut home = Path::new("/").to_owned();
    if let Some(scratch) = scratch {
        home = scratch.path.path().join("home");
        symlink(root, &"/dev/shm".into(), &scratch.path)?;
        symlink(root, &"/tmp".into(), &scratch.path)?;
    }
    let (uid, gid) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    let user = format!("user:x:{uid}:{gid}::{}:/bin/sh\n", home.display());
    let group = format!("user:x:{gid}:\n");
    for (at, text) in [("/etc/passwd", user), ("/etc/group", group)] {
        let (parent, name) = parent_and_name(root, Path::new(at))?;
        make_file(parent.as_fd(), &name, text.as_bytes()).step(at)?;
    }
    Ok(())
}

/// The new root becomes the root, the old one is let go, and nothing can be added any more.
fn become_root(root: &OwnedFd) -> Result<(), Broken> {
    let step = "the change of root";
    sys::set_mount_attributes(root.as_fd(), 0, libc::MOUNT_ATTR_RDONLY).step(step)?;
    rustix::process::fchdir(root).step(step)?;
    rustix::process::pivot_root(".", ".").step(step)?;
    rustix::mount::unmount(".", UnmountFlags::DETACH).step(step)?;
    rustix::process::chdir("/").step(step)
}
