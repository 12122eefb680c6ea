//! Acts against ordered clauses.
//!
//! A [`Clause`] is one line of law: a verdict and the patterns it is about. A [`Bench`] is an
//! ordered list of them with what applies when none does. An active skill is a bench of one clause
//! (these tools are allowed) over a default of deny; a layer of policy is a bench, and so is a
//! profile. All are asked by the same function, so a shell command cannot mean one thing to a skill
//! and another to a rule.
//!
//! On one bench the first clause that surely fits an act decides it. On the way there, a clause
//! that would ask or deny and fits only possibly, or only while certain skills are active, leaves
//! its verdict behind: what comes after may be stricter, never laxer. An allow that fits only possibly is no allow. Of several benches the
//! strictest wins, and one that has no opinion does not count.

mod fit;

use crate::act::{Act, Command, Consequence, FileUse};
use crate::call::Understood;
use crate::host::HostTable;
use crate::pattern::Pattern;
use crate::pattern::command::Coverage;
use crate::place::Ground;
use crate::programs::Role;
use crate::shell::Access;
use crate::verdict::Verdict;
use fit::{Fit, fit, is_spelled_out};

/// One line of law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    /// What it is called.
    pub(crate) id: Option<String>,
    pub(crate) verdict: Verdict,
    /// What it is about.
    pub(crate) patterns: Vec<Pattern>,
    /// What it is not about.
    pub(crate) except: Vec<Pattern>,
    /// It adds its verdict to what the clauses after it say, instead of deciding. So is one that
    /// tightens only while certain skills are active: activating one must never relax anything.
    pub(crate) adds: bool,
    /// Why it is there, in the author's words.
    pub(crate) reason: Option<String>,
    /// Which acts its patterns can be about at all.
    pub(crate) reach: Reach,
}

/// Which acts the patterns of a clause can be about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    reads: bool,
    writes: bool,
    /// Anything that is not a tool for files.
    others: bool,
}

impl Clause {
    /// A clause about these patterns, without a name, exceptions and a reason.
    pub(crate) fn new(verdict: Verdict, patterns: Vec<Pattern>) -> Self {
        let mut reach = Reach::default();
        for pattern in &patterns {
            match pattern.canonical() {
                "read" | "grep" | "glob" | "ls" => reach.reads = true,
                "write" | "edit" => reach.writes = true,
                _ => reach.others = true,
            }
        }
        Self { id: None, verdict, patterns, except: Vec::new(), adds: false, reason: None, reach }
    }

    /// Whether the clause could be about an act, for a quick no.
    fn reaches(&self, act: &Act) -> bool {
        match act {
            Act::File(FileUse { access: Access::Read, .. }) => {
                self.reach.reads || self.reach.others
            }
            Act::File(FileUse { access: Access::Write, .. }) => {
                self.reach.writes || self.reach.others
            }
            _ => true,
        }
    }
}

/// An ordered list of clauses.
#[derive(Clone, Debug)]
pub(crate) struct Bench<'c> {
    pub(crate) clauses: Vec<&'c Clause>,
    /// What applies when no clause does; without it the bench has no opinion then.
    pub(crate) fallback: Option<Fallback>,
    /// How it counts beside the others.
    pub(crate) standing: Standing,
}

/// How a bench counts beside the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Its allow stands in for whatever the last resort would say.
    Full,
    /// It can only add strictness: the last resort is asked all the same.
    Advisory,
    /// Asked about what no bench of full standing allowed.
    LastResort,
}

/// What applies when no clause does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fallback {
    /// For what is known.
    pub(crate) verdict: Verdict,
    /// For what cannot be told.
    pub(crate) unresolvable: Verdict,
}

/// The verdict of one bench on one act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding<'a> {
    pub(crate) verdict: Verdict,
    /// Which bench.
    pub(crate) bench: usize,
    /// The clause that decided; nothing when none did.
    pub(crate) clause: Option<usize>,
    /// Whether that clause fits only possibly.
    pub(crate) possibly: bool,
    /// What was judged.
    pub(crate) act: &'a Act,
    /// Why an allow did not fit where one was near.
    near: Option<String>,
}

/// Everything a judgement looks at beside the clauses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case<'a> {
    pub(crate) call: &'a Understood,
    pub(crate) host: &'a HostTable,
    pub(crate) ground: &'a Ground<'a>,
}

/// The opinion of one bench on one act.
struct Opinion {
    verdict: Verdict,
    clause: Option<usize>,
    /// The clause fits only possibly; whoever is asked last is asked all the same.
    possibly: bool,
    /// How far the act was allowed in so many words, and by which clause.
    allowed: Option<(Coverage, usize)>,
    near: Option<String>,
}

/// What the benches said about one act together.
struct Answer {
    denied: bool,
    /// How far the act was allowed in so many words, by all that had an opinion.
    coverage: Option<Coverage>,
    /// The clause of each bench that allowed it.
    by: Vec<Option<usize>>,
}

