//! What may happen now: policy and every active skill, asked together.
//!
//! [`decide`] is the whole of it, a pure function of its arguments. The steps, in order: a tool the
//! host needs to talk to its user is allowed; a policy that cannot be read denies; policy is asked;
//! every active skill that names its tools is asked; scripts of active skills are not read; what is
//! metier's own is not written, and what is for the user to run is not run. The strictest answer
//! wins, with one exception that the policy has to choose: in the mode `pre-approve` a skill's tools
//! need not be asked about.

use std::path::Path;

use crate::act::{self, Act, FileUse, Manner};
use crate::call::{Kind, ToolCall, Understood};
use crate::host::{Flow, HostTable};
use crate::judge::{Bench, Case, Fallback, Finding, Standing, judge};
use crate::own;
use crate::pattern::Pattern;
use crate::place::{From, Ground, Place};
use crate::policy::{AllowedToolsMode, Policy, ScriptRead};
use crate::reading;
use crate::shell::Access;
use crate::stack::{Active, ActiveStack};
use crate::verdict::{Reason, Ruling, Verdict};

/// The rule that the reason for not reading an active skill's script names.
pub const SCRIPT_READ: &str = "script-read";

/// What is said of a refused command where one that only reads would have been allowed.
const READS_WHOLE_PATHS: &str =
    "; a command that only reads, searches or lists counts as that, each file by its whole path";

/// What the policy and the active skills leave, already intersected.
#[derive(Clone, Copy, Debug)]
pub struct Grant<'a> {
    /// The law.
    pub policy: &'a Policy,
    /// The active skills.
    pub stack: &'a ActiveStack,
}

/// The ruling on one call. See the module for the steps.
#[must_use]
pub fn decide(
    policy: &Policy,
    stack: &ActiveStack,
    call: &ToolCall,
    host: &HostTable,
    place: &Place<'_>,
) -> Ruling {
    Grant { policy, stack }.decide(call, host, place)
}

