use crate::programs::{Analysis, ProgramTable};
use crate::shell::{self, Surroundings};

fn analyse(text: &str) -> Analysis {
    let commands =
        shell::parse(text, Surroundings::default()).unwrap_or_else(|why| panic!("{text}: {why}"));
    ProgramTable::built_in().analyse(&commands.last().expect("a command").argv)
}

/// Commands that run what is typed into them.
const TYPED: &[&str] = &[
    "ipython",
    "ipython3",
    "busybox sh",
    "busybox ash",
    "busybox",
    "toybox sh",
    "bun repl",
    "deno repl",
    "script -q /dev/null",
    "script",
    "script -q /dev/null bash",
    "tmux",
    "tmux new -s x",
    "tmux -L x attach",
    "tmux a",
    "screen",
    "screen -S x",
    "screen -r",
    "zellij",
    ". /dev/stdin",
    "source /dev/stdin",
    "source /dev/fd/0",
    ". /dev/tty",
    "bash /dev/tty",
    "socat - EXEC:sh",
    "docker run -it x sh",
    "docker run --rm -it x",
    "docker run --name x -i y",
    "docker run --nobody-knows x -ti y",
    "docker run -dit x",
    "docker exec -it x bash",
    "docker container exec -i x sh",
    "docker --context x exec -t x sh",
    "docker attach x",
    "docker compose exec web sh",
    "docker compose -f x.yml run web sh",
    "docker compose exec web sh -T",
    "docker-compose exec web sh",
    "podman run -it x sh",
    "kubectl exec -it pod -- sh",
    "kubectl exec pod -ti -- sh",
    "kubectl -n x exec pod --stdin -- sh",
    "kubectl run -i --tty x --image=y",
    "python3 manage.py shell",
    "python ./manage.py shell_plus",
    "python3 manage.py dbshell",
    "php artisan tinker",
    "django-admin shell",
    "vim x",
    "vi",
    "nvim x",
    "vim -u -es x",
    "emacs x",
    "nano x",
    "ed x",
    "ex x",
    "sqlite3 db",
    "sqlite3",
    "sqlite3 -header db",
    "sqlite3 -nobody-knows x db",
    "psql",
    "psql -h localhost db",
    "psql -U -c",
    "mysql -u root db",
    "redis-cli",
    "redis-cli -h x -p 1",
    "mongo",
    "mongosh mongodb://x",
    "gdb",
    "gdb x",
    "gdb --args x -batch",
    "lldb x",
    "irb",
    "rails c",
    "bin/rails console",
    "ghci",
    "ghci X.hs",
    "iex -S mix",
    "scala",
    "jshell",
    "jshell x",
    "lua",
    "julia",
    "R",
    "R --vanilla",
    "octave",
    "bc",
    "bc -l",
    "dc",
    "ftp h",
    "sftp h",
    "telnet h",
    "nc h 80",
    "nc -l 80",
    "ssh h",
    "ssh -p 22 u@h",
    "ssh -tt h",
    "ssh h bash",
    "ssh h 'exec bash -l'",
    "ssh h ''",
    "less -f x; tmux attach -d",
    "tmux ls \\; attach",
    "tmux new -s -d",
    "vim -es x",
    "vim -V",
    "ed -Es x",
    "emacs -es x",
    "gdb -b 9600 x",
    "nvim --headless -es",
    "psql -Uc",
    "psql -f -",
    "sftp -b - h",
    "screen -SX",
    "mysql -v",
    "kubectl --tls-server-name x exec -it pod -- sh",
    "systemctl edit x",
    "sqlcmd -q x",
    "ssh -t h bash -l",
    "su",
    "su - root",
    "sudo -i",
    "sudo -s",
    "unshare -r",
    "strace bash",
    "flock x bash",
    "nix-shell",
    "at now",
    "crontab -e",
    "crontab -",
    "expect",
];

#[test]
fn programs_that_run_what_is_typed_are_recognised() {
    // S3, U5
    for text in TYPED {
        assert!(analyse(text).interactive, "{text}");
    }
}

