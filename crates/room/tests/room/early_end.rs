//! The early end of a game: by the host, by agreement, and by a majority once somebody has left.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{ConnId, Phase};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

const FOUR: [&str; 4] = ["Ann", "Bob", "Cem", "Dora"];

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A game of four after its first round, in the middle of the second one.
fn in_second_round() -> (TestRoom, Vec<ConnId>) {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 1);
    while room.everybody_acts(&conns) {}
    room.wait(seconds(30));
    for _ in 0..3 {
        assert!(room.everybody_acts(&conns));
    }
    (room, conns)
}

fn agree(agree: bool) -> Value {
    json!({"type": "agree_to_end", "agree": agree})
}

/// The number of people who have to agree, as the newest table says.
fn needed(room: &mut TestRoom, conn: ConnId) -> Option<Value> {
    let message = room.received(conn, "room").pop().unwrap();
    message["table"].get("agreements_needed").cloned()
}

/// The standings of the scored rounds are shown and kept, nobody can act any more, and a rematch can begin.
#[test]
fn the_host_ends_a_game_with_the_rounds_that_were_scored() {
    let (mut room, conns) = in_second_round();
    let sheet = room.inner.sheet().unwrap();
    room.inbox.clear();
    room.grant(conns[0], json!({"type": "end"}));
    assert_eq!(room.inner.phase(), Phase::Over);
    for conn in &conns {
        let game = room.received(*conn, "game").pop().unwrap();
        let over = json!({"type": "game_over", "totals": sheet.totals, "ranks": sheet.ranks});
        assert_eq!(game["events"], json!([over]));
        assert_eq!(game["view"]["to_act"], json!([]));
        assert_eq!((&game["legal"], game.get("deadline")), (&json!([]), None));
        let message = room.received(*conn, "room").pop().unwrap();
        assert_eq!(message["table"]["phase"], "over");
        assert_eq!(message["table"]["ended_early"], json!(true));
    }
    room.restart();
    let conns: Vec<_> = FOUR.iter().map(|person| room.join(person)).collect();
    assert_eq!(room.inner.sheet().unwrap(), sheet, "they are kept");
    for conn in &conns {
        room.grant(*conn, json!({"type": "ready", "ready": true}));
    }
    assert_eq!(room.inner.phase(), Phase::Playing, "a rematch");
    let message = room.received(conns[0], "room").pop().unwrap();
    assert_eq!(message["table"].get("ended_early"), None);
}

/// Before the first round is scored there are no standings: the room is in the lobby.
#[test]
fn a_game_without_a_scored_round_is_cleared() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 1);
    for conn in &conns {
        room.grant(*conn, agree(true));
    }
    assert_eq!(room.inner.phase(), Phase::Lobby);
    let answer = room.send_command(conns[0], agree(true));
    assert_eq!(answer, "no_game");
}

/// All people who are connected have to agree, the host too. People can change their minds.
#[test]
fn all_who_are_present_can_end_a_game() {
    let (mut room, conns) = in_second_round();
    room.grant(conns[1], agree(true));
    assert_eq!(needed(&mut room, conns[0]), Some(json!(4)));
    for conn in [conns[2], conns[3]] {
        room.grant(conn, agree(true));
    }
    room.grant(conns[1], agree(false));
    room.grant(conns[0], agree(true));
    let message = room.received(conns[0], "room").pop().unwrap();
    let chairs = message["table"]["chairs"].as_array().unwrap().iter();
    let agreeing: Vec<_> = chairs
        .map(|chair| chair.get("agrees_to_end").is_some())
        .collect();
    assert_eq!(agreeing, [true, false, true, true]);
    assert_eq!(room.inner.phase(), Phase::Playing);
    room.grant(conns[1], agree(true));
    assert_eq!(room.inner.phase(), Phase::Over);
}

