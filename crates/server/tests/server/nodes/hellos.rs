//! Whom a connection is for, and whether it waits for the host, when another node leads its room.

use serde_json::json;

use super::Cluster;
use crate::client::{Client, field};
use crate::common::token;
use crate::harness::Server;

const REMOVED: u16 = 4003;

/// A room that node `one` leads.
async fn room_with_password(one: &Server) -> String {
    let body = json!({"game": "sticheln", "seats": 3, "password": "sesame"});
    one.open_room(body).await
}

/// A client that sends `hello` with these ids and the tokens of these people at once. Another client is there already, so the node has a
/// session with the leader.
async fn say_at_once(node: &Server, room: &str, hellos: [(&str, &str); 2]) -> Client {
    let mut ann = node.connect("Ann", room).await;
    let hello = json!({"type": "hello", "token": token("Ann"), "password": "sesame"});
    ann.request(hello).await.ok();
    let mut client = node.connect("Ben", room).await;
    for (id, person) in hellos {
        let hello = json!({"type": "hello", "token": token(person), "password": "sesame"});
        client.send_with_id(id, hello);
    }
    client
}

/// Ann is the host at the second node, and the first one leads the room. Spectators have been there since before newcomers wait.
#[tokio::test]
async fn spectators_who_are_in_do_not_wait_when_another_node_leads_the_room() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let room = one.open_sticheln(3).await;
    let mut ann = two.sit("Ann", &room).await;
    let mut spectators = two.join_all(&room, &["Eve", "Fay", "Gus"]).await;
    ann.sync().await;
    let listed = ann.room["table"]["spectators"].clone();
    let eve = json!({"type": "remove_spectator", "spectator": field(&listed[0], "spectator")});
    ann.request(eve).await.ok();
    let mut eve = spectators.remove(0);
    eve.closed_with(REMOVED).await;
    for spectator in &mut spectators {
        spectator.sync().await;
    }
    one.stop().await;
    for spectator in &mut spectators {
        assert_eq!(spectator.first().await.as_deref(), Some("welcome"));
        let chat = json!({"type": "chat", "text": "still here"});
        spectator.request(chat).await.ok();
    }
    // A removed person stays out.
    let mut eve = two.connect("Eve", &room).await;
    eve.hello().await.refused("name_needed");
}

#[tokio::test]
async fn a_repeated_hello_that_is_refused_leaves_the_client_admitted_at_the_next_node() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let room = room_with_password(&one).await;
    let mut ben = say_at_once(&two, &room, [("1", "Ben"), ("2", "Ben")]).await;
    ben.answer("2").await.refused("busy");
    ben.answer("1").await.ok();
    ben.request(json!({"type": "sit", "name": "Ben"}))
        .await
        .ok();
    ben.sync().await;
    one.stop().await;
    assert_eq!(ben.next("welcome").await["you"]["seat"], 0);
    let ready = json!({"type": "ready", "ready": true});
    ben.request(ready).await.ok();
}

#[tokio::test]
async fn a_refused_hello_of_another_token_takes_no_seat_at_the_next_node() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let room = one.open_sticheln(3).await;
    let mut ben = say_at_once(&two, &room, [("1", "Ben"), ("2", "Mallory")]).await;
    ben.answer("1").await.ok();
    ben.answer("2").await.refused("hello_twice");
    ben.request(json!({"type": "sit", "name": "Ben"}))
        .await
        .ok();
    ben.sync().await;
    one.stop().await;
    assert_eq!(ben.next("welcome").await["you"]["seat"], 0);
}

/// The link of the second node has no session when they arrive.
#[tokio::test]
async fn all_messages_before_the_first_session_are_answered() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let room = room_with_password(&one).await;
    let mut ben = two.connect("Ben", &room).await;
    ben.send("garbage");
    ben.send(r#"{"type":"ready"}"#);
    ben.send_with_id("0", json!({"type": "ready", "ready": true}));
    for id in ["1", "2"] {
        let hello = json!({"type": "hello", "token": token("Ben"), "password": "sesame"});
        ben.send_with_id(id, hello);
    }
    for code in ["malformed", "malformed"] {
        ben.answer(None::<String>).await.refused(code);
    }
    ben.answer("0").await.refused("hello_first");
    ben.answer("2").await.refused("busy");
    ben.answer("1").await.ok();
}
