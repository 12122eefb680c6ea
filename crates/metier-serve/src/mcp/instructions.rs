//! What the server says of itself when a client connects. Some agents show a model nothing else
//! until it searches, so the skills are in it, as many as fit.

use metier_store::Catalog;
use metier_store::disclose::{Disclose, Style, disclose};

use crate::dialect::Dialect;
use crate::limits::MAX_INSTRUCTION_CHARS;

/// Budgets to try, in tokens, until the text fits. A token is seldom less than three characters.
const BUDGETS: [usize; 5] = [420, 340, 260, 180, 100];

pub(super) fn write(dialect: Dialect, catalog: &Catalog) -> String {
    let how = dialect.how_to_use();
    let mut shortest = format!("Skills are instructions for particular tasks. {how}");
    for budget in BUDGETS {
        let skills = disclose(
            catalog,
            &Disclose {
                style: Style::Markdown,
                budget: Some(budget),
                search: dialect.finder().to_owned(),
                ..Disclose::default()
            },
        );
        let text = format!("{shortest}\n\n{}", skills.text);
        if text.chars().count() <= MAX_INSTRUCTION_CHARS {
            return text.trim_end().to_owned();
        }
    }
    shortest.truncate(shortest.floor_char_boundary(MAX_INSTRUCTION_CHARS));
    shortest
}
