//! The JSON schema of the wire, derived from the types of this crate and of the games.
//!
//! Only tests need it: they write `docs/wire/schema.json`. The server has the feature `schema` turned off.

mod print;
mod shape;

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use sticheln_rules::{Event, Game, GameId, Illegal, View};

use crate::limits::{
    CODE_ALPHABET, CODE_LENGTH, MAX_ID_LENGTH, MAX_PASSWORD_LENGTH, REPLAY_ID_LENGTH, TOKEN_LENGTH,
};
use crate::{
    ActedFor, Actions, ClientMessage, ConnectionCheck, ConnectionFindings, CurrentPage, ErrorBody,
    GameEvent, GameOwn, GameReplay, GameTable, GameView, IdleMessage, OpenRoom, ProtocolVersion,
    Raw, RoomList, RoomOpened, RoomSummary, RoundReplay, ServerMessage, Table, TableState,
};

pub(crate) use crate::GameOptions;

/// The definitions of a schema by their names.
type Definitions = Map<String, Value>;

/// The codes of refusals, which rooms and the server define.
#[derive(Clone, Debug)]
pub struct Codes {
    /// The reasons why a message is refused.
    pub messages: Vec<&'static str>,
    /// The reasons why an HTTP request is refused, besides the codes of messages.
    pub requests: Vec<&'static str>,
}

/// A game whose types are in the schema.
#[derive(Clone, Debug)]
pub struct GameSchemas {
    id: GameId,
    refusals: &'static [Illegal],
    parts: fn(&mut SchemaGenerator) -> Parts,
}

/// The schemas of the parts of messages that a game defines. Each has the name of the definition to
/// which it belongs.
type Parts = [(&'static str, Schema); 6];

impl GameSchemas {
    /// The schemas of the game `G`.
    pub fn of<G: Game + JsonSchema>() -> Self
    where
        G::Options: JsonSchema,
        G::Action: JsonSchema,
        G::Table: JsonSchema,
        G::Own: JsonSchema,
        Event<G>: JsonSchema,
        View<'static, G>: JsonSchema,
    {
        Self {
            id: G::ID,
            refusals: G::ILLEGAL,
            parts: |generator| {
                [
                    (OPTIONS, generator.subschema_for::<G::Options>()),
                    (ACTION, generator.subschema_for::<G::Action>()),
                    (VIEW, generator.subschema_for::<View<'static, G>>()),
                    (EVENT, generator.subschema_for::<Event<G>>()),
                    (TABLE, generator.subschema_for::<G::Table>()),
                    (OWN, generator.subschema_for::<G::Own>()),
                ]
            },
        }
    }

    /// The id of the game.
    pub fn id(&self) -> &GameId {
        &self.id
    }

    /// The refusals of the game alone.
    pub fn refusals(&self) -> &'static [Illegal] {
        self.refusals
    }
}

/// The text of `docs/wire/schema.json` for these games.
pub fn text(games: &[GameSchemas], codes: &Codes) -> String {
    const READ: [&str; 3] = ["ClientMessage", "OpenRoom", "ConnectionCheck"];
    const SENT: [&str; 10] = [
        "ServerMessage",
        "RoomOpened",
        "RoomList",
        "RoomSummary",
        "GameReplay",
        "RoundReplay",
        "CurrentPage",
        "ErrorBody",
        "ConnectionFindings",
        "IdleMessage",
    ];
    let mut read = SchemaSettings::draft2020_12()
        .for_deserialize()
        .into_generator();
    read.subschema_for::<ClientMessage>();
    read.subschema_for::<OpenRoom>();
    read.subschema_for::<ConnectionCheck>();
    let read = shape::read(definitions(read, games), &READ);

    let mut sent = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    sent.subschema_for::<ServerMessage<'_>>();
    sent.subschema_for::<RoomOpened<'_>>();
    sent.subschema_for::<RoomList>();
    sent.subschema_for::<RoomSummary>();
    sent.subschema_for::<GameReplay<'_>>();
    sent.subschema_for::<RoundReplay>();
    sent.subschema_for::<CurrentPage<'_>>();
    sent.subschema_for::<ErrorBody<'_>>();
    sent.subschema_for::<ConnectionFindings>();
    sent.subschema_for::<IdleMessage>();
    let sent = shape::sent(definitions(sent, games), &SENT);

    let mut definitions = shape::united(read, sent);
    let ids: Vec<&GameId> = games.iter().map(GameSchemas::id).collect();
    definitions["GameId"]["enum"] = json!(ids);
    definitions["Code"]["enum"] = json!(codes.messages);
    definitions["HttpCode"]["enum"] = json!(codes.requests);
    let roots = READ.iter().chain(&SENT);
    let roots: Vec<Value> = roots
        .map(|name| json!({"$ref": shape::path(name)}))
        .collect();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "WireProtocol",
        "description": format!(
            "The wire protocol, version {}: every message in both directions, and the \
             bodies of the HTTP requests.",
            ProtocolVersion::FIRST.0
        ),
        "anyOf": roots,
        "$defs": definitions,
    });
    print::text(&schema)
}

/// The text of a schema for the values of these roots, which a generator for reading has met. It is the schema of a document
/// besides the wire.
pub fn text_of(
    mut generator: SchemaGenerator,
    roots: &[&str],
    title: &str,
    description: &str,
) -> String {
    let definitions = shape::read(generator.take_definitions(true), roots);
    let references = roots.iter().map(|name| json!({"$ref": shape::path(name)}));
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": description,
        "anyOf": references.collect::<Vec<_>>(),
        "$defs": definitions,
    });
    print::text(&schema)
}

