//! Names that look like other names. ASCII names cannot, except among themselves, which is a
//! matter for whoever compares two skills.

use unicode_security::RestrictionLevel;
use unicode_security::restriction_level::RestrictionLevelDetection;

use super::Findings;
use super::look::plain_look;
use crate::diagnostic::{Code, Diagnostic};
use crate::name::SkillName;
use crate::span::Spanned;
use crate::text::quoted;

pub(super) fn check(name: &Spanned<SkillName>) -> Findings {
    let mut findings = Findings::default();
    if let Some(message) = reason(name.as_str()) {
        findings.push(Some(name.span), || Diagnostic::new(Code::ConfusableName, message));
    }
    findings
}

/// Why `name` looks like what it is not, if it does.
fn reason(name: &str) -> Option<String> {
    if name.is_ascii() {
        return None;
    }
    // ASCII counts as itself: Unicode's own table writes `m` as `rn`.
    if let Some(look) = plain_look(name) {
        return Some(format!(
            "{} looks like {}, which has other letters",
            quoted(name),
            quoted(&look)
        ));
    }
    // Letters of scripts that are written together, such as Latin inside Japanese, are fine.
    (name.detect_restriction_level() > RestrictionLevel::ModeratelyRestrictive && mixes(name))
        .then(|| format!("{} mixes letters of scripts that look alike", quoted(name)))
}

fn mixes(name: &str) -> bool {
    use unicode_security::MixedScript as _;
    !name.is_single_script()
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
