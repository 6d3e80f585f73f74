//! Rooms with a password.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use sticheln_room::{Password, PasswordHash};
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::workers::password_hashing::PasswordHashing;
use tokio::task::{JoinSet, yield_now};

use crate::client::{Client, sync_all};
use crate::common::token;
use crate::env_number::env_number;
use crate::harness::{Server, limits, local, wait_until, within_timeout};

fn hello(name: &str, password: Option<&str>) -> Value {
    json!({"type": "hello", "token": token(name), "password": password})
}

/// A client that is admitted with this password.
async fn join(server: &Server, name: &str, room: &str, password: &str) -> Client {
    let mut client = server.connect(name, room).await;
    client.request(hello(name, Some(password))).await.ok();
    client.next("welcome").await;
    client.next("room").await;
    client
}

async fn locked(server: &Server) -> String {
    let body = json!({"game": "sticheln", "seats": 3, "password": "Öffne dich"});
    server.open_room(body).await
}

#[tokio::test]
async fn the_password_admits_a_person() {
    let server = Server::start().await;
    let room = locked(&server).await;
    let mut ann = server.connect("Ann", &room).await;
    ann.request(hello("Ann", None))
        .await
        .refused("password_needed");
    ann.received_nothing().await;
    ann.request(json!({"type": "sit", "name": "Ann"}))
        .await
        .refused("hello_first");
    ann.request(hello("Ann", Some("öffne dich")))
        .await
        .refused("wrong_password");
    ann.request(hello("Ann", Some("Öffne dich ")))
        .await
        .refused("wrong_password");
    ann.request(json!({"type": "sit", "name": "Ann"}))
        .await
        .refused("hello_first");
    ann.request(hello("Ann", Some("Öffne dich"))).await.ok();
    assert_eq!(ann.next("welcome").await["room"], room);
    assert_eq!(ann.next("room").await["table"]["locked"], true);
    // Another Unicode normalisation of the password.
    join(&server, "Bob", &room, "O\u{308}ffne dich").await;
    assert_eq!(
        server.get(&format!("/api/rooms/{room}")).await.json()["locked"],
        true
    );
}

#[tokio::test]
async fn seated_and_admitted_people_need_no_password() {
    let server = Server::start().await;
    let room = locked(&server).await;
    let mut ann = join(&server, "Ann", &room, "Öffne dich").await;
    ann.request(json!({"type": "sit", "name": "Ann"}))
        .await
        .ok();
    join(&server, "Eve", &room, "Öffne dich")
        .await
        .leave()
        .await;
    server.join("Eve", &room).await;
    server.join("Ann", &room).await;
    ann.closed_with(4001).await;

    // After a restart, spectators must enter the password again, and seated people need not.
    let server = server.restart().await;
    server.join("Ann", &room).await;
    let mut eve = server.connect("Eve", &room).await;
    eve.hello().await.refused("password_needed");
    eve.request(hello("Eve", Some("Öffne dich"))).await.ok();
}

#[tokio::test]
async fn the_host_sets_changes_and_removes_the_password() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let configure =
        |password: Value| json!({"type": "configure", "password": password, "title": "New"});
    let mut eve = server.join("Eve", &room).await;
    sync_all(&mut clients).await;
    let rev = server.rev(&room);
    clients[0].request(configure(json!("one"))).await.ok();
    // One entry for both changes.
    assert_eq!(server.rev(&room), rev + 1);
    let message = clients[1].next("room").await;
    assert_eq!(
        (&message["table"]["locked"], &message["table"]["title"]),
        (&json!(true), &json!("New"))
    );

    // Admitted people stay, and others need the password.
    eve.request(json!({"type": "ping"})).await.ok();
    let mut fay = server.connect("Fay", &room).await;
    fay.hello().await.refused("password_needed");
    fay.request(hello("Fay", Some("one"))).await.ok();
    fay.leave().await;
    clients[0].request(configure(json!("two"))).await.ok();
    let mut fay = server.connect("Fay", &room).await;
    fay.request(hello("Fay", Some("one")))
        .await
        .refused("wrong_password");
    fay.request(hello("Fay", Some("two"))).await.ok();
    clients[0].request(configure(Value::Null)).await.ok();
    assert_eq!(
        server.join("Gil", &room).await.room["table"]["locked"],
        false
    );

    // While a password is being hashed, another one is refused, and other messages are answered.
    clients[0].send_with_id("three", configure(json!("three")));
    clients[0].send_with_id("four", configure(json!("four")));
    clients[0].send_with_id("ping", json!({"type": "ping"}));
    assert_eq!(clients[0].answer("four").await.code, "busy");
    clients[0].answer("ping").await.ok();
    clients[0].answer("three").await.ok();
    // The id and the password of the first message count.
    clients[0]
        .request_with_id("three", configure(json!("five")))
        .await
        .ok();
    let mut hal = server.connect("Hal", &room).await;
    hal.request(hello("Hal", Some("three"))).await.ok();
}

