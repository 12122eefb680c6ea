use super::*;
use crate::shell::{self, Surroundings};

fn analyse(text: &str) -> Analysis {
    let around = Surroundings { home: Some("/home/user"), depth: 0 };
    let commands = shell::parse(text, around).unwrap_or_else(|refused| panic!("{text}: {refused}"));
    let last = commands.last().expect("a command");
    ProgramTable::built_in().analyse(&last.argv)
}

/// The hazards in few words: where they start and what they are.
fn hazards(text: &str) -> Vec<String> {
    analyse(text)
        .hazards
        .iter()
        .map(|hazard| format!("{} {}", hazard.at, show(&hazard.what)))
        .collect()
}

pub(super) fn show(what: &What) -> String {
    match what {
        What::Escape(_) => "escape".to_owned(),
        What::Code(_) => "code".to_owned(),
        What::Run(words) => {
            format!("run {}", words.iter().map(Word::shown).collect::<Vec<_>>().join(" "))
        }
        What::Shell(text) => format!("shell {text}"),
        What::File(Access::Read, word) => format!("read {}", word.shown()),
        What::File(Access::Write, word) => format!("write {}", word.shown()),
        What::Output(word) => format!("output {}", word.shown()),
        What::Beside(word) => format!("beside {}", word.shown()),
        What::Input(word) => format!("input {}", word.shown()),
        What::Here => "here".to_owned(),
        What::Enter(word) => format!("enter {}", word.shown()),
        What::Assign(name) => format!("assign {name}"),
        What::Go(word) => format!("go {}", word.shown()),
        What::Tracked(word) => format!("tracked {}", word.shown()),
        What::Repository(word) => format!("repository {}", word.shown()),
    }
}

fn touches(text: &str) -> Vec<String> {
    let show = |touch: &Touch| match touch {
        Touch::File(Access::Read, word) => format!("read {}", word.shown()),
        Touch::File(Access::Write, word) => format!("write {}", word.shown()),
        Touch::Tree(Access::Read, word) => format!("read all of {}", word.shown()),
        Touch::Tree(Access::Write, word) => format!("write all of {}", word.shown()),
        Touch::Mention(word) => format!("mention {}", word.shown()),
        Touch::Into(word) => format!("into {}", word.shown()),
        Touch::Around(word) => format!("around {}", word.shown()),
        Touch::Within(word) => format!("within {}", word.shown()),
        Touch::Fetch(url) => format!("fetch {url}"),
    };
    analyse(text).touches.iter().map(show).collect()
}

fn check(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(hazards(text).join("; "), *expected, "{text}");
    }
}

