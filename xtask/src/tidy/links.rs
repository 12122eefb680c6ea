//! Links in the project's own Markdown lead somewhere: to a file or directory that is there, and to
//! a heading that is in it. Addresses of the web are not followed.

use crate::source;

pub(super) fn problems() -> Vec<String> {
    let files = source::files();
    let pages = files.iter().filter(|file| file.ends_with(".md") && !is_data(file));
    pages.flat_map(|page| page_problems(page, &source::text(page), &files)).collect()
}

/// What tests and fuzzers are fed is not written for readers.
fn is_data(file: &str) -> bool {
    file.contains("/tests/") || file.starts_with("fuzz/")
}

fn page_problems(page: &str, text: &str, files: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    for (line, target) in links(text) {
        let (path, heading) = target.split_once('#').unwrap_or((&target, ""));
        let path = if path.is_empty() { Some(page.to_owned()) } else { resolve(page, path) };
        let found = path.filter(|path| is_there(path, files));
        let Some(path) = found else {
            problems.push(format!("{page}:{line}: the link `{target}` leads nowhere"));
            continue;
        };
        let body = if path == page { text.to_owned() } else { source::text(&path) };
        if !heading.is_empty() && !headings(&body).iter().any(|known| known == heading) {
            problems.push(format!("{page}:{line}: `{path}` has no heading `#{heading}`"));
        }
    }
    problems
}

/// Whether `path` is a file, or a directory with files in it.
fn is_there(path: &str, files: &[String]) -> bool {
    let below = format!("{}/", path.trim_end_matches('/'));
    path.is_empty() || files.iter().any(|file| file == path || file.starts_with(&below))
}

/// The targets of the links that do not lead to the web, each with its line.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (number, line) in prose(text) {
        let mut rest = line.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, more)) = after.split_once(')') else { break };
            let target = target.split_whitespace().next().unwrap_or_default();
            let web = ["http://", "https://", "mailto:"].iter().any(|w| target.starts_with(w));
            if !web && !target.is_empty() {
                links.push((number, target.to_owned()));
            }
            rest = more;
        }
    }
    links
}

/// The lines of `text` with their numbers, without code.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            // Between two backticks is code.
            let words: Vec<&str> = line.split('`').step_by(2).collect();
            lines.push((index + 1, words.join("")));
        }
    }
    lines
}

/// The anchors of a page: its headings in lower case, with hyphens for spaces and without the rest.
fn headings(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut anchors = Vec::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if let (false, Some(title)) = (fenced, line.strip_prefix('#')) {
            let title = title.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            anchors.push(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
    }
    anchors
}

/// `target` as seen from `page`, relative to the root; none when it leaves the project.
fn resolve(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::page_problems;

    #[test]
    fn a_link_to_what_is_not_there_is_a_problem() {
        // U1
        let files = ["README.md", "docs/a.md", "docs/deep/b.md"].map(str::to_owned);
        let check = |text: &str, expect: usize| {
            assert_eq!(page_problems("docs/a.md", text, &files).len(), expect, "{text}");
        };
        check("[x](../README.md) [y](deep/) [z](./deep/b.md)", 0);
        check("[x](https://example.com/gone)", 0);
        check("# A Heading, here\n[x](#a-heading-here) [y](#no)", 1);
        check("[x](gone.md) and [y](../../up.md \"title\")", 2);
        check("`[x](gone.md)`\n```\n[x](gone.md)\n```\n", 0);
    }
}
