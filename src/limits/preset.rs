//! The names of the presets. A preset replaces the ladder with the behaviour of another system, which is in
//! `engine/presets`.

/// A system whose behaviour is reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The threshold strategy of adk-utils-go.
    Contextguard,
}