impl Grant<'_> {
    /// The ruling on one call.
    #[must_use]
    pub fn decide(&self, call: &ToolCall, host: &HostTable, place: &Place<'_>) -> Ruling {
        let mut understood = call.understand(host);
        // Who is held to some files relies on no directory that nobody tells.
        if understood.hidden && self.stack.entries().iter().any(|active| active.clause.is_some()) {
            understood.directory = Some(None);
        }
        if understood.flow == Some(Flow::Talk) {
            return Ruling::of(Verdict::Allow, "the host needs this tool to talk to its user");
        }
        if let Some(error) = self.policy.error() {
            return Ruling::of(Verdict::Deny, error.to_string());
        }
        let programs = self.policy.programs();
        let look = if place.protected.is_empty() { act::Look::Plain } else { act::Look::Thorough };
        let acts = act::acts(&understood, place, programs, look);
        let ground = Ground::new(place);
        let case = Case { call: &understood, host, ground: &ground };
        let mut reasons = self.policy_reasons(call, &case, &acts);
        let skills = self.skill_reasons(&case, &acts);
        match self.policy.mode() {
            AllowedToolsMode::Restrict => {
                reasons.extend(skills.into_iter().map(|(_, reason)| reason))
            }
            AllowedToolsMode::Ignore => {}
            AllowedToolsMode::PreApprove => pre_approve(&mut reasons, skills),
        }
        if self.policy.script_read() == ScriptRead::Refuse {
            reasons.extend(self.script_reasons(place, &acts));
        }
        let inquiry = own::Inquiry { call, understood: &understood, place, stack: self.stack };
        reasons.extend(own::reasons(inquiry, &acts));
        Ruling::join(reasons)
    }

    /// Whether any call of a tool could pass the active skills, for hosts that can hide tools.
    #[must_use]
    pub fn exposes(&self, tool: &str, host: &HostTable) -> bool {
        let call = ToolCall::new(tool, serde_json::Value::Null).understand(host);
        if call.flow.is_some() || self.policy.mode() != AllowedToolsMode::Restrict {
            return true;
        }
        self.stack.entries().iter().filter_map(|active| active.clause.as_ref()).all(|clause| {
            let shell = host.shell_reads && call.canonical == "bash";
            let reads = |p: &Pattern| shell && is_reading(p);
            let understood = clause.patterns.iter().filter(|p| p.fault().is_none());
            understood.into_iter().any(|p| p.names(&call, host) || reads(p))
        })
    }

    fn policy_reasons(&self, call: &ToolCall, case: &Case<'_>, acts: &[Act]) -> Vec<Reason> {
        let benches = self.policy.benches(call, case.host, self.stack);
        let findings = judge(case, &benches, acts);
        let mut reasons: Vec<Reason> = Vec::new();
        for finding in distinct(&findings) {
            let bench = benches.get(finding.bench);
            let clause = finding.clause.and_then(|clause| bench?.clauses.get(clause).copied());
            let layer = self.policy.layers.get(finding.bench).map_or("policy", |l| l.name.as_str());
            let text = match clause.and_then(|clause| clause.reason.as_deref()) {
                Some(why) if finding.possibly => {
                    format!(
                        "{layer}: {}: this could be what a rule is about: {why}",
                        finding.text()
                    )
                }
                Some(why) => format!("{layer}: {}: {why}", finding.text()),
                None if clause.is_some() => {
                    format!("{layer}: {}: {} by rule", finding.text(), finding.verdict)
                }
                None => format!("{layer}: {}: {} by default", finding.text(), finding.verdict),
            };
            let mut reason = Reason::new(finding.verdict, text);
            reason.rule = clause.and_then(|clause| clause.id.clone());
            reason.possibly = finding.possibly;
            reason.by_default = clause.is_none();
            reasons.push(reason);
        }
        reasons
    }

    /// What each active skill that names its tools says.
    fn skill_reasons<'s>(&'s self, case: &Case<'_>, acts: &[Act]) -> Vec<(&'s Active, Reason)> {
        let mut reasons = Vec::new();
        for active in self.stack.entries() {
            let Some(clause) = &active.clause else { continue };
            let name = &active.skill.name;
            if case.call.flow == Some(Flow::Skill) {
                let text =
                    format!("skill `{name}` restricts no tool that activates or reads skills");
                reasons.push((active, Reason::new(Verdict::Allow, text).of_skill(name)));
                continue;
            }
            let denied = Fallback { verdict: Verdict::Deny, unresolvable: Verdict::Deny };
            let bench =
                Bench { clauses: vec![clause], fallback: Some(denied), standing: Standing::Full };
            let shell = matches!(case.call.kind, Kind::Shell { .. });
            // What a command reads where there is no other tool for that.
            let left = match shell && case.host.shell_reads {
                true => reading::beyond(acts, |read| allows(case, &bench, read)),
                false => None,
            };
            let acts = left.as_deref().unwrap_or(acts);
            if left.is_some() && acts.is_empty() {
                reasons.push((active, skill_reason(active, case.call, &[])));
                continue;
            }
            // Commands that need no pattern need a shell all the same.
            let named = || clause.patterns.iter().any(|p| p.names(case.call, case.host));
            let acts = if shell && !named() { &[Act::Tool] } else { acts };
            let findings = judge(case, std::slice::from_ref(&bench), acts);
            let mut reason = skill_reason(active, case.call, &findings);
            let reads = || clause.patterns.iter().any(is_reading);
            if shell && case.host.shell_reads && reason.verdict == Verdict::Deny && reads() {
                reason.text.push_str(READS_WHOLE_PATHS);
            }
            reasons.push((active, reason));
        }
        reasons
    }

    /// Refusals to read the scripts of active skills.
    fn script_reasons(&self, place: &Place<'_>, acts: &[Act]) -> Vec<Reason> {
        let scripts: Vec<(&Active, &Path)> = self
            .stack
            .entries()
            .iter()
            .flat_map(|active| {
                active.skill.scripts.iter().map(move |script| (active, script.as_path()))
            })
            .collect();
        if scripts.is_empty() {
            return Vec::new();
        }
        let mut read = Vec::new();
        for act in acts {
            act::files(act, Access::Read, &mut read);
        }
        // A program nobody knows may as well run the script it is told.
        read.retain(|file| file.manner != Manner::Mentioned);
        let mut reasons = Vec::new();
        for (active, script) in scripts {
            let spots = script.to_str().and_then(|path| place.locate(path, From::Elsewhere));
            let Some(spots) = spots else { continue };
            let is_script = |file: &FileUse| {
                file.spots
                    .as_ref()
                    .is_some_and(|f| f.iter().any(|spot| spots.iter().any(|s| s == spot)))
            };
            if read.iter().any(|file| is_script(file)) {
                reasons.push(script_reason(active, script));
            }
        }
        reasons
    }
}

