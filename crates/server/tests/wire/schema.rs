//! The schema: it is derived from the Rust types, all samples satisfy it, and a room refuses messages
//! that violate it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use sticheln_protocol::schema::GameSchemas;
use sticheln_rules::{GameId, Sticheln};

use crate::check;
use crate::of_games::{games, schema as text};
use crate::samples::{From, Sample, all};
use crate::scene::{Scene, default_settings};
use crate::strict::{Strict, schema};

#[test]
fn the_schema_is_current() {
    let games = games();
    check("docs/wire/schema.json", &text(&games));
    let ids: Vec<&GameId> = games.iter().map(GameSchemas::id).collect();
    let all = sticheln_server::games::all();
    let hosted: Vec<&GameId> = all.iter().map(|game| game.id()).collect();
    assert_eq!(ids, hosted, "the schema has the games of the server");
}

/// Whether a sample is an invalid message that is refused.
fn is_invalid(sample: &Sample) -> bool {
    const NONSENSE: [&str; 4] = [
        "an unknown type",
        "an unknown field",
        "act: no card",
        // The schema allows it, because another game has this number of seats.
        "opening a room: a seat too few",
    ];
    NONSENSE.contains(&sample.title)
}

#[test]
fn every_sample_satisfies_the_schema() {
    let strict = Strict::new();
    for sample in all() {
        let pointer = format!("#/$defs/{}", sample.definition());
        let follows = strict.accepts(&pointer, &sample.value());
        assert_eq!(
            follows,
            !is_invalid(sample),
            "{}: {}",
            sample.title,
            sample.text
        );
    }
}

#[test]
fn every_property_of_the_schema_occurs_in_a_sample() {
    let strict = Strict::new();
    let mut seen = BTreeSet::new();
    for sample in all() {
        strict.visit(
            &format!("#/$defs/{}", sample.definition()),
            &sample.value(),
            &mut seen,
        );
    }
    // The hash of the files changes with the page, so it is in no sample.
    seen.insert("CurrentPage.files".to_owned());
    // Only a log with more than 200 acts at the table has it.
    seen.insert("RoundLog.acts_left_out".to_owned());
    // The message comes after an idle time, for which these tests do not wait.
    seen.insert("IdleMessage.seconds".to_owned());
    let missing: Vec<_> = strict.properties().difference(&seen).cloned().collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn client_messages_allow_no_unknown_fields() {
    let schema = schema();
    let mut open = vec![
        "#/$defs/ClientMessage".to_owned(),
        "#/$defs/OpenRoom".to_owned(),
    ];
    let mut done = BTreeSet::new();
    while let Some(pointer) = open.pop() {
        if !done.insert(pointer.clone()) {
            continue;
        }
        let part = schema.pointer(&pointer[1..]).unwrap();
        if part.get("properties").is_some() {
            assert_eq!(part["additionalProperties"], json!(false), "{pointer}");
        }
        references(part, &mut open);
    }
    assert!(done.len() > 30);
}

fn references(part: &Value, found: &mut Vec<String>) {
    match part {
        Value::Object(fields) => {
            found.extend(
                fields
                    .get("$ref")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
            fields.values().for_each(|part| references(part, found));
        }
        Value::Array(parts) => parts.iter().for_each(|part| references(part, found)),
        _ => {}
    }
}

/// A value that is valid for no field.
fn invalid_value() -> Value {
    json!([[[]]])
}

/// Collects pointers to all values inside a value.
fn pointers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let inside: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(values) => values
            .iter()
            .enumerate()
            .map(|(at, value)| (at.to_string(), value))
            .collect(),
        _ => return,
    };
    for (name, value) in inside {
        let pointer = format!("{pointer}/{name}");
        pointers(value, &pointer, found);
        found.push(pointer);
    }
}

/// A pointer, and a value that was changed there.
type Mutated = (String, Value);

