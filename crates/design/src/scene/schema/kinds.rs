//! Enums of elements as written, with a struct for each kind.

/// Declares an enum whose kinds are structs of the same names, read from `Kind(field: value, ..)`.
macro_rules! kinds {
    ($(#[$about:meta])* pub enum $name:ident {
        $($(#[$kind_about:meta])* $kind:ident {
            $($(#[$field_about:meta])* $field:ident: $of:ty,)*
        },)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $($(#[$kind_about])* $kind($kind),)*
        }

        $($(#[$kind_about])*
        #[derive(Clone, Debug, PartialEq, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $kind {
            $($(#[$field_about])* pub $field: $of,)*
        })*

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                // As the format knows it: the fields directly in the kinds.
                #[derive(serde::Deserialize)]
                #[serde(deny_unknown_fields)]
                enum $name {
                    $($kind {
                        $($(#[$field_about])* $field: $of,)*
                    },)*
                }
                Ok(match $name::deserialize(deserializer)? {
                    $($name::$kind { $($field),* } => Self::$kind($kind { $($field),* }),)*
                })
            }
        }
    };
}

/// Declares an enum of elements that events switch on and off: every kind gets a last field `active`, true when left out.
macro_rules! switched_kinds {
    ($(#[$about:meta])* pub enum $name:ident {
        $($(#[$kind_about:meta])* $kind:ident {
            $($(#[$field_about:meta])* $field:ident: $of:ty,)*
        },)*
    }) => {
        super::kinds::kinds! {
            $(#[$about])*
            pub enum $name {
                $($(#[$kind_about])* $kind {
                    $($(#[$field_about])* $field: $of,)*
                    /// Whether it acts from the start.
                    #[serde(default = "super::kinds::yes")]
                    active: bool,
                },)*
            }
        }

        impl $name {
            /// Whether it acts from the start, or only once an event enables it.
            pub fn is_active(&self) -> bool {
                match self {
                    $(Self::$kind(kind) => kind.active,)*
                }
            }
        }
    };
}

pub(super) use {kinds, switched_kinds};

/// Default of the `active` fields.
pub(super) fn yes() -> bool {
    true
}
