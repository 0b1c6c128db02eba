//! What policies say of single results, whatever a state has done to them: how large they may be, and whether a notice may
//! say that the call can be made again.

use crate::model::message::Part;
use crate::session::state::Clip;

/// What a policy says of one result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultRule {
    /// The message of the input that holds it.
    pub input: usize,
    /// The result's number in that message.
    pub number: u32,
    /// What it is cut to in every view.
    pub clip: Option<Clip>,
    /// A notice may say that the call can be made again.
    pub rerun: bool,
}

impl ResultRule {
    /// Whether it is about this part of its message.
    pub fn concerns(&self, part: &Part) -> bool {
        self.number == part.number
    }
}
