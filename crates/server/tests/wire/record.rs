//! The schema of records, `docs/record.schema.json`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use sticheln_protocol::schema::text_of;
use sticheln_record::RecordFile;
use sticheln_rules::{Game, GameId, Nyet, Sticheln};

use crate::check;

/// The names of the records of all games in the schema, which meet this generator. A new game is a line here.
fn records(generator: &mut SchemaGenerator) -> Vec<(GameId, String)> {
    vec![record::<Sticheln>(generator), record::<Nyet>(generator)]
}

fn record<G: Game>(generator: &mut SchemaGenerator) -> (GameId, String)
where
    RecordFile<G>: JsonSchema,
{
    generator.subschema_for::<RecordFile<G>>();
    (G::ID, RecordFile::<G>::schema_name().into_owned())
}

#[test]
fn the_schema_of_records_is_current() {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut generator = settings.into_generator();
    let records = records(&mut generator);
    let names: Vec<&str> = records.iter().map(|(_, name)| name.as_str()).collect();
    let description = "The record of a game in the format sticheln/record/1 (record.md).";
    let text = text_of(generator, &names, "Record", description);
    check("docs/record.schema.json", &text);

    let ids: Vec<&GameId> = records.iter().map(|(id, _)| id).collect();
    let all = sticheln_server::games::all();
    let hosted: Vec<&GameId> = all.iter().map(|game| game.id()).collect();
    assert_eq!(ids, hosted, "the schema has the games of the server");
}
