//! JSON schemas of the board, which serde writes as maps.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use strum::VariantNames;

use super::{Character, DiscardRule, Points, Space, TrumpSpace};
use crate::Seat;

impl JsonSchema for Space {
    /// The fields of a space are those of the action or event that contains it.
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Space".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "row": {"description": "A row of the board.", "type": "string", "enum": Self::VARIANTS},
                "space": {
                    "description": "A space of this row.",
                    "anyOf": [
                        generator.subschema_for::<Character>(),
                        generator.subschema_for::<DiscardRule>(),
                        generator.subschema_for::<TrumpSpace>(),
                        generator.subschema_for::<Points>(),
                    ],
                },
            },
            "required": ["row", "space"],
            "additionalProperties": false,
        })
    }
}

/// The schema of a row with these spaces.
fn row<S: Serialize>(
    generator: &mut SchemaGenerator,
    description: &str,
    spaces: &[S],
    is_always_there: impl Fn(&S) -> bool,
) -> Schema {
    let mut schema = json_schema!({
        "description": description,
        "type": "object",
        "properties": {},
        "required": [],
    });
    for space in spaces {
        let name = serde_json::to_value(space).expect("a space has a name");
        let name = name.as_str().expect("the name is a text").to_owned();
        if is_always_there(space) {
            let required = schema
                .get_mut("required")
                .and_then(|list| list.as_array_mut());
            required.expect("it is a list").push(name.clone().into());
        }
        // With `anyOf`, an optional field of this type would be left out instead of null.
        let seat = json_schema!({"oneOf": [generator.subschema_for::<Seat>(), {"type": "null"}]});
        let properties = schema
            .get_mut("properties")
            .and_then(|map| map.as_object_mut());
        properties.expect("it is a map").insert(name, seat.into());
    }
    schema
}

macro_rules! rows {
    ($($(#[doc = $doc:literal])* $name:ident = $spaces:expr, $is_always_there:expr;)*) => {
        $(
            $(#[doc = $doc])*
            pub(super) enum $name {}

            impl JsonSchema for $name {
                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                    row(generator, concat!($($doc),*).trim(), &$spaces, $is_always_there)
                }
            }
        )*
    };
}

rows! {
    /// The start player: the characters with a seat.
    StartRow = Character::ALL, |_| false;
    /// The use of cards before the first trick.
    DiscardRow = DiscardRule::ALL, |_| true;
    /// The trump colour; `none` only if the options add it.
    TrumpRow = TrumpSpace::ALL, |space| *space != TrumpSpace::None;
    /// The colour whose 1s are supertrumps.
    SupertrumpRow = TrumpSpace::ALL, |_| true;
    /// The points of tricks and loot cards.
    PointsRow = Points::ALL, |_| true;
}