/// The definitions that were generated, with the parts of each game.
fn definitions(mut generator: SchemaGenerator, games: &[GameSchemas]) -> Definitions {
    let parts: Vec<_> = games
        .iter()
        .flat_map(|game| (game.parts)(&mut generator))
        .collect();
    let mut definitions = generator.take_definitions(true);
    // The games in the order of the list, before definitions that belong to no game.
    for (name, schema) in parts.into_iter().rev() {
        if let Some(part) = definitions.get_mut(name) {
            let schemas = part["anyOf"].as_array_mut();
            schemas.expect("it is a union").insert(0, schema.into());
        }
    }
    definitions
}

/// Adds the id to each message of a client. It is parsed before the rest of a message.
pub(crate) fn with_id(schema: &mut Schema) {
    let variants = schema.get_mut("oneOf").and_then(Value::as_array_mut);
    for variant in variants.into_iter().flatten() {
        variant["properties"]["id"] = json!({"$ref": shape::path("Id")});
        let required = variant["required"].as_array_mut();
        required
            .expect("a message has a type")
            .insert(1, json!("id"));
    }
}

/// Adds the type of [`ActedFor`], because schemars omits the tag of a struct.
pub(crate) fn with_type_acted_for(schema: &mut Schema) {
    schema.ensure_object()["properties"]["type"] = json!({"type": "string", "const": "acted_for"});
    let required = schema.get_mut("required").and_then(Value::as_array_mut);
    required.expect("it has fields").insert(0, json!("type"));
}

/// Removes null from the values of a field that may be missing instead.
pub(crate) fn without_null(schema: &mut Schema) {
    shape::remove_null(schema);
}

/// Types for texts with a format.
macro_rules! texts {
    ($($(#[doc = $doc:literal])* $name:ident = $schema:tt;)*) => {
        $(
            $(#[doc = $doc])*
            pub(crate) enum $name {}

            impl JsonSchema for $name {
                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    let mut schema = json_schema!($schema);
                    schema.insert("type".to_owned(), json!("string"));
                    schema.insert("description".to_owned(), concat!($($doc),*).trim().into());
                    schema
                }
            }
        )*
    };
}

texts! {
    /// An id that the client chooses; the answer carries it.
    Id = {"pattern": format!("^[!-~]{{1,{MAX_ID_LENGTH}}}$")};
    /// The secret of a client: 256 random bits as base64url.
    Token = {"pattern": format!("^[A-Za-z0-9_-]{{{TOKEN_LENGTH}}}$")};
    /// The password of a room.
    Password = {"minLength": 1, "maxLength": MAX_PASSWORD_LENGTH};
    /// The code of a room, in lower case.
    RoomCode = {"pattern": format!("^[{CODE_ALPHABET}]{{{CODE_LENGTH}}}$")};
    /// The id of a replay: 128 random bits as base64url.
    ReplayId = {"pattern": format!("^[A-Za-z0-9_-]{{{REPLAY_ID_LENGTH}}}$")};
    /// The reason why a message is refused.
    Code = {};
    /// The reason why a request is refused, besides the codes of messages.
    HttpCode = {};
}

/// The code of an `ErrorBody`: that of a request or, for a new room, that of a message.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum ErrorBodyCode {
    Request(HttpCode),
    Message(Code),
}

const OPTIONS: &str = "GameOptions";
const ACTION: &str = "Action";
const VIEW: &str = "View";
const EVENT: &str = "GameEvent";
const TABLE: &str = "GameTable";
const OWN: &str = "GameOwn";

/// Parts of messages that each game defines. They are unions, to which [`definitions`] adds the
/// types of the games.
macro_rules! parts {
    ($($name:ident, $description:literal: $marker:ty $(= $other:ty)?;)*) => {
        $(
            impl JsonSchema for $marker {
                fn schema_name() -> Cow<'static, str> {
                    $name.into()
                }

                fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
                    let schemas: &[Schema] = &[$(_generator.subschema_for::<$other>())?];
                    json_schema!({"description": $description, "anyOf": schemas})
                }
            }
        )*
    };
}

/// An action of a game.
pub(crate) enum GameAction {}

parts! {
    OPTIONS, "The options of the game.": GameOptions;
    ACTION, "An action of a seat.": GameAction;
    VIEW, "The view of the receiver.": GameView;
    EVENT, "A public event.": GameEvent = ActedFor;
    TABLE, "The public part of a round.": GameTable;
    OWN, "The part of a round that one seat knows besides.": GameOwn;
}

/// Types with the schema of another type.
macro_rules! same {
    ($([$($generic:tt)*] $type:ty = $other:ty;)*) => {
        $(
            impl<$($generic)*> JsonSchema for $type {
                fn inline_schema() -> bool {
                    <$other>::inline_schema()
                }

                fn schema_name() -> Cow<'static, str> {
                    <$other>::schema_name()
                }

                fn schema_id() -> Cow<'static, str> {
                    <$other>::schema_id()
                }

                fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                    <$other>::json_schema(generator)
                }
            }
        )*
    };
}

same! {
    [T: JsonSchema] Raw<T> = T;
    [] Actions = Vec<GameAction>;
    [] Table = TableState<'static, GameOptions>;
}
