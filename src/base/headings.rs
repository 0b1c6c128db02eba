//! How the texts begin that code writes into a view. Several modules recognize them.

/// The first line of a digest.
pub const OPENING: &str =
    "Condensed by code: exact quotations, in their order. What is later overrules what is earlier.";
/// A digest that has nothing to say: all that it covers stands behind it in the view.
pub const NOTHING: &str = "The messages before this follow below.";
/// Separates a summary written by a model from what code adds to it.
pub const KEPT: &str = "## Kept by code, word for word";
