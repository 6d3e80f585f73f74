//! The log and the database contain no secrets.

use std::fs;

use rusqlite::Connection;
use serde_json::json;

use crate::common::folder::Folder;
use crate::common::token;
use crate::player::{CLIENT, Player};
use crate::process::{FAST_CLIENTS, open_room, send_request, start};

const NAMES: [&str; 3] = ["Annika", "Boleslaw", "Cemile"];
/// The name that the second person chooses later.
const LATER_NAME: &str = "Bogdana";
const PASSWORD: &str = "s3same-open-table";
const CHAT: &str = "a-private-line-of-chat";
/// A text that looks like a line of the log.
const FORGED: &str = "\n2026-01-01T00:00:00Z ERROR forged\r\n";

/// Plays a round. Returns the number of actions.
async fn play_round(players: &mut [Player]) -> usize {
    let mut actions = 0;
    loop {
        let before = actions;
        for player in players.iter_mut() {
            let Some(action) = player.legal().await.unwrap() else {
                continue;
            };
            let act = json!({"type": "act", "action": action});
            assert_eq!(player.request(act).await.unwrap(), "ok");
            actions += 1;
        }
        if actions == before {
            return actions;
        }
    }
}

/// Sends texts that could forge lines of the log.
async fn forge_lines(player: &mut Player, port: u16) {
    for message in [
        json!({"type": "rename", "name": format!("Ann{FORGED}")}),
        json!({"type": "chat", "text": FORGED}),
        json!({"type": FORGED}),
        json!({"type": "configure", "title": FORGED}),
    ] {
        player.send(FORGED.trim(), message).await;
    }
    player.sync().await.unwrap();
    send_request(port, "GET /api/rooms/%0A2026-forged", "");
    send_request(port, "GET /t/%0A%0D%1B[31mforged", "");
    send_request(port, "POST /api/rooms?forged=%0A", "\nforged\n");
}

/// The names of people in the database.
fn names(folder: &Folder) -> Vec<String> {
    let database = Connection::open(folder.database()).unwrap();
    let mut names = database
        .prepare("SELECT name FROM person ORDER BY person")
        .unwrap();
    let names = names.query_map([], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}

/// The texts of all rows of the database that people can influence, apart from their names.
fn rows(folder: &Folder) -> String {
    let database = Connection::open(folder.database()).unwrap();
    let texts = "SELECT summary FROM room UNION ALL SELECT body FROM older_entry \
                 UNION ALL SELECT snapshot FROM older_entry WHERE snapshot IS NOT NULL \
                 UNION ALL SELECT outline FROM game UNION ALL SELECT body FROM finished_round";
    let mut texts = database.prepare(texts).unwrap();
    let texts = texts.query_map([], |row| row.get::<_, String>(0)).unwrap();
    texts.map(Result::unwrap).collect()
}

#[tokio::test]
async fn log_and_database_contain_no_secrets() {
    let folder = Folder::new();
    let program = start(&folder, &[&FAST_CLIENTS[..], &["--log", "trace"]].concat());
    let port = program.port;
    let body = json!({"game": "sticheln", "seats": 3, "password": PASSWORD});
    let room = open_room(port, &body);

    let mut players = Vec::new();
    for name in NAMES {
        let mut player = Player::join_with(port, &room, name, json!(PASSWORD))
            .await
            .unwrap();
        let sit = json!({"type": "sit", "name": name});
        assert_eq!(player.request(sit).await.unwrap(), "ok");
        players.push(player);
    }
    let rename = json!({"type": "rename", "name": LATER_NAME});
    assert_eq!(players[1].request(rename).await.unwrap(), "ok");
    let chat = json!({"type": "chat", "text": CHAT});
    assert_eq!(players[1].request(chat).await.unwrap(), "ok");
    let start = json!({"type": "start"});
    assert_eq!(players[0].request(start).await.unwrap(), "ok");
    let actions = play_round(&mut players).await;
    assert_eq!(actions, 45, "each card is picked or played");

    forge_lines(&mut players[0], port).await;
    players[2]
        .send("handover", json!({"type": "handover"}))
        .await;
    let code = loop {
        let message = players[2].next().await.unwrap();
        if message["type"] == "handover" {
            break message["code"].as_str().unwrap().to_owned();
        }
    };

    let (status, log) = program.stop("-TERM");
    assert!(status.success());
    for line in log.lines() {
        let is_forged = line.contains("Z ERROR");
        assert!(line.starts_with("20") && !is_forged, "{line}");
    }
    assert!(!log.contains('\r') && !log.contains('\u{1b}'), "{log}");
    assert!(
        log.contains("a room was opened") && log.contains("DEBUG"),
        "the log has all levels"
    );
    let mut database = Vec::new();
    for file in fs::read_dir(folder.path()).unwrap() {
        database.extend(fs::read(file.unwrap().path()).unwrap());
    }
    // A long text is not contiguous in the file, so the rows are read too.
    let database = String::from_utf8_lossy(&database).into_owned() + &rows(&folder);
    assert!(
        database.contains("argon2id") && database.contains("acted"),
        "the database has the game"
    );
    assert!(!database.contains(&CLIENT.to_string()));
    let tokens = NAMES.map(token);
    let secrets = [PASSWORD, CHAT, code.as_str()];
    for secret in secrets.into_iter().chain(tokens.iter().map(String::as_str)) {
        assert!(!log.contains(secret), "{secret} in the log");
        assert!(!database.contains(secret), "{secret} in the database");
    }
    let rows = rows(&folder);
    for name in NAMES.into_iter().chain([LATER_NAME]) {
        assert!(!log.contains(name), "{name} in the log");
        assert!(!rows.contains(name), "{name} outside of its table");
    }
    assert_eq!(names(&folder), [NAMES[0], LATER_NAME, NAMES[2]]);
    for colour in ["red-", "yellow-", "green-", "blue-", "purple-", "grey-"] {
        for digit in '0'..='9' {
            let card = format!("{colour}{digit}");
            assert!(!log.contains(&card), "{card} in the log");
        }
    }
}
