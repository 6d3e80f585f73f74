//! The schema of records, `docs/record.schema.json`.

use boon::{Compiler, Schemas};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};
use sticheln_protocol::schema::text_of;
use sticheln_record::{RecordFile, RecordedActor, RecordedPlayer};
use sticheln_rules::{Game, GameId, Nyet, Sticheln};

use crate::{check, common, file};

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

/// The example of `docs/record.md`.
pub fn example() -> Value {
    let page = include_str!("../../../../docs/record.md");
    let (_, rest) = page.split_once("```json\n").unwrap();
    serde_json::from_str(rest.split_once("```").unwrap().0).unwrap()
}

/// The record of a game in which all seats play their first legal action.
fn played<G: Game>(seats: usize) -> Value {
    let player = RecordedPlayer::Person { name: None };
    let options = G::Options::default();
    let file = common::record::played::<G>(options, seats, player, RecordedActor::StandIn);
    serde_json::from_str(&file.json()).unwrap()
}

#[test]
fn records_satisfy_their_schema() {
    const ADDRESS: &str = "record.schema.json";
    let schema = std::fs::read_to_string(file("docs/record.schema.json")).unwrap();
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    let schema = serde_json::from_str(&schema).unwrap();
    compiler.add_resource(ADDRESS, schema).unwrap();
    let compiled = compiler.compile(ADDRESS, &mut schemas).unwrap();
    let accepts = |record: &Value| schemas.validate(record, compiled).is_ok();

    let mut set_aside = example();
    set_aside["rounds"][0]["tricks"][0]["taker"] = json!(null);
    for record in [
        example(),
        set_aside,
        played::<Sticheln>(6),
        played::<Nyet>(2),
        played::<Nyet>(5),
    ] {
        assert!(accepts(&record), "{record}");
    }
    let changes: [fn(&mut Value); 5] = [
        |record| record["room"] = json!("k7qm2x4p"),
        |record| record["game"] = json!("nyet"),
        |record| record["ended_early"] = json!(false),
        |record| record["rounds"] = json!([]),
        |record| record["rounds"][0]["tricks"][0]["taker"] = json!("nobody"),
    ];
    for change in changes {
        let mut record = example();
        change(&mut record);
        assert!(!accepts(&record), "{record}");
    }
}