/// How an act is looked at.
#[derive(Clone, Copy)]
struct Scope<'s> {
    /// It needs a clause that allows it; otherwise it is fine unless a clause minds it.
    needs_pattern: bool,
    /// The clause of each bench that allowed what the act is part of: only those before it are
    /// asked, and without them the act is allowed by that clause.
    by: &'s [Option<usize>],
}

struct Trial<'c, 'a> {
    benches: &'c [Bench<'c>],
    findings: Vec<Finding<'a>>,
}

/// Asks every bench about every act. The strictest finding wins.
pub(crate) fn judge<'a>(
    case: &Case<'_>,
    benches: &[Bench<'_>],
    acts: &'a [Act],
) -> Vec<Finding<'a>> {
    let mut trial = Trial { benches, findings: Vec::new() };
    let nobody = vec![None; benches.len()];
    for act in acts {
        trial.act(case, act, Scope { needs_pattern: true, by: &nobody });
    }
    trial.findings
}

impl<'a> Trial<'_, 'a> {
    fn act(&mut self, case: &Case<'_>, act: &'a Act, scope: Scope<'_>) {
        // What they are pieces of is judged as what cannot be told.
        if matches!(act, Act::Pieces(_)) {
            return;
        }
        let Act::Command(command) = act else {
            // Tools that activate or read skills are fine unless a clause minds them.
            let needs_pattern = scope.needs_pattern && case.call.flow.is_none();
            self.ask(case, act, Scope { needs_pattern, ..scope });
            return;
        };
        let needs_pattern = scope.needs_pattern && command.role == Role::Plain;
        let answer = self.ask(case, act, Scope { needs_pattern, ..scope });
        self.consequences(case, command, &answer, scope);
        self.touches(case, command, scope);
    }

    /// Asks the benches about one act and notes what they say.
    fn ask(&mut self, case: &Case<'_>, act: &'a Act, scope: Scope<'_>) -> Answer {
        let mut answer = Answer { denied: false, coverage: None, by: scope.by.to_vec() };
        let (mut decided, mut first) = (false, true);
        for standing in [Standing::Full, Standing::Advisory, Standing::LastResort] {
            if standing == Standing::LastResort && decided {
                break;
            }
            for (index, bench) in self.benches.iter().enumerate() {
                if bench.standing != standing {
                    continue;
                }
                let by = scope.by.get(index).copied().flatten();
                let Some(opinion) = bench.opinion(case, act, scope.needs_pattern, by) else {
                    continue;
                };
                // Only an allow takes the word from the last resort: it can be relaxed, not hidden.
                decided |= standing == Standing::Full && opinion.verdict == Verdict::Allow;
                answer.denied |= opinion.verdict == Verdict::Deny;
                let mine = opinion.allowed.map(|(coverage, _)| coverage);
                answer.coverage = match answer.coverage {
                    _ if first => mine,
                    theirs => theirs.zip(mine).map(|(theirs, mine)| theirs.narrower(mine)),
                };
                first = false;
                if let (Some((_, clause)), Some(by)) = (opinion.allowed, answer.by.get_mut(index)) {
                    *by = Some(clause);
                }
                self.findings.push(opinion.into_finding(index, act));
            }
        }
        answer
    }

    /// What a command does because of its options. What the author of the pattern that allowed it
    /// spelled out or left open needs no pattern any more, but the clauses before that one still
    /// have their say. What it may do that cannot be told is asked about, unless it is denied as it
    /// stands.
    fn consequences(
        &mut self,
        case: &Case<'_>,
        command: &'a Command,
        answer: &Answer,
        scope: Scope<'_>,
    ) {
        for (at, consequence) in &command.consequences {
            let covered = answer
                .coverage
                .is_some_and(|coverage| covers(command, coverage, (*at, consequence)));
            let inner =
                if covered { Scope { needs_pattern: false, by: &answer.by } } else { scope };
            match consequence {
                Consequence::Acts(acts) => acts.iter().for_each(|act| self.act(case, act, inner)),
                Consequence::Escape(act) if answer.coverage.is_none() && !answer.denied => {
                    self.ask(case, act, scope);
                }
                // Nobody spelled this out: it was let in with everything else.
                Consequence::Escape(act) if answer.coverage == Some(Coverage::EVERYTHING) => {
                    self.ask(case, act, inner);
                }
                Consequence::Escape(_) | Consequence::Code(_) => {}
            }
        }
    }

    /// Files and addresses a program uses because that is what it is for: the clause that allowed
    /// the program allowed them, so only clauses that ask or deny matter, and only about files of
    /// which something is known.
    fn touches(&mut self, case: &Case<'_>, command: &'a Command, scope: Scope<'_>) {
        for touch in &command.touches {
            if matches!(touch, Act::File(file) if file.is_unheard_of()) {
                continue;
            }
            let from = self.findings.len();
            self.ask(case, touch, Scope { needs_pattern: false, ..scope });
            let new = self.findings.split_off(from);
            self.findings
                .extend(new.into_iter().filter(|finding| finding.verdict > Verdict::Allow));
        }
    }
}

