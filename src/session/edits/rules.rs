//! What tool policies say about individual results, independently of the state: how large they may be, and whether a
//! notice may say that the call can be repeated.

use crate::model::message::Part;
use crate::session::clip::Clip;

/// What a tool policy says about one result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultRule {
    /// The input index of its message.
    pub input: usize,
    /// The number of the result in its message.
    pub number: u32,
    /// The clip that applies in every view.
    pub clip: Option<Clip>,
    /// Whether the call may be repeated, which a notice says. `None`: that is not known.
    pub rerun: Option<bool>,
}

impl ResultRule {
    /// Whether the rule is about this part of its message.
    pub fn concerns(&self, part: &Part) -> bool {
        self.number == part.number
    }
}