/// A person whose connection is lost for a moment still has to agree. After half a minute the others decide.
#[test]
fn absent_people_need_not_agree() {
    let (mut room, conns) = in_second_round();
    for conn in &conns[..3] {
        room.grant(*conn, agree(true));
    }
    room.disconnect(conns[3]);
    assert_eq!(needed(&mut room, conns[0]), Some(json!(4)));
    room.wait(seconds(29));
    assert_eq!(room.inner.phase(), Phase::Playing);
    room.wait(seconds(1));
    assert_eq!(room.inner.phase(), Phase::Over);
}

/// Once somebody has left, or has been absent for ten minutes, more than half are enough.
#[test]
fn the_majority_can_end_a_game_that_somebody_has_left() {
    let (mut room, conns) = in_second_round();
    room.grant(conns[3], json!({"type": "stand"}));
    room.grant(conns[1], agree(true));
    assert_eq!(needed(&mut room, conns[0]), Some(json!(2)));
    assert_eq!(room.inner.phase(), Phase::Playing);
    room.grant(conns[2], agree(true));
    assert_eq!(room.inner.phase(), Phase::Over);

    let (mut room, conns) = in_second_round();
    room.disconnect(conns[3]);
    room.grant(conns[1], agree(true));
    room.grant(conns[2], agree(true));
    room.wait(seconds(599));
    assert_eq!(room.inner.phase(), Phase::Playing);
    assert_eq!(needed(&mut room, conns[0]), Some(json!(3)));
    room.wait(seconds(1));
    assert_eq!(room.inner.phase(), Phase::Over);
}

/// A person who takes the seat of somebody who agreed has not agreed.
#[test]
fn an_agreement_belongs_to_its_person() {
    let (mut room, conns) = in_second_round();
    room.grant(conns[3], agree(true));
    room.grant(conns[3], json!({"type": "stand"}));
    assert_eq!(needed(&mut room, conns[0]), None);
    room.grant(conns[3], json!({"type": "sit", "name": "Dora", "seat": 3}));
    room.grant(conns[1], agree(true));
    assert_eq!(needed(&mut room, conns[0]), Some(json!(4)));
    room.grant(conns[2], agree(true));
    assert_eq!(room.inner.phase(), Phase::Playing);
}

/// A person who has come back is not gone. A stranger who comes and goes does not make a majority enough.
#[test]
fn only_people_of_the_beginning_leave_for_good() {
    let (mut room, conns) = in_second_round();
    room.grant(conns[3], json!({"type": "stand"}));
    room.grant(conns[1], agree(true));
    assert_eq!(needed(&mut room, conns[0]), Some(json!(2)));
    let eve = room.join("Eve");
    room.grant(eve, json!({"type": "sit", "name": "Eve", "seat": 3}));
    assert_eq!(needed(&mut room, conns[0]), Some(json!(3)), "Dora is gone");
    room.grant(eve, json!({"type": "stand"}));
    room.grant(conns[3], json!({"type": "sit", "name": "Dora", "seat": 3}));
    assert_eq!(needed(&mut room, conns[0]), Some(json!(4)), "all are here");
}

/// A person for whom a bot stands in, and one who reconnects all the time without a word, do not keep the others from ending
/// the game.
#[test]
fn idle_people_need_not_agree() {
    let (mut room, conns) = in_second_round();
    room.disconnect(conns[3]);
    for conn in &conns[..3] {
        room.grant(*conn, agree(true));
    }
    room.wait(seconds(20));
    let dora = room.join("Dora");
    room.wait(seconds(20));
    assert_eq!(room.inner.phase(), Phase::Playing, "she is here");
    room.disconnect(dora);
    room.wait(seconds(0));
    assert_eq!(room.inner.phase(), Phase::Over, "40 s after the first loss");

    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 1);
    assert!(room.everybody_acts(&conns[..3]));
    for conn in &conns[..3] {
        room.grant(*conn, agree(true));
    }
    room.wait(seconds(180));
    assert_eq!(room.inner.phase(), Phase::Playing);
    room.grant(conns[0], json!({"type": "stand_in", "seat": 3}));
    assert_eq!(room.inner.phase(), Phase::Lobby, "no round was scored");
}