impl Bench<'_> {
    /// What the bench says about an act, if anything. `by` is the clause that allowed what the act
    /// is part of.
    fn opinion(
        &self,
        case: &Case<'_>,
        act: &Act,
        needs_pattern: bool,
        by: Option<usize>,
    ) -> Option<Opinion> {
        let mut floor = Floor::default();
        let mut near = None;
        let mut decided = by.map(|clause| (Verdict::Allow, clause, Coverage::EVERYTHING));
        for (index, clause) in self.clauses.iter().enumerate().take(by.unwrap_or(usize::MAX)) {
            if !clause.reaches(act) {
                continue;
            }
            match fit(case, clause, act) {
                Fit::Surely(coverage) if !clause.adds => {
                    decided = Some((clause.verdict, index, coverage));
                    break;
                }
                Fit::Surely(_) | Fit::Partly => floor.raise(clause.verdict, index, false),
                Fit::Possibly => floor.raise(clause.verdict, index, true),
                // Denying all that cannot be read would make one rule about a file a rule about
                // every shell; allowing it would let the rule be walked around.
                Fit::Conceivably => floor.raise(clause.verdict.min(Verdict::Ask), index, true),
                Fit::Not(why) => near = near.or(why),
            }
        }
        let allowed = decided.filter(|(verdict, ..)| *verdict == Verdict::Allow);
        let allowed = allowed.map(|(_, clause, coverage)| (coverage, clause));
        let certain = match decided {
            Some((verdict, index, _)) => Some((verdict, Some(index))),
            None => self.fallback_on(act, needs_pattern).map(|verdict| (verdict, None)),
        };
        let raised = floor.0.filter(|(verdict, ..)| match certain {
            None => true,
            Some((other, clause)) => *verdict > other || (*verdict == other && clause.is_none()),
        });
        match (raised, certain) {
            (Some((verdict, clause, possibly)), _) => {
                Some(Opinion { verdict, clause: Some(clause), possibly, allowed, near })
            }
            (None, Some((verdict, clause))) => {
                Some(Opinion { verdict, clause, possibly: false, allowed, near })
            }
            (None, None) => None,
        }
    }

    fn fallback_on(&self, act: &Act, needs_pattern: bool) -> Option<Verdict> {
        let fallback = self.fallback?;
        match act {
            _ if !needs_pattern => Some(Verdict::Allow),
            Act::Unresolvable(_) => Some(fallback.verdict.max(fallback.unresolvable)),
            _ => Some(fallback.verdict),
        }
    }
}

/// The strictest verdict left behind on the way: with its clause, and whether that fits only
/// possibly.
#[derive(Default)]
struct Floor(Option<(Verdict, usize, bool)>);

impl Floor {
    fn raise(&mut self, verdict: Verdict, clause: usize, possibly: bool) {
        let surer = |lower: Verdict, unsure: bool| lower == verdict && unsure && !possibly;
        if self.0.is_none_or(|(lower, _, unsure)| lower < verdict || surer(lower, unsure)) {
            self.0 = Some((verdict, clause, possibly));
        }
    }
}

impl Opinion {
    fn into_finding(self, bench: usize, act: &Act) -> Finding<'_> {
        let Self { verdict, clause, possibly, near, .. } = self;
        Finding { verdict, bench, clause, possibly, act, near }
    }
}

impl Finding<'_> {
    /// What was judged, and why an allow did not fit where one was near.
    pub(crate) fn text(&self) -> String {
        let text = self.act.shown();
        match &self.near {
            Some(why) if self.verdict > Verdict::Allow && self.clause.is_none() => {
                format!("{text} ({why})")
            }
            _ => text,
        }
    }

    /// What allowing it means.
    pub(crate) fn note(&self) -> Option<&str> {
        match self.act {
            Act::Command(command) if self.verdict == Verdict::Allow => command.note.as_deref(),
            _ => None,
        }
    }
}

/// Whether allowing a command by a pattern allows what starts at this word: the pattern spells it
/// out, or it leaves open everything a program does that runs any code as it is. One that spells out
/// what hands on a command, as in `uv run`, leaves open which.
fn covers(command: &Command, coverage: Coverage, (at, what): (usize, &Consequence)) -> bool {
    let hands_on = || match what {
        Consequence::Acts(acts) => acts.iter().all(|act| matches!(act, Act::Command(_))),
        Consequence::Escape(_) | Consequence::Code(_) => false,
    };
    let spelled = coverage.literal > 1 && at >= coverage.literal;
    let any_code = coverage.whole_program || (spelled && hands_on());
    let plain = coverage.whole_program || command.role == Role::Plain;
    (any_code && plain && command.note.is_some()) || is_spelled_out(command, coverage, at)
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
