use proptest::prelude::*;

use super::*;

#[test]
fn sed_scripts_that_only_change_text_are_harmless() {
    // S3
    for script in [
        "",
        "p",
        "1p",
        "$p",
        "1,5p",
        "1,+3p",
        "0~2p",
        "/a/p",
        "/a/,/b/p",
        "/a/Ip",
        "1!d",
        "/a/!d",
        "s/a/b/",
        "s/a/b/g",
        "s/a/b/gI2p",
        "s|a/b|c|",
        "s#a#b#",
        "s/a\\/b/c/",
        "s,a,b,;s,c,d,",
        "y/abc/xyz/",
        "p;p",
        "p\np",
        "1{p;p}",
        "/a/{s/b/c/;p}",
        "1,3{/x/d}",
        "$!N",
        "N;P;D",
        "n;d",
        ":a;N;$!ba;s/\\n/ /g",
        "=",
        "q",
        "q5",
        "5q",
        "Q",
        "l",
        "l 20",
        "x;G;h",
        "z",
        "# a comment",
        "#n\np",
        "a text with w and e",
        "1i text",
        "$a last line",
        "c\\text",
        "s/[[:space:]]*$//",
        "s/[a-z]/x/",
        "s/[^/]*/x/",
        "s/a[b]c/d/",
        "t",
        "T end",
        "b end",
        ": end",
        ":a;s/x/y/;ta",
        ":a-b.c;ba-b.c",
        ":a\n$!{N;ba\n}\ns/\\n/ /g",
        "/x/{n;bend};s/a/b/;:end",
        "s/a/b\\\nc/",
        "1~3d",
        "2,4!s/x/y/",
    ] {
        // A slash inside brackets is read differently by different seds.
        let differs = script == "s/[^/]*/x/";
        assert_eq!(is_harmless_sed(script), !differs, "{script}");
    }
}

#[test]
fn sed_scripts_that_reach_out_are_not() {
    // S3
    for script in [
        "e",
        "1e",
        "1e id",
        "e id",
        "/a/e id",
        "p;e id",
        "p\ne id",
        "1{e id\n}",
        "s/a/b/e",
        "s/a/id/ge",
        "s/a/b/w /tmp/x",
        "s/a/b/gw x",
        "w x",
        "1w x",
        "W x",
        "r x",
        "R x",
        "$r /etc/passwd",
        "F x",
        "s/a/b",
        "s/a",
        "y/a",
        "s",
        "/a",
        "s/[]/]/;/e;#/p",
        "s/[^]/]/;/e;#/p",
        "s/[[]/]/;/e;#/p",
        "s/[[:a/]/b/e",
        "a text\\",
        "\\,a,p",
        "v",
        "k",
        "1,2,3p",
        "s\\a\\b\\",
        "s\na\nb\n",
        "p e",
        ":a e touch x",
        ": a e touch x",
        ":a\te touch x",
        ":a w x",
        "b a e touch x",
        "t w x",
        "T a r x",
        ":a#b;e touch x",
        ":a:b e touch x",
        "b\u{b}e touch x",
        // To some seds the first line is a label.
        ":a;s/x/y\\\nw x\n/",
        ":a;s/x\nw x\n/y/",
        "s/x\nw x\n/y/",
        "sea",
        "1,$",
        "5",
    ] {
        assert!(!is_harmless_sed(script), "{script}");
    }
}

#[test]
fn awk_programs_that_only_print_are_harmless() {
    // S3
    for program in [
        "{print $1}",
        "{print $1, $2}",
        "NR==1",
        "NR>1",
        "$3 > 100",
        "$3 >= 100 && $4 < 5",
        "/foo/",
        "/foo/ {print}",
        "!/foo/",
        "END {print NR}",
        "BEGIN {FS=\":\"} {print $1}",
        "{ if ($1 > 5) print }",
        "{ s += $1 } END { print s }",
        "{ print \"a > b | c\" }",
        "{ printf \"%s\\n\", $1 }",
        "{ a[$1]++ } END { for (k in a) print k, a[k] }",
        "$1 == \"x\"",
        "{ print length($0) }",
        "{ gsub(\"a\", \"b\"); print }",
        "/a|b/ || /c/",
        "{ print ($1 > 5) }",
        "NR % 2 == 0",
        "{ print substr($0, 1, 5) }",
        "1",
        "!/^#/",
        "/^#/ {next} {print $1}",
        "# the first column\n{print $1} # of each",
        "BEGIN { # it\"s\n  x = 1 # (really) > \"y\"\n} { print }",
        "{ print \"#\" $1 }",
        "{ print $1 / 2 } # half",
        "{ print $1 / 2 \" half\" }",
    ] {
        // A pipe between slashes cannot be told from a pipe to a program.
        let differs = program == "/a|b/ || /c/";
        assert_eq!(is_harmless_awk(program), !differs, "{program}");
    }
}