/// What the schema can distinguish of a place: the names of the fields around it at each level, the types of the messages and
/// actions there, and whether the place has a value of the same kind. Numbers and texts do not matter, nor does the
/// number of an element in a list.
fn kind_of_place(value: &Value, pointer: &str) -> String {
    let mut kind = String::new();
    let mut around = value;
    for name in pointer.split('/').skip(1) {
        match around {
            Value::Object(fields) => {
                let names: Vec<&str> = fields.keys().map(String::as_str).collect();
                let types = ["type", "kind", "phase"].map(|tag| fields.get(tag));
                kind.push_str(&format!("{names:?}{types:?}.{name}"));
                around = &fields[name];
            }
            Value::Array(values) => {
                kind.push_str("[]");
                around = &values[name.parse::<usize>().unwrap()];
            }
            _ => unreachable!("a pointer leads into objects and lists"),
        }
    }
    let leaf = match around {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(values) if values.is_empty() => "empty list",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    kind + leaf
}

/// All values with one change at a place of a kind that is not known yet: first those with a value of a wrong type, then those
/// with a missing field.
fn mutated(value: &Value, known: &mut BTreeSet<String>) -> (Vec<Mutated>, Vec<Mutated>) {
    let mut found = Vec::new();
    pointers(value, "", &mut found);
    found.retain(|pointer| known.insert(kind_of_place(value, pointer)));
    let (mut wrong, mut missing) = (Vec::new(), Vec::new());
    for pointer in found {
        let mut changed = value.clone();
        *changed.pointer_mut(&pointer).unwrap() = invalid_value();
        wrong.push((pointer.clone(), changed));
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let mut changed = value.clone();
        if let Some(fields) = changed.pointer_mut(parent).unwrap().as_object_mut() {
            fields.remove(name);
            missing.push((pointer, changed));
        }
    }
    (wrong, missing)
}

#[test]
fn mutated_samples_violate_the_schema() {
    let strict = Strict::new();
    let mut optional = BTreeSet::new();
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut tried = 0;
    for sample in all().iter().filter(|sample| !is_invalid(sample)) {
        let pointer = format!("#/$defs/{}", sample.definition());
        let known = known.entry(pointer.clone()).or_default();
        let (wrong, missing) = mutated(&sample.value(), known);
        tried += wrong.len() + missing.len();
        for (place, value) in wrong {
            assert!(
                !strict.accepts(&pointer, &value),
                "{}: {place}",
                sample.title
            );
        }
        for (place, value) in missing {
            if strict.accepts(&pointer, &value) {
                let names = place
                    .split('/')
                    .filter(|name| name.parse::<usize>().is_err() && !name.is_empty());
                let method = sample
                    .request
                    .and_then(|(request, _)| request.split(' ').next());
                let value = sample.value();
                let kind = value["type"]
                    .as_str()
                    .or(method)
                    .unwrap_or_default()
                    .to_owned();
                let names: Vec<&str> = std::iter::once(kind.as_str()).chain(names).collect();
                let place = names.join(".");
                optional.insert(place);
            }
        }
    }
    println!("{tried} mutated samples");
    assert_eq!(
        optional,
        OPTIONAL.iter().map(|name| (*name).to_owned()).collect()
    );
}

/// The fields that may be missing: the type of the message, or the method of the request, and the pointer.
const OPTIONAL: &[&str] = &[
    "GET.imported",
    "GET.played_on",
    "GET.played_on.replay",
    "GET.rounds.points",
    "GET.steps.act",
    "GET.steps.events",
    "GET.steps.own",
    "GET.steps.own.pick",
    "GET.steps.table",
    "POST.listed",
    "POST.open_password",
    "POST.options",
    "POST.options.all_zero_trick",
    "POST.options.edition",
    "POST.options.end",
    "POST.options.show_history",
    "POST.options.show_last_trick",
    "POST.options.show_running_score",
    "POST.password",
    "POST.play_on",
    "POST.public_url",
    "POST.title",
    "act.action.bonus",
    "add_bot.seat",
    "chat.spectator",
    "choose_character.character",
    "configure.fast_bots",
    "configure.listed",
    "configure.opening_seat",
    "configure.options",
    "configure.options.all_zero_trick",
    "configure.options.characters",
    "configure.options.edition",
    "configure.options.end",
    "configure.options.end.max_rounds",
    "configure.options.end.target",
    "configure.options.no_trump_space",
    "configure.options.show_history",
    "configure.options.show_last_trick",
    "configure.options.show_running_score",
    "configure.options.supertrump_loot",
    "configure.password",
    "configure.seats",
    "configure.spectator_chat",
    "configure.title",
    "configure.turn_seconds",
    "configure.replays",
    "configure.waiting_room",
    "game.changes",
    "game.deadline",
    "game.events.leads",
    "game.gap",
    "game.view.hands",
    "game.view.hints",
    "game.view.own",
    "game.view.own.discard",
    "game.view.own.pick",
    "game.view.own.received",
    "game.view.table.board.start.bear",
    "game.view.table.board.start.crane",
    "game.view.table.board.start.eagle",
    "game.view.table.board.start.tiger",
    "game.view.table.board.start.wolf",
    "game.view.table.board.trump.none",
    "game.view.table.dealer",
    "game.view.table.history",
    "game.view.table.history.taker",
    "game.view.table.last_trick",
    "game.view.table.last_trick.taker",
    "game.view.table.revealed",
    "game.view.table.running",
    "game.view.table.set_aside",
    "game.view.table.trick.lead",
    "game.view.table.trick.winning",
    "handover.code",
    "hello.generation",
    "hello.name",
    "hello.password",
    "hello.rev",
    "room.guests",
    "room.table.agreements_needed",
    "room.table.chairs.agrees_to_end",
    "room.table.chairs.has_more_time",
    "room.table.chairs.holds",
    "room.table.chairs.idle",
    "room.table.chairs.idle.warn_at",
    "room.table.chairs.idle.warned",
    "room.table.chairs.pauses_left",
    "room.table.ended_early",
    "room.table.host_passes_at",
    "room.table.pause",
    "room.table.chairs.character",
    "room.table.chairs.stand_in_from",
    "room.table.chairs.waits_for_deal",
    "room.table.played_on",
    "room.table.played_on.replay",
    "room.table.replay",
    "room.table.replays",
    "room.table.restart_at",
    "room.table.claims",
    "room.table.spectators.allowed_by",
    "room.table.spectators.muted",
    "room.table.spectators.name",
    "room.table.spectators.offered_until",
    "room.table.spectators.queue_place",
    "room.table.spectators.request",
    "room.table.spectators.sees_hands",
    "room.you.claims",
    "room.you.spectator",
    "round_log.entries.act",
    "round_log.entries.events",
    "round_log.entries.events.leads",
    "round_log.tricks_left_out",
    "sit.seat",
    "welcome.generation",
    "welcome.lost_after",
    "welcome.you.spectator",
];

#[test]
fn a_room_refuses_messages_that_violate_the_schema() {
    let strict = Strict::new();
    let pointer = "#/$defs/ClientMessage";
    let mut tried = 0;
    for sample in all()
        .iter()
        .filter(|sample| sample.from == From::Client && sample.request.is_none())
    {
        let value = sample.value();
        let (wrong, missing) = mutated(&value, &mut BTreeSet::new());
        let mut more = value.clone();
        more["more"] = json!(1);
        let faulty = wrong
            .into_iter()
            .chain(missing)
            .chain([("more".to_owned(), more)]);
        for (place, value) in faulty.filter(|(_, value)| !strict.accepts(pointer, value)) {
            let mut scene =
                Scene::<Sticheln>::new("refusals", 4, default_settings(Default::default()), 1);
            if value["type"] == "hello" {
                scene.connect("Ada");
            } else {
                scene.join_and_sit("Ada");
            }
            let answer = scene.send_text("Ada", &value.to_string());
            assert_ne!(answer, "ok", "{}: {place}", sample.title);
            tried += 1;
        }
    }
    assert!(tried > 200, "{tried}");
}