/// Each new password is hashed, which takes much CPU time.
#[tokio::test]
async fn new_passwords_of_a_room_are_limited_to_five_per_minute() {
    const PASSWORDS: usize = 5;

    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let configure = |password: Value| json!({"type": "configure", "password": password});
    let mut set = 0;
    for number in 0..2 * PASSWORDS {
        let answer = clients[0]
            .request(configure(json!(number.to_string())))
            .await;
        match answer.code.as_str() {
            "ok" => set += 1,
            word => assert_eq!(word, "too_many_attempts"),
        }
    }
    assert_eq!(set, PASSWORDS);
    // A refused password changes nothing, and the removal of the password needs no hash.
    let mut eve = server.connect("Eve", &room).await;
    let last = (PASSWORDS - 1).to_string();
    eve.request(hello("Eve", Some(&last))).await.ok();
    clients[0].request(configure(Value::Null)).await.ok();
    server.join("Fay", &room).await;
    // Another room has units of its own.
    let (_, mut others) = server.seated(&["Ann"]).await;
    others[0].request(configure(json!("one"))).await.ok();
}

/// The files contain neither passwords nor tokens, only hashes.
#[tokio::test]
async fn files_contain_neither_passwords_nor_tokens() {
    let server = Server::start().await;
    let room = locked(&server).await;
    let names = ["Ann", "Bob", "Cem"];
    let mut clients = Vec::new();
    for name in names {
        let mut client = join(&server, name, &room, "Öffne dich").await;
        client
            .request(json!({"type": "sit", "name": name}))
            .await
            .ok();
        clients.push(client);
    }
    let configure = json!({"type": "configure", "password": "Sesam-1-2-3"});
    clients[0].request(configure).await.ok();
    clients[0]
        .request(json!({"type": "chat", "text": "nobody reads this"}))
        .await
        .ok();
    clients[0].request(json!({"type": "handover"})).await.ok();
    let code = clients[0].next("handover").await["code"]
        .as_str()
        .unwrap()
        .to_owned();
    clients[0].request(json!({"type": "start"})).await.ok();

    sync_all(&mut clients).await;

    let first = server.entries(&room)[0].to_string();
    assert!(first.contains("$argon2id$"), "{first}");
    let mut secrets = names.map(token).to_vec();
    secrets.extend(["Öffne dich", "Sesam-1-2-3", "nobody reads this"].map(str::to_owned));
    secrets.push(code);
    assert_files_contain_none_of(server.setup.folder.path(), &secrets);
    // Rooms go to sleep, the write-ahead log is merged into the database, and the rooms are read
    // back.
    let setup = server.stop().await;
    assert_files_contain_none_of(setup.folder.path(), &secrets);
    let server = setup.start().await;
    server.join("Ann", &room).await;
    assert_files_contain_none_of(server.setup.folder.path(), &secrets);
}

#[track_caller]
fn assert_files_contain_none_of(folder: &Path, texts: &[String]) {
    let mut bytes = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        bytes.extend(std::fs::read(file.unwrap().path()).unwrap());
    }
    let contains = |text: &str| {
        let mut windows = bytes.windows(text.len());
        windows.any(|window| window == text.as_bytes())
    };
    assert!(contains("$argon2id$"), "the room is in these files");
    for text in texts {
        assert!(!contains(text), "{text}");
    }
}

/// Wrong passwords are limited for each address, over all connections. Other addresses are not
/// affected.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_passwords_of_an_address_are_limited_to_five_per_minute() {
    let server = Server::start().await;
    let room = locked(&server).await;
    // Right passwords do not count.
    for number in 0..20 {
        join(&server, &format!("Friend{number}"), &room, "Öffne dich").await;
    }
    let attempts = env_number("ATTEMPTS", 100);
    let mut guessers = Vec::new();
    for number in 0..20 {
        guessers.push(server.connect(&format!("Guesser{number}"), &room).await);
    }
    let started = Instant::now();
    let mut answers = BTreeMap::new();
    for at in 0..attempts {
        let guesser = &mut guessers[(at % 20) as usize];
        let guess = hello(&guesser.name.clone(), Some(&format!("guess {at}")));
        let answer = guesser.request(guess).await.code;
        *answers.entry(answer).or_default() += 1;
    }
    // Each fifth of a minute gives one more.
    let more = started.elapsed().as_secs() / 12 + 1;
    let verified: u64 = answers["wrong_password"];
    assert!((5..=5 + more).contains(&verified), "{answers:?}");
    assert_eq!(verified + answers["too_many_attempts"], attempts);
    // The right password is refused too, but another room has its own limit.
    let friend = &mut guessers[0];
    let right = hello("Guesser0", Some("Öffne dich"));
    let answer = friend.request(right).await.code;
    assert!(
        answer == "too_many_attempts" || started.elapsed().as_secs() >= 11,
        "{answer}"
    );
    let other = locked(&server).await;
    join(&server, "Guesser1", &other, "Öffne dich").await;
    // An admitted person needs no password.
    server.join("Friend0", &room).await;
}

