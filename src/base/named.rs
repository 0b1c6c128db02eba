//! Enumerations whose members have names in plain data. The names stand once, beside the members.

/// Declares an enumeration, each member with its name. `js/src/contract.ts` has the names as a union.
#[macro_export]
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$each])* $variant,)+ }

        impl $name {
            /// All members, in their order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The names of all members, in their order.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// The name in plain data.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The member with this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|member| member.as_str() == name)
            }
        }
    };
}

pub use crate::named;
