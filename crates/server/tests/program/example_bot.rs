//! The example bot of the documents.

use std::process::{Child, Command};

use serde_json::{Value, json};

use crate::common::folder::Folder;
use crate::player::Player;
use crate::process::{open_room, start};

/// A running example bot, which is killed when the value is dropped.
struct Bot(Child);

impl Drop for Bot {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Bot {
    fn start(port: u16, room: &str, name: &str) -> Self {
        const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/bots/table.py");
        let mut command = Command::new("/usr/bin/python3");
        command.args([SCRIPT, &format!("http://127.0.0.1:{port}"), room, name]);
        Self(command.spawn().unwrap())
    }
}

/// A person and two of the example bots play a game of one round.
#[tokio::test]
async fn the_example_bot_plays_a_whole_game() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let port = program.port;
    let options = json!({"end": {"type": "rounds", "rounds": 1}});
    let body = json!({"game": "sticheln", "seats": 3, "options": options});
    let room = open_room(port, &body);
    let mut host = Player::sit(port, &room, "Ann").await;
    let mut bots = ["Robbie", "Marvin"].map(|name| Bot::start(port, &room, name));

    let is_free = |chair: &Value| chair["kind"] == "free";
    let mut sent = 0;
    loop {
        // A late message is refused, and then a newer state follows.
        let message = host.next().await.unwrap();
        let phase = message["table"]["phase"].as_str();
        let chairs = message["table"]["chairs"].as_array();
        let command = match phase {
            Some("over") => break,
            Some("lobby") if !chairs.unwrap().iter().any(is_free) => json!({"type": "start"}),
            _ => match message["legal"].get(0) {
                Some(action) => json!({"type": "act", "action": action}),
                None => continue,
            },
        };
        sent += 1;
        host.send(&format!("host-{sent}"), command).await;
    }
    for bot in &mut bots {
        assert!(bot.0.wait().unwrap().success(), "it leaves after the game");
    }
}