/// A right password counts as right also if its sender has gone before it was verified.
#[tokio::test]
async fn a_right_password_of_a_closed_connection_is_not_counted() {
    let server = Server::with(Limits {
        wrong_passwords_per_minute: limit!(1),
        ..limits()
    })
    .await;
    let room = locked(&server).await;
    let mut ann = server.connect("Ann", &room).await;
    // The threads are busy until Ann is gone.
    let hashing = &server.app.services.password_hashing;
    let busy: JoinSet<_> = (0..40).map(|_| hash_another(hashing.clone())).collect();
    yield_now().await;
    ann.send_with_id("gone", hello("Ann", Some("Öffne dich")));
    let other = ann.request(hello("Ann", Some("Öffne dich"))).await;
    other.refused("busy");
    ann.leave().await;
    let address_limits = &server.app.address_limits;
    wait_until("no sockets", || address_limits.sockets() == 0).await;
    assert!(busy.join_all().await.iter().all(Option::is_some));
    let mut bob = server.connect("Bob", &room).await;
    let verified = async {
        loop {
            let answer = bob.request(hello("Bob", Some("Öffne dich"))).await;
            if answer.code != "too_many_attempts" {
                return answer;
            }
        }
    };
    within_timeout("the right password", verified).await.ok();
}

/// So nobody fills the queue with passwords of connections that are closed at once.
#[tokio::test]
async fn passwords_of_closed_connections_are_dropped() {
    const CLIENTS: usize = 5;

    let server = Server::with(Limits {
        wrong_passwords_per_minute: limit!(CLIENTS as u32),
        ..limits()
    })
    .await;
    let room = locked(&server).await;
    let address_limits = &server.app.services.address_limits;
    let _permit = address_limits.permit_hash(local()).await;
    for _ in 0..2 {
        let mut clients = Vec::new();
        for number in 0..CLIENTS {
            let mut client = server.connect("Ann", &room).await;
            client.send_with_id(&number.to_string(), hello("Ann", Some("open")));
            clients.push(client);
        }
        let hashes = || address_limits.hashes(local());
        wait_until("all wait", || hashes() == 1 + CLIENTS).await;
        for client in clients {
            client.leave().await;
        }
        // None was tried, so none counts as wrong in the next pass.
        wait_until("none waits", || hashes() == 1).await;
    }
}

async fn hash_another(hashing: PasswordHashing) -> Option<PasswordHash> {
    hashing.hash(Password::new("another").unwrap()).await
}

/// A password that cannot be verified is not wrong.
#[tokio::test]
async fn a_password_that_cannot_be_verified_is_not_counted() {
    let server = Server::with(Limits {
        wrong_passwords_per_minute: limit!(1),
        ..limits()
    })
    .await;
    let room = locked(&server).await;
    server.app.services.password_hashing.close();
    let mut ann = server.connect("Ann", &room).await;
    for _ in 0..3 {
        let answer = ann.request(hello("Ann", Some("Öffne dich"))).await;
        answer.refused("busy");
    }
}

/// A command whose password cannot be hashed is refused, and the connection waits for nothing.
#[tokio::test]
async fn a_password_that_cannot_be_hashed_is_refused() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&["Ann", "Bob"]).await;
    server.app.services.password_hashing.close();
    for _ in 0..2 {
        clients[0]
            .request(json!({"type": "configure", "password": "one"}))
            .await
            .refused("busy");
    }
    // No command waits any more: one without a password is decided at once.
    clients[0]
        .request(json!({"type": "configure", "password": null}))
        .await
        .ok();
}

/// Password hashing does not delay the room.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn password_hashing_does_not_delay_the_room() {
    let server = Server::with(Limits {
        wrong_passwords_per_minute: limit!(1_000),
        ..limits()
    })
    .await;
    let room = locked(&server).await;
    let mut ann = join(&server, "Ann", &room, "Öffne dich").await;
    let mut guessers = Vec::new();
    for number in 0..20 {
        let mut guesser = server.connect(&format!("Guesser{number}"), &room).await;
        let name = guesser.name.clone();
        guesser.send_with_id("guess", hello(&name, Some("guess")));
        guessers.push(guesser);
    }
    // All of these are answered before twenty passwords can be hashed, two at a time.
    for _ in 0..10 {
        ann.request(json!({"type": "ping"})).await.ok();
    }
    let waiting = guessers.iter_mut().filter_map(|guesser| {
        assert!(!guesser.is_closed());
        guesser.texts.is_empty().then_some(())
    });
    assert!(waiting.count() > 0);
    for guesser in &mut guessers {
        assert_eq!(guesser.answer("guess").await.code, "wrong_password");
    }
}