/// Commands that are told what to do, and end.
const TOLD: &[&str] = &[
    "ipython x.py",
    "ipython -c 1",
    "busybox ls",
    "busybox sh -c ls",
    "busybox sh x.sh",
    "bun run build",
    "bun x.ts",
    "deno test",
    "script -q -c ls x",
    "script -q /dev/null ls",
    "tmux ls",
    "tmux new -d -s x",
    "tmux new-session -d -s x make",
    "tmux kill-session -t x",
    "screen -ls",
    "screen -dmS x make",
    "source x.sh",
    ". ./env",
    "docker run --rm x grep -i y",
    "docker run --rm -e A=1 -v /a:/b x ls -t",
    "docker run -d --name x y",
    "docker exec x ls -it",
    "docker ps",
    "docker build -t x .",
    "docker compose up -d",
    "docker compose exec -T web ls",
    "docker-compose run --rm -T web ls",
    "kubectl exec pod -- ls -it",
    "kubectl get pods -o json",
    "kubectl logs pod",
    "python3 manage.py migrate",
    "python3 manage.py shell -c 1",
    "python3 script.py",
    "php artisan migrate",
    "rails db:migrate",
    "rails test",
    "nvim --headless -c q",
    "emacs --batch -l x.el",
    "vim --version",
    "sqlite3 db 'select 1'",
    "sqlite3 -header -column db .schema",
    "sqlite3 --version",
    "psql -c 'select 1'",
    "psql -qAt -c 'select 1'",
    "psql -h h -U u -d d -c 'select 1'",
    "psql --command='select 1'",
    "psql -f x.sql",
    "mysql -u root -e 'select 1'",
    "redis-cli ping",
    "redis-cli -h x -p 1 get y",
    "mongosh --eval 1",
    "gdb -batch -ex bt x",
    "gdb -q -nx -batch x",
    "R -e 1",
    "R -f x.R",
    "julia x.jl",
    "lua x.lua",
    "octave x.m",
    "erl -noshell -eval x",
    "dc -e 1p",
    "bc --version",
    "nc -zv h 80",
    "sftp -b x h",
    "ssh h uptime",
    "ssh h tar cf - x",
    "su - postgres -c 'psql -c x'",
    "ssh h which bash",
    "ssh h pkill node",
    "systemctl restart node",
    "mise use python",
    "tmux send-keys -t x ls Enter",
    "su -l -c ls x",
    "psql -V",
    "ssh -p 22 h ls -l",
    "ssh h bash -c ls",
    "ssh -N -L 1:a:1 h",
    "ssh -V",
    "su -c ls",
    "sudo ls",
    "sudo -u x ls",
    "strace ls",
    "strace -V",
    "systemctl status x",
    "crontab -l",
    "nix-shell --run make",
    "git log",
    "cat",
    "make test",
    "npm run test",
    "cargo test",
    "top -b -n 1",
];

#[test]
fn the_same_programs_end_by_themselves_where_they_are_told_what_to_do() {
    // S3, U5
    for text in TOLD {
        assert!(!analyse(text).interactive, "{text}");
    }
}

#[test]
fn what_shows_something_takes_keys_meanwhile() {
    // S3, U5
    for text in [
        "less x",
        "more x",
        "man git",
        "less",
        "journalctl -u x",
        "info x",
        "less -f x",
        "less -w x",
    ] {
        let found = analyse(text);
        assert!(found.pages && !found.interactive, "{text}");
    }
    for text in ["man -w git", "journalctl --no-pager", "less --version", "apropos x", "cat x"] {
        assert!(!analyse(text).pages, "{text}");
    }
}

#[test]
fn what_reads_and_what_runs_blindly_is_told() {
    // S3, U5
    for text in ["read x", "cat", "cat -", "head -1", "grep x", "tee y", "dd", "xargs a"] {
        assert!(analyse(text).waits, "{text}");
    }
    for text in ["cat x", "grep x y", "ls", "git log", "echo x", "dd if=a of=b", "rm x"] {
        assert!(!analyse(text).waits, "{text}");
    }
    for text in ["eval \"$x\"", "bash -c \"$x\"", "$x y", "watch \"$x\"", "source <(a)"] {
        assert!(analyse(text).blind, "{text}");
    }
    for text in ["eval 'a'", "bash -c a", "curl \"$x\"", "echo $x"] {
        assert!(!analyse(text).blind, "{text}");
    }
}
