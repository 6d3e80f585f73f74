//! JSON schemas of types with their own serialisation.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::{BySeat, Card, Colour, Hand, Seats, UpTo};

impl JsonSchema for Card {
    fn schema_name() -> Cow<'static, str> {
        "Card".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let colours = Colour::ALL.map(Colour::name).join("|");
        json_schema!({
            "description": "A colour and a value.",
            "type": "string",
            "pattern": format!("^({colours})-([0-9]|1[0-4])$"),
        })
    }
}

impl JsonSchema for Hand {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Hand".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": generator.subschema_for::<Card>(),
            "maxItems": Self::MAX,
        })
    }
}

impl<T: JsonSchema> JsonSchema for BySeat<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("BySeat_{}", T::schema_name()).into()
    }

    /// Each game has at least two seats.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": generator.subschema_for::<T>(),
            "minItems": 2,
            "maxItems": Seats::MAX,
        })
    }
}

impl<const MAX: u16> JsonSchema for UpTo<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("UpTo{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 1, "maximum": MAX})
    }
}