/// Whether the pattern is about a tool that reads, searches or lists files.
fn is_reading(pattern: &Pattern) -> bool {
    ["read", "grep", "glob", "ls"].contains(&pattern.canonical())
}

/// Whether the bench allows every one of these acts.
fn allows(case: &Case<'_>, bench: &Bench<'_>, acts: &[Act]) -> bool {
    let findings = judge(case, std::slice::from_ref(bench), acts);
    !findings.is_empty() && findings.iter().all(|finding| finding.verdict == Verdict::Allow)
}

/// A skill's answer to a whole call: a refusal names what was refused, an allow what it means.
fn skill_reason(active: &Active, call: &Understood, findings: &[Finding<'_>]) -> Reason {
    let name = &active.skill.name;
    let refused = findings.iter().filter(|finding| finding.verdict > Verdict::Allow);
    let refused: Vec<&Finding<'_>> = refused.collect();
    let Some(first) = refused.first().map(|finding| finding.text()) else {
        let mut notes: Vec<&str> = findings.iter().filter_map(Finding::note).collect();
        notes.dedup();
        let notes = if notes.is_empty() {
            String::new()
        } else {
            format!("; note that {}", notes.join(", "))
        };
        let text = format!("skill `{name}` allows it{notes}");
        return Reason::new(Verdict::Allow, text).of_skill(name);
    };
    let more = match refused.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let what = if first == "the call" { format!("`{}`", call.native) } else { first };
    let text = format!("skill `{name}` does not allow {what}{more}; it allows {}", allowed(active));
    Reason::new(Verdict::Deny, text).of_skill(name)
}

/// The tools a skill names, for a refusal.
fn allowed(active: &Active) -> String {
    let patterns = active.clause.iter().flat_map(|clause| &clause.patterns);
    let names: Vec<String> = patterns.take(12).map(|pattern| format!("`{pattern}`")).collect();
    if names.is_empty() { "no tools".to_owned() } else { names.join(", ") }
}

fn script_reason(active: &Active, script: &Path) -> Reason {
    let name = &active.skill.name;
    let inside = active.skill.directory.as_deref().and_then(|root| script.strip_prefix(root).ok());
    let shown = inside.unwrap_or(script).display();
    let file =
        script.file_name().map_or_else(|| shown.to_string(), |f| f.to_string_lossy().into_owned());
    let text = format!(
        "`{shown}` is a script of skill `{name}`: run it instead of reading it, with `metier run {name} {file}`"
    );
    Reason::new(Verdict::Deny, text).of_skill(name).of_rule(SCRIPT_READ)
}

/// In the mode `pre-approve`, what a skill names needs not be asked about. A deny stays a deny, and
/// a skill that nobody trusts or that a server gave approves nothing.
fn pre_approve(reasons: &mut Vec<Reason>, skills: Vec<(&Active, Reason)>) {
    let trusted = |active: &Active| {
        !active.skill.served && !active.skill.trust.eq_ignore_ascii_case("untrusted")
    };
    let approval = skills
        .into_iter()
        .find(|(active, reason)| reason.verdict == Verdict::Allow && trusted(active));
    let Some((_, approval)) = approval else { return };
    if reasons.iter().any(|reason| reason.verdict == Verdict::Deny) {
        return;
    }
    reasons.retain(|reason| reason.verdict == Verdict::Allow);
    reasons.push(approval);
}

/// One finding per bench, clause and verdict: the first of each.
fn distinct<'f, 'a>(findings: &'f [Finding<'a>]) -> Vec<&'f Finding<'a>> {
    let mut kept: Vec<&Finding<'a>> = Vec::new();
    for finding in findings {
        let same = |other: &&Finding<'a>| {
            (other.bench, other.clause, other.verdict)
                == (finding.bench, finding.clause, finding.verdict)
        };
        if !kept.iter().any(same) {
            kept.push(finding);
        }
    }
    kept
}

#[cfg(test)]
#[path = "grant_tests.rs"]
mod tests;
