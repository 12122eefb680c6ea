//! A place with something outside that must not notice anything, and the attempts of `escapes.c`
//! made from inside a backend. Used by the tests and by the benchmark that prints the tables.

use std::collections::BTreeMap;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;
use std::process::{Child, Stdio};

use metier_sandbox::BackendKind;
use serde_json::{Value, json};

use crate::world::{Probe, World, compiled};

const WORD: &str = "s3cret-canary";

/// One line of the program's output.
pub(crate) struct Attempt {
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) result: String,
    pub(crate) reason: String,
}

/// What can be seen of one file.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    mode: u32,
    owner: u32,
    links: u64,
    changed: (i64, i64),
    text: Vec<u8>,
}

/// What lies outside and must not notice anything.
pub(crate) struct Outside {
    pub(crate) world: World,
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    datagram: UnixDatagram,
    _abstract: UnixListener,
    name: String,
}

impl Outside {
    pub(crate) fn new(user: Option<u32>) -> Self {
        let world = World::new(user);
        for directory in ["outside", "outside/empty", "skill", "skill/directory", "project"] {
            world.make_directory(directory);
        }
        world.make_file("outside/secret", WORD);
        let plain =
            ["outside/file", "outside/doomed", "outside/moved", "skill/file", "skill/doomed"];
        plain.iter().for_each(|name| drop(world.make_file(name, "text")));
        let program = world.make_file("outside/program.sh", "#!/bin/sh\nexit 43\n");
        world.install(&program, "outside/program");
        world.install(&compiled("escapes"), "skill/escapes");
        std::os::unix::fs::symlink("../outside/secret", world.at("skill/link-out")).unwrap();
        let victim = world
            .command("/bin/sleep")
            .arg("600")
            .env("TOKEN", WORD)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let name = world.path().file_name().unwrap().to_str().unwrap().to_owned();
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let datagram = UnixDatagram::bind(world.at("outside/socket")).unwrap();
        let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(world.at("outside/socket"), everybody).unwrap();
        Self {
            victim,
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            datagram,
            _abstract: UnixListener::bind_addr(&address).unwrap(),
            name,
            world,
        }
    }

    /// Makes all attempts. The program that makes the run has the word in its environment and an
    /// open descriptor to the secret, which a child could inherit.
    pub(crate) fn attempts(&self, mode: &str, backend: BackendKind) -> (Value, Vec<Attempt>) {
        let path = |name: &str| self.world.at(name).to_str().unwrap().to_owned();
        let victim = self.victim.id().to_string();
        let tcp = self.tcp.local_addr().unwrap().port().to_string();
        let udp = self.udp.local_addr().unwrap().port().to_string();
        let places = [path("outside"), path("skill"), path("project")];
        let peers = [victim, tcp, udp, path("outside/socket"), self.name.clone()];
        let args = [&[mode.to_owned()][..], &places, &peers].concat();
        let request = json!({
            "program": path("skill/escapes"),
            "args": args,
            "read": [path("skill")],
            "write": [path("project")],
            "level": if mode == "walls" { "prefer" } else { "off" },
            "backend": backend,
            "scratch": self.world.scratch(),
        });
        let probe = self.world.install(crate::world::helper(), "probe");
        let mut command = self.world.command("/bin/sh");
        command.args(["-c", "exec 9<\"$0\"; exec \"$1\""]).arg(path("outside/secret")).arg(probe);
        command.env("TOKEN", WORD).current_dir(self.world.path());
        let answer = Probe::from_command(command).run(&request);
        let lines = answer["stdout"].as_str().unwrap_or_default().lines().map(parse).collect();
        (answer, lines)
    }

    /// Everything that can be seen of the files outside.
    pub(crate) fn snapshot(&self) -> BTreeMap<String, Seen> {
        let mut found = BTreeMap::new();
        for place in ["outside", "skill"] {
            walk(&self.world.at(place), &mut |path, metadata| {
                let text =
                    if metadata.is_file() { std::fs::read(path).unwrap() } else { Vec::new() };
                let seen = Seen {
                    mode: metadata.mode(),
                    owner: metadata.uid(),
                    links: metadata.nlink(),
                    changed: (metadata.mtime(), metadata.mtime_nsec()),
                    text,
                };
                found.insert(path.display().to_string(), seen);
            });
        }
        found
    }

    pub(crate) fn nobody_was_reached(&mut self) {
        assert!(self.victim.try_wait().unwrap().is_none(), "the process outside was ended");
        self.tcp.set_nonblocking(true).unwrap();
        assert!(self.tcp.accept().is_err(), "somebody connected");
        self.udp.set_nonblocking(true).unwrap();
        assert!(self.udp.recv(&mut [0; 64]).is_err(), "a datagram arrived");
        self.datagram.set_nonblocking(true).unwrap();
        assert!(self.datagram.recv(&mut [0; 64]).is_err(), "a message arrived");
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

fn walk(directory: &Path, see: &mut impl FnMut(&Path, &std::fs::Metadata)) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        see(&path, &metadata);
        if metadata.is_dir() {
            walk(&path, see);
        }
    }
}

fn parse(line: &str) -> Attempt {
    let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
    let [class, name, result, reason] = fields.try_into().expect("four fields");
    Attempt { class, name, result, reason }
}

/// class, attempts, blocked, by what
pub(crate) fn table(title: &str, attempts: &[Attempt]) -> String {
    let mut classes: BTreeMap<&str, Vec<&Attempt>> = BTreeMap::new();
    attempts.iter().for_each(|a| classes.entry(&a.class).or_default().push(a));
    let mut text = format!("{title}\n{:<12} attempts blocked by what\n", "class");
    for (class, list) in classes {
        let blocked = list.iter().filter(|a| a.result == "blocked");
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        blocked.clone().for_each(|a| *reasons.entry(&a.reason).or_default() += 1);
        let reasons: Vec<_> = reasons.iter().map(|(why, count)| format!("{why} {count}")).collect();
        let (all, held) = (list.len(), blocked.count());
        text.push_str(&format!("{class:<12} {all:>8} {held:>7} {}\n", reasons.join(", ")));
    }
    text
}
