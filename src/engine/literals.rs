//! Literal strings that a host wants kept (`mustKeep`): they stand at the end of a text that does not hold them.

use crate::base::text;

const HEADING: &str = "\n\n## To be kept literally";

/// Appends the literals that the text does not hold.
pub(crate) fn append<'l>(text: &mut String, literals: impl Iterator<Item = &'l String>) {
    let mut heading = HEADING;
    for literal in literals.filter(|literal| !literal.is_empty()) {
        if text::find(text, literal).is_none() {
            text.push_str(heading);
            text.push_str("\n- ");
            text.push_str(literal);
            heading = "";
        }
    }
}
