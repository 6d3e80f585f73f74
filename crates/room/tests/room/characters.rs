//! The characters that people choose in the lobby of Nyet!.

use serde_json::{Value, json};
use sticheln_bots::Player;
use sticheln_room::ConnId;
use sticheln_rules::nyet::Character;
use sticheln_rules::{Nyet, Sticheln};

use crate::clients::TestRoom;

/// The answer to the choice of a character; null ends the choice.
fn choose<G: Player>(room: &mut TestRoom<G>, conn: ConnId, character: Value) -> String {
    let choice = json!({"type": "choose_character", "character": character});
    room.send_command(conn, choice)
}

/// The characters of the chairs, as a client was sent them last.
fn shown<G: Player>(room: &mut TestRoom<G>, conn: ConnId) -> Vec<Value> {
    let message = room.received(conn, "room").pop().unwrap();
    let chairs = message["table"]["chairs"].as_array().unwrap().clone();
    let character = |chair: Value| chair.get("character").cloned().unwrap_or(Value::Null);
    chairs.into_iter().map(character).collect()
}

#[test]
fn each_person_chooses_a_character_and_everybody_sees_it() {
    let mut room = TestRoom::<Nyet>::new(4, 1);
    let ann = room.join_and_sit("Ann");
    let bob = room.join_and_sit("Bob");
    let eve = room.join("Eve");
    assert_eq!(choose(&mut room, bob, json!("bear")), "ok");
    let expected = [json!(null), json!("bear"), json!(null), json!(null)];
    assert_eq!(shown(&mut room, ann), expected);
    assert_eq!(shown(&mut room, eve), expected);
    let rev = room.inner.entry_number();
    assert_eq!(choose(&mut room, bob, json!("bear")), "ok");
    assert_eq!(
        room.inner.entry_number(),
        rev,
        "the same choice changes nothing"
    );
    assert_eq!(choose(&mut room, ann, json!("bear")), "character_taken");
    assert_eq!(choose(&mut room, bob, json!(null)), "ok");
    assert_eq!(choose(&mut room, ann, json!("bear")), "ok");
    assert_eq!(shown(&mut room, bob)[..2], [json!("bear"), json!(null)]);
}

#[test]
fn a_game_has_the_chosen_characters_and_the_others_in_the_order_of_the_options() {
    let mut room = TestRoom::<Nyet>::new(5, 1);
    let ann = room.join_and_sit("Ann");
    let bob = room.join_and_sit("Bob");
    let cem = room.join_and_sit("Cem");
    assert_eq!(choose(&mut room, ann, json!("eagle")), "ok");
    assert_eq!(choose(&mut room, cem, json!("bear")), "ok");
    // The choice follows the person to another chair, and the free chairs between disappear.
    let swap = json!({"type": "swap", "a": 2, "b": 4});
    assert_eq!(room.send_command(ann, swap), "ok");
    room.restart();
    let ann = room.join("Ann");
    assert_eq!(room.send_command(ann, json!({"type": "start"})), "ok");
    let game = room.received(ann, "game").pop().unwrap();
    let characters = &game["view"]["table"]["characters"];
    assert_eq!(characters, &json!(["eagle", "wolf", "bear"]));
    assert_eq!(choose(&mut room, ann, json!("wolf")), "game_in_progress");
    _ = bob;
}

#[test]
fn a_choice_ends_when_the_person_leaves_the_chair() {
    let mut room = TestRoom::<Nyet>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    let bob = room.join_and_sit("Bob");
    assert_eq!(choose(&mut room, bob, json!("crane")), "ok");
    assert_eq!(room.send_command(bob, json!({"type": "stand"})), "ok");
    assert_eq!(choose(&mut room, ann, json!("crane")), "ok");
    let bot = json!({"type": "add_bot", "level": "beginner", "seat": 1});
    assert_eq!(room.send_command(ann, bot), "ok");
    let expected = [json!("crane"), json!(null), json!(null)];
    assert_eq!(shown(&mut room, ann), expected);
}

#[test]
fn only_seated_people_choose_and_only_what_the_game_has() {
    let mut room = TestRoom::<Nyet>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    let eve = room.join("Eve");
    assert_eq!(choose(&mut room, eve, json!("bear")), "not_seated");
    for unknown in ["", "Bear", "dragon"] {
        assert_eq!(choose(&mut room, ann, json!(unknown)), "unknown_character");
    }
    assert_eq!(choose(&mut room, ann, json!(7)), "malformed");
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    assert_eq!(choose(&mut room, ann, json!("bear")), "unknown_character");
    assert_eq!(choose(&mut room, ann, json!(null)), "ok");
}

#[test]
fn characters_have_the_names_of_the_wire() {
    for (character, name) in Character::ALL.into_iter().zip(Character::NAMES) {
        assert_eq!(serde_json::to_value(character).unwrap(), json!(name));
    }
}