#[test]
fn awk_programs_that_reach_out_are_not() {
    // S3
    for program in [
        "BEGIN{system(\"id\")}",
        "{system($0)}",
        "{print | \"sh\"}",
        "{print|\"sh\"}",
        "{print |& \"sh\"}",
        "{\"id\" | getline x; print x}",
        "{getline < \"/etc/passwd\"}",
        "{print > \"x\"}",
        "{print >> \"x\"}",
        "{print>$1}",
        "BEGIN{print ENVIRON[\"PATH\"]}",
        "{close(\"x\")}",
        "@load \"filefuncs\"",
        "@include \"x\"",
        "BEGIN{f=\"system\"; @f(\"id\")}",
        "BEGIN{ARGV[1]=\"/etc/passwd\"}",
        "/a\\/\"/{system(\"rm\")}/b\\/\"/",
        "/[/]\"/{system(\"x\")}/\"/",
        "{print \"unclosed}",
        "/}/{print > \"x\"}",
        "{x ~ /}/; print > \"f\"}",
        "{ print (1) > \"x\" }",
        "{fflush()}",
        "BEGIN{PROCINFO[\"x\"]=1}",
        "{ a/b/c > \"x\" }",
        "BEGIN { # \"\nsystem(\"touch x\") # \"\n}",
        "BEGIN { # (\nprint \"x\" > \"y\" }",
        "BEGIN { # }\nprint \"x\" > \"y\" }",
        "BEGIN { # {\nprint \"x\" > \"y\" }",
        "BEGIN { # /\nsystem(\"id\") # /\n}",
        "BEGIN { x = 1 / 2 # / \"\nsystem(\"id\") # \"\n}",
        "BEGIN { \"a\" / 2 # / \"\nsystem(\"id\") # \"\n}",
        "BEGIN { x[1] / 2 # / \"\nsystem(\"id\") # \"\n}",
        "BEGIN { x = 1 / 2; system(\"id\") }",
        "BEGIN { # \\\n\"\nsystem(\"id\") # \"\n}",
        "BEGIN { x = \"\nsystem(\"id\") # \"\n}",
        "$1system(\"id\")",
        "BEGIN { x = 1e5system(\"id\") }",
        "BEGIN { SYMTAB[\"ARGV\"][1] = \"/etc/passwd\" }",
    ] {
        assert!(!is_harmless_awk(program), "{program}");
    }
}

#[test]
fn statements_about_a_database_are_harmless_and_those_about_files_are_not() {
    // S3
    for (script, harmless) in [
        ("select * from t", true),
        ("select a from t join u using (id)", true),
        ("insert into t values (1)", true),
        ("insert or replace into t values (1); insert or abort into t values (2)", true),
        (".mode csv\nselect 1;\n.tables", true),
        ("vacuum", true),
        ("create table zip (a); drop table zip", true),
        ("create virtual table t using fts5(a, b)", true),
        ("create virtual table t using rtree(id, a, b)", true),
        ("select a from t where b glob 'x*' -- a comment", true),
        ("create virtual table temp.z using zipfile('x'); insert into z values (1)", false),
        ("create virtual table temp.z using \"zipfile\"('x')", false),
        ("select * from zipfile('x')", false),
        ("create virtual table t using csv(filename='/etc/passwd')", false),
        ("create virtual table t using/*fts5*/csv(filename='x')", false),
        ("create virtual table t using -- fts5\ncsv(filename='x')", false),
        ("create virtual table t using swarmvtab('x')", false),
        ("vacuum into 'x'", false),
        ("vacuum /* insert */ into 'x'", false),
        ("vacuum main -- replace\ninto 'x'", false),
        ("attach 'x' as y", false),
        ("select writefile('x', 1)", false),
        ("select readfile('x')", false),
        ("select load_extension('x')", false),
        ("select * from fsdir('/')", false),
        ("select edit(a) from t", false),
        ("pragma temp_store_directory = 'x'", false),
        ("select * from read_csv('/etc/passwd')", false),
        ("select * from parquet_scan('x')", false),
        (".open x", false),
        (".output x", false),
        (".once |sh", false),
        (".import x t", false),
        (".shell id", false),
        (".tables\n.system id", false),
        ("  .save x", false),
    ] {
        assert_eq!(is_harmless(Language::Sqlite, script), harmless, "{script}");
    }
}

proptest! {
    #[test]
    fn any_script_gets_an_answer(text in any::<String>()) {
        // S3, F4
        let _ = is_harmless_sed(&text);
        let _ = is_harmless_awk(&text);
    }

    #[test]
    fn a_sed_script_that_names_a_file_or_runs_is_never_harmless(
        front in prop::sample::select(vec![
            "", "p;", "1", "s/a/b/;", "/x/", "1,2{p;", "x\n", ":a ", ": a\t", "b a ", "ta;", "T\n", ":a}",
        ]),
        command in prop::sample::select(vec!["e id", "w x", "r x", "W x", "R x", "s/a/b/e", "s/a/b/w x"]),
    ) {
        // S3
        let script = format!("{front}{command}");
        prop_assert!(!is_harmless_sed(&script), "{}", script);
    }
}
