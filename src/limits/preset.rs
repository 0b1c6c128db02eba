//! The presets by name: the behaviour of another system in the place of the ladder. What each does is in
//! `engine/presets`.

/// Another system whose behaviour is reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The threshold strategy of adk-utils-go.
    Contextguard,
}
