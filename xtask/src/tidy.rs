//! The rules no compiler knows. Each rule gives sentences; none means tidy.

mod architecture;
mod files;
mod links;
mod proofs;

use crate::requirements;

/// Prints every broken rule; an error when there is one.
pub(crate) fn run() -> Result<(), String> {
    let problems = problems();
    for problem in &problems {
        eprintln!("tidy: {problem}");
    }
    if problems.is_empty() { Ok(()) } else { Err(format!("{} broken rules", problems.len())) }
}

fn problems() -> Vec<String> {
    let mut problems = architecture::problems();
    problems.extend(files::problems());
    problems.extend(links::problems());
    problems.extend(proofs::problems());
    problems.extend(requirements::problems());
    problems
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_source_is_tidy() {
        // U1
        assert_eq!(super::problems(), Vec::<String>::new());
    }
}