#[test]
fn the_built_in_data_is_read_and_names_nothing_twice() {
    // S3
    let file: ProgramsFile = toml::from_str(include_str!("data/programs.toml")).expect("the data");
    assert!(file.program.len() > 70, "{}", file.program.len());
    let mut names: Vec<&String> = file.program.iter().flat_map(|program| &program.names).collect();
    assert!(names.len() > 600, "{}", names.len());
    names.sort();
    let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn wrappers_hand_on_their_command() {
    // S3
    check(&[
        ("env a b", "1 run a b"),
        ("env -i a", "2 run a"),
        ("env -u X a", "3 run a"),
        ("env CI=1 B=2 a b", "1 assign CI; 2 assign B; 3 run a b"),
        ("env -S 'a b'", "1 escape; 2 run a b"),
        ("env -C /tmp a", "1 enter /tmp; 3 run a"),
        ("uv run a b", "2 run a b"),
        ("npx -y a b", "2 run a b"),
        ("npx -c 'a b'", "1 shell a b"),
        ("npm exec -- a b", "3 run a b"),
        ("bundle exec a", "2 run a"),
        ("nohup a", "1 run a"),
        ("nice -n 5 a", "3 run a"),
        ("nice -n5 a", "2 run a"),
        ("nice --adjustment=5 a", "2 run a"),
        ("timeout 5 a b", "2 run a b"),
        ("timeout -k 1 -s KILL 5 a", "6 run a"),
        ("timeout --foreground 5 a -x", "3 run a -x"),
        ("timeout $t a", "1 escape; 2 run a"),
        ("stdbuf -oL a", "2 run a"),
        ("setsid -w a", "2 run a"),
        ("time -f %e a", ""),
        ("command a", "1 run a"),
        ("command -p a", "2 run a"),
        ("exec a", "1 run a"),
        ("exec -a x b", "3 run b"),
        ("builtin a", "1 run a"),
        ("eval 'a b' c", "1 shell a b c"),
        ("eval $x", "1 escape"),
        ("eval \"a $x\"", "1 escape"),
        ("watch -n 1 'a; b'", "3 shell a; b"),
        ("sudo a", "1 run a"),
        ("sudo -u x a b", "3 run a b"),
        ("sudo A=1 a", "1 assign A; 2 run a"),
        ("sudo -s", "1 escape"),
        ("nohup -x a", "1 escape; 2 run a"),
    ]);
    let time = hazards("/usr/bin/time -f %e a");
    assert_eq!(time, ["3 run a"]);
}

#[test]
fn a_wrapper_without_a_command_is_a_program_like_any_other() {
    // S3
    for text in ["env", "nohup", "xargs", "sudo", "bash", "exec", "timeout 5"] {
        assert_eq!(analyse(text).role, Role::Plain, "{text}");
    }
    for text in ["env a", "xargs a", "bash -c a", "exec a", "eval a", "watch a"] {
        assert_eq!(analyse(text).role, Role::Transparent, "{text}");
    }
    for text in ["command -v a", "command -V a", "true", "[ -f x ]", "set -e", ":"] {
        assert_eq!(analyse(text).role, Role::Inert, "{text}");
    }
    assert_eq!(analyse("sudo a").role, Role::Plain);
    assert_eq!(analyse("nobody-knows-it a").role, Role::Plain);
    assert_eq!(hazards("command -v rm"), Vec::<String>::new());
}

#[test]
fn xargs_appends_or_replaces_words() {
    // S3
    check(&[
        ("xargs a b", "1 run a b …"),
        ("xargs -0 -n 1 a", "4 run a …"),
        ("xargs -I{} a {} b", "2 run a … b"),
        ("xargs -I % a x%y", "3 run a x…"),
        ("xargs -I{} {} a", "2 run … a"),
        ("xargs -a f a", "1 read f; 3 run a …"),
        ("xargs --replace a", "1 escape; 2 run a …"),
        ("xargs -i a", "1 escape; 2 run a …"),
        ("xargs $x a", "1 escape"),
    ]);
}

#[test]
fn shells_run_their_text_or_any_code() {
    // S3
    check(&[
        ("sh -c 'a b'", "2 shell a b"),
        ("bash -lc 'a'", "2 shell a"),
        ("bash -euo pipefail -c 'a'", "4 shell a"),
        ("bash -c -- 'a'", "3 shell a"),
        ("bash --norc -c a", "3 shell a"),
        ("bash -c \"$x\"", "2 escape; 0 code"),
        ("bash -c 'a' name arg", "2 shell a"),
        ("bash x.sh", "1 code"),
        ("bash", "0 code"),
        ("bash -s", "0 code"),
        ("bash +x -c a", "3 shell a"),
        ("bash - a", "2 code"),
        ("bash /dev/stdin", "1 code; 0 code"),
        ("bash --rcfile x -c a", "1 escape; 4 shell a"),
        ("bash -i -c a", "1 escape; 3 shell a"),
        ("zsh -c a", "2 shell a"),
    ]);
}

#[test]
fn git_is_admitted_without_its_escapes() {
    // S3
    check(&[
        ("git status", ""),
        ("git", ""),
        ("git --no-pager log -n 5 --oneline", ""),
        ("git -c user.name=x log", ""),
        ("git -c core.pager=x log", "1 escape"),
        ("git -c CORE.Pager=x log", "1 escape"),
        ("git -ccore.pager=x log", "1 escape"),
        ("git -C sub log", "1 enter sub"),
        ("git --git-dir=x log", "1 escape"),
        ("git --exec-pa=x log", "1 escape"),
        ("git unknown", "1 escape"),
        ("git $x", "1 escape"),
        ("git fetch --upload-pack=x", "2 escape"),
        ("git fetch --upload-p x", "2 escape"),
        ("git fetch \"$x\"", "2 escape"),
        ("git fetch -- \"$x\"", ""),
        ("git clone -u x y", "2 escape; 4 output y"),
        ("git push --exec=x", "2 escape"),
        ("git rebase -x 'a b' main", "2 shell a b"),
        ("git rebase --exec='a' main", "2 shell a"),
        ("git rebase -i -xa main", "3 shell a"),
        ("git bisect run a b", "3 run a b"),
        ("git bisect start", ""),
        ("git submodule foreach a b", "3 shell a b"),
        ("git submodule status", ""),
        ("git submodule update", "2 escape"),
        ("git config --get x", ""),
        ("git config get x", ""),
        ("git config x y", "2 escape"),
        ("git config user.name y", ""),
        ("git config User.Name y", ""),
        ("git config --global core.pager y", "3 escape"),
        ("git config -f x --list", "2 read x"),
        ("git config -e", "2 escape"),
        ("git log --output=x", "2 write x"),
        ("git log --output x", "2 write x"),
        ("git log --oneline", ""),
        ("git diff -O x", "2 read x"),
        ("git grep -Ox y", "2 escape"),
        ("git add *", ""),
        ("git add \"$x\"", ""),
        ("git log \"$x\"", "2 escape"),
        ("git log \"v$x\"", ""),
        ("git log v$x", "2 escape"),
        ("git commit -m \"$x\"", ""),
        ("git commit -m -x", ""),
        ("git commit -F -", ""),
        ("git commit -F msg", "2 read msg"),
        ("git hash-object -w x", "3 input x"),
        ("git ls-remote ext::x", "2 escape"),
        ("git push --repo=ext::x", "2 escape; 2 escape"),
    ]);
}

#[test]
fn find_and_its_like_run_commands() {
    // S3
    check(&[
        ("find . -name x", ""),
        ("find . -exec a {} \\;", "3 run a ./…"),
        ("find . -exec a b{} +", "3 run a …"),
        ("find . -exec a {} \\; -exec b {} +", "3 run a ./…; 7 run b ./…"),
        ("find . -exec a", "3 run a"),
        ("find . -delete", "2 escape"),
        ("find . -fprintf x y", "2 write x"),
        ("find -- . -delete", "3 escape"),
        ("find $x", "1 escape"),
        ("find \"$x\"", "1 escape"),
        ("find ./$x", "1 escape"),
        ("find \"./$x\"", ""),
        ("fd a -x b c", "3 run b c"),
        ("fd --exec=a", "1 escape"),
        ("fd -xa", "1 escape"),
        ("rg --pre x y", "1 escape"),
        ("rg --pretty y", ""),
    ]);
    // A value that looks like a test counts as one.
    assert_eq!(hazards("find . -name -delete"), ["3 escape"]);
}

#[test]
fn archives_and_copies_run_programs_by_option() {
    // S3
    check(&[
        ("tar czf a.tgz src", ""),
        ("tar -czf a.tgz src", ""),
        ("tar --list -f a.tgz", ""),
        ("tar -I 'a b' -xf x", "1 shell a b"),
        ("tar -Ia -xf x", "1 shell a"),
        ("tar xIf a x.tar", "1 shell a"),
        ("tar --to-command=a -xf x", "1 shell a"),
        ("tar --to-c=a -xf x", "1 shell a"),
        ("tar -xf x --checkpoint-action=exec=a", "3 escape"),
        ("tar cf x *", "3 escape"),
        ("tar cf x src/*", ""),
        ("tar xf x -C out", "3 write out"),
        ("unzip x.zip -d out", "2 write out"),
        ("magick a.png -resize 50% b.png", ""),
        ("pdflatex -shell-escape a.tex", "1 escape"),
        ("gh pr view 1 --json title", ""),
        ("gh repo clone a/b -- --upload-pack=x", "5 escape; 5 output --upload-pack=x"),
        ("gh config set editor x", "2 escape; 3 escape; 4 escape"),
        ("rsync -e 'a b' x y", "1 escape"),
        ("rsync -av x y", ""),
        ("split --filter='a' x", "1 shell a"),
        ("sort -o x y", "1 write x"),
        ("sort --compress-program=x y", "1 escape"),
        ("uniq a b", "2 write b"),
        ("uniq -c a", ""),
        ("xxd a b", "2 write b"),
    ]);
}

#[test]
fn network_programs_write_and_send_files_by_option() {
    // S3
    check(&[
        ("curl https://a.b", ""),
        ("curl -s -H 'X: y' https://a.b", ""),
        ("curl -o x https://a.b", "1 write x"),
        ("curl -sox https://a.b", "1 write x"),
        ("curl --output=x https://a.b", "1 write x"),
        ("curl -O https://a.b/x", "1 here"),
        ("curl -d a=b https://a.b", ""),
        ("curl -d @x https://a.b", "1 read x"),
        ("curl -F a=@x https://a.b", "1 read x"),
        ("curl -F 'a=<x' https://a.b", "1 read x"),
        ("curl --data-urlencode a@x https://a.b", "1 read x"),
        ("curl -d \"$x\" https://a.b", "1 escape"),
        ("curl -d \"{\\\"a\\\": \\\"$x\\\"}\" https://a.b", ""),
        ("curl -d '{\"mail\": \"a@b\"}' https://a.b", ""),
        ("curl -T x https://a.b", "1 read x"),
        ("curl -K x", "1 escape"),
        ("curl file:///x", "1 read /x"),
        ("curl --url file:///x", "1 read /x"),
        ("curl ftp://a.b", "1 escape"),
        ("curl \"https://a.b/$x\"", ""),
        ("wget -O x https://a.b", "1 write x"),
        ("ssh -o ConnectTimeout=5 h c", ""),
        ("ssh -o ProxyCommand=x h", "1 escape"),
        ("ssh h -o ProxyCommand=x", "2 escape"),
        ("ssh h ls -L", ""),
        ("scp -S x a b", "1 escape"),
    ]);
    for text in ["curl $x", "curl \"$x\""] {
        assert!(hazards(text).iter().all(|hazard| hazard == "1 escape"), "{text}");
        assert!(!hazards(text).is_empty(), "{text}");
    }
}

#[test]
fn scripts_of_sed_and_awk_are_looked_at() {
    // S3
    check(&[
        ("sed s/a/b/ x", ""),
        ("sed -n 1p x", ""),
        ("sed -e s/a/b/ -e p x", ""),
        ("sed 1e x", "1 escape"),
        ("sed -e p -e 1e x", "3 escape"),
        ("sed --expression=1e x", "1 escape"),
        ("sed -ne 1e x", "1 escape"),
        ("sed -i s/a/b/ x y", "3 write x; 4 write y"),
        ("sed -i.bak s/a/b/ x", "3 write x"),
        ("sed --in-place s/a/b/ x", "3 write x"),
        ("awk '{print}' x", ""),
        ("awk -F: '{print $1}' x", ""),
        ("awk -v a=b '{print a}' x", ""),
        ("awk '{system(1)}' x", "1 escape"),
    ]);
    for text in ["sed -f y x", "awk -f y x"] {
        assert!(hazards(text).contains(&"1 escape".to_owned()), "{text}");
    }
}

#[test]
fn interpreters_run_any_code() {
    // S3
    check(&[
        ("python -c 'x'", "1 code"),
        ("python x.py -c y", "1 code"),
        ("python3.12 x.py", "1 code"),
        ("node -e x", "1 code"),
        ("node --require x y", "1 code; 3 code"),
        ("make test", ""),
        ("make -f x test", "1 code"),
        ("make test CC=x", "2 code"),
        ("npm run test", ""),
        ("npm run test --script-shell=x", "3 code"),
        ("source x", "1 code"),
    ]);
    assert!(analyse("python x.py").note.is_some());
    assert!(analyse("make").note.is_some());
    assert!(analyse("git status").note.is_none());
}

#[test]
fn interpreters_that_wait_for_code_are_recognised() {
    // S3
    for text in ["python", "python -i", "python -i x.py", "bash", "bash -i", "node", "python -u"] {
        assert!(analyse(text).interactive, "{text}");
    }
    for text in
        ["python x.py", "python -c x", "bash -c x", "bash x.sh", "node -e x", "git log", "cat"]
    {
        assert!(!analyse(text).interactive, "{text}");
    }
}

#[test]
fn builtins_that_set_variables_name_them() {
    // S3
    check(&[
        ("export A=1", "1 assign A"),
        ("export A", "1 assign A"),
        ("export \"$x\"", "1 escape; 1 escape"),
        ("declare -x A=1", "2 assign A"),
        ("declare -n A=B", "1 escape; 2 assign A"),
        ("read -r line", "2 assign line"),
        ("read -p x line", "3 assign line"),
        ("printf -v A x", "1 escape"),
        ("printf '%s' -v", ""),
        ("alias a=b", "1 escape"),
        ("let a=1", "1 escape"),
        ("set -euo pipefail", ""),
        ("set -k", "1 escape"),
        ("set -- a", "2 escape"),
        ("test -v x", "1 escape"),
        ("test 1 -eq 2", ""),
        ("test $x -eq 2", "1 escape; 2 escape"),
        ("test \"$x\" = a", ""),
        ("test -n \"$x\"", ""),
        ("[ \"$x\" ]", ""),
        ("[ ! -f \"$x\" ]", ""),
        ("[ \"$x\" \"$y\" ]", "1 escape"),
        ("[ \"$x\" 'a[1]' ]", "1 escape"),
        ("[ $x = a ]", "1 escape"),
        ("trap 'a' EXIT", "1 shell a EXIT"),
    ]);
}

#[test]
fn what_a_program_is_for_is_a_touch() {
    // S3, S5
    let table = [
        ("cat a b", "read a; read b"),
        ("cat -n a", "read a"),
        ("head -n 5 a", "read 5; read a"),
        ("grep x a b", "read a; read b"),
        ("grep -e x a", "read a"),
        ("rm -rf a", "write all of a"),
        ("rm a", "write a"),
        ("grep -rn x a", "read all of a"),
        ("unknown -x a --in=b -c @d https://e", "mention a; mention b; mention d"),
        ("tee -a a", "write a"),
        ("cp a b c", "read a; read b; write c; write c/a; write c/b"),
        ("mv a b", "read a; write all of a; write b; write b/a; into b/a"),
        ("cp -r a b", "read all of a; write b; write b/a; into b/a"),
        ("cp -r a/. b", "read all of a/.; write b; into b"),
        ("cp -rT a b", "read all of a; write b; into b"),
        ("cp -t a b c", "read b; read c; write a; write a/b; write a/c"),
        ("rsync -a a/ b/", "read all of a/; write b/; into b/"),
        ("ln -s /a b", "read /a; write b; write b/a; read all of /a; into /a"),
        ("ln -s /a", "write /a; write ./a; read all of /a; into /a"),
        ("tar xf a", "read all of xf; into ."),
        ("tar -xf a -C b", "into b"),
        ("tar -xPf a", "into .; into /"),
        ("tar -cf a -C b c", "read all of c; write a; read all of b/c"),
        ("zip a b", "write a; read a; read b"),
        ("find a -delete", "read all of a; write all of a"),
        ("find -execdir a ;", "into .; read ."),
        ("rg a", "read ."),
        ("rg a b", "read b"),
        ("grep -r a", "read all of ."),
        ("ls", "read ."),
        (
            "unknown -f/a -v /b:/c x=/d",
            "mention /a; mention /b:/c; mention /b; mention /c; mention /d; mention x=/d; mention /d",
        ),
        ("dd if=a of=b bs=1", "read a; write b"),
        ("curl https://a.b/c", "fetch https://a.b/c"),
        ("curl a.b/c", "fetch http://a.b/c"),
        ("curl -O a.b/c?d", "within ./[?]"),
        ("wget -P b http://x/c", "fetch http://x/c; write b/c; write b/b"),
        ("gunzip a.gz", "write a.gz; write a"),
        ("cp *.c b", "read *.c; write b; within b/*.c"),
        ("sed p a", "read a"),
        ("find a -name b", "read a"),
        ("chmod +x a", "write +x; write a"),
        ("git log", ""),
        ("git pull", "around ."),
        ("git checkout a", "around ."),
        ("git checkout a b", "write all of b; around ."),
        ("git clean -fd", "write all of ."),
        ("git -c core.worktree=/a status", "into /a"),
    ];
    for (text, expected) in table {
        assert_eq!(touches(text).join("; "), expected, "{text}");
    }
}

#[test]
fn a_command_that_changes_the_directory_says_so() {
    // S3
    for text in ["cd x", "pushd x", "popd", "cd", "ln -s /etc x"] {
        assert!(analyse(text).moves, "{text}");
    }
    assert!(!analyse("git -C x log").moves);
}
