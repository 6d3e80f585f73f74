//! Chat, reactions and nudges.

use std::time::Duration;

use serde_json::{Value, json};

use super::THREE;
use crate::client::sync_all;
use crate::harness::{NOON, Server};

#[tokio::test]
async fn new_clients_receive_the_last_lines_of_chat() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&THREE).await;
    let mut eve = server.join("Eve", &room).await;
    sync_all(&mut clients).await;
    let rev = server.rev(&room);

    clients[0]
        .request(json!({"type": "chat", "text": " Hello! "}))
        .await
        .ok();
    let line = json!({"type": "chat", "at": NOON, "seat": 0, "name": "Ann", "text": "Hello!"});
    for client in &mut clients {
        assert_eq!(client.next("chat").await, line);
        client.received_nothing().await;
    }
    assert_eq!(eve.next("chat").await, line);
    eve.request(json!({"type": "chat", "text": "Hi"}))
        .await
        .ok();
    let reply = clients[1].next("chat").await;
    assert_eq!(
        (&reply["seat"], &reply["name"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(server.rev(&room), rev);

    for number in 0..60 {
        // The rate is limited.
        server.advance(Duration::from_secs(1));
        let text = format!("line {number}");
        clients[0]
            .request(json!({"type": "chat", "text": text}))
            .await
            .ok();
    }
    let mut fay = server.join("Fay", &room).await;
    let news = fay.received().await;
    let lines: Vec<_> = news
        .iter()
        .map(|line| line["text"].as_str().unwrap())
        .collect();
    let last: Vec<_> = (10..60).map(|number| format!("line {number}")).collect();
    assert_eq!(lines, last);
}

#[tokio::test]
async fn reactions_are_sent_to_all() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&THREE).await;
    let mut eve = server.join("Eve", &room).await;
    let reactions = [
        "laugh",
        "ouch",
        "applause",
        "thinking",
        "hurry",
        "sorry",
        "thanks",
        "good_game",
    ];
    for reaction in reactions {
        server.advance(Duration::from_secs(1));
        clients[2]
            .request(json!({"type": "react", "reaction": reaction}))
            .await
            .ok();
        let message = json!({"type": "reacted", "seat": 2, "reaction": reaction});
        assert_eq!(eve.next("reacted").await, message);
        assert_eq!(clients[0].next("reacted").await, message);
    }
}

#[tokio::test]
async fn a_seat_on_turn_can_be_nudged_at_intervals() {
    let server = Server::start().await;
    let (_, mut clients) = server.started(&THREE).await;
    clients[0]
        .request(json!({"type": "nudge", "seat": 1}))
        .await
        .ok();
    for client in &mut clients {
        let nudged = client.next("nudged").await;
        assert_eq!(nudged, json!({"type": "nudged", "seat": 1, "by": 0}));
    }
    let nudge = json!({"type": "nudge", "seat": 1});
    clients[2].request(nudge.clone()).await.refused("too_soon");
    server.advance(Duration::from_secs(20));
    clients[2].request(nudge).await.ok();
}
