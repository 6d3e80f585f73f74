//! The password for opening rooms.

use std::net::{IpAddr, Ipv4Addr};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{Reply, Server, Setup, within_timeout};

async fn server() -> Server {
    let setup = Setup {
        open_password: Some("Tischlein deck dich"),
        ..Setup::default()
    };
    setup.start().await
}

fn body(password: impl Into<Value>) -> String {
    json!({"game": "sticheln", "seats": 3, "open_password": password.into()}).to_string()
}

/// Opens a room from this local address.
async fn post_from(server: &Server, from: IpAddr, body: &str) -> Reply {
    let length = body.len();
    let head = "POST /api/rooms HTTP/1.1\r\nhost: x\r\nconnection: close";
    let request = format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}");
    let mut stream = server.stream_from(from).await;
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let read = within_timeout("a response", stream.read_to_end(&mut bytes)).await;
    read.unwrap();
    Reply::read(&bytes)
}

#[tokio::test]
async fn only_people_with_the_password_open_rooms() {
    let server = server().await;
    let right = "Tischlein deck dich";
    for missing in [
        json!({"game": "sticheln", "seats": 3}).to_string(),
        body(Value::Null),
    ] {
        server
            .post(missing)
            .await
            .refused(403, "open_password_needed");
    }
    let long = "x".repeat(65);
    for wrong in ["", "tischlein deck dich", "Tischlein deck dich ", &long] {
        let reply = server.post(body(wrong)).await;
        reply.refused(403, "wrong_open_password");
    }
    let opened = server.post(body(right)).await;
    assert_eq!(opened.status, 201);

    // Everybody may join, watch and play.
    let room = opened.json()["room"].as_str().unwrap().to_owned();
    server.sit("Ann", &room).await;
}

/// Right ones are not counted.
#[tokio::test]
async fn wrong_passwords_for_opening_are_limited_to_five_per_minute_and_address() {
    let server = server().await;
    let right = body("Tischlein deck dich");
    for _ in 0..10 {
        assert_eq!(server.post(&right).await.status, 201);
    }
    for number in 0..5 {
        let reply = server.post(body(number.to_string())).await;
        reply.refused(403, "wrong_open_password");
    }
    let refused = server.post(&right).await;
    refused.refused(429, "too_many_open_attempts");
    let other = IpAddr::from(Ipv4Addr::new(127, 0, 0, 9));
    assert_eq!(post_from(&server, other, &right).await.status, 201);
}

#[tokio::test]
async fn right_passwords_at_the_same_time_are_not_limited() {
    let server = server().await;
    let right = body("Tischlein deck dich");
    let local = IpAddr::from(Ipv4Addr::LOCALHOST);
    let post = || post_from(&server, local, &right);
    let replies = tokio::join!(post(), post(), post(), post(), post(), post(), post());
    let (a, b, c, d, e, f, g) = replies;
    for reply in [a, b, c, d, e, f, g] {
        assert_eq!(reply.status, 201);
    }
}

#[tokio::test]
async fn without_the_setting_a_password_for_opening_is_ignored() {
    let server = Server::start().await;
    assert_eq!(server.post(body("anything")).await.status, 201);
}

/// The work on passwords is stopped, so none can be verified.
#[tokio::test]
async fn a_password_for_opening_that_is_not_verified_opens_nothing() {
    let server = server().await;
    server.app.services.password_hashing.close();
    let right = body("Tischlein deck dich");
    for _ in 0..10 {
        server.post(&right).await.refused(500, "internal_error");
    }
}
