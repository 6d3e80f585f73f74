//! Tables that are locked.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sticheln_server::limits::client_addr::ClientAddr;
use sticheln_server::limits::password_attempts::PasswordAttempts;
use sticheln_server::settings::Limits;

use crate::harness::{Client, Server, limits, number, secret, up_to_date};

fn hello(name: &str, password: Option<&str>) -> Value {
    json!({"type": "hello", "token": secret(name), "password": password})
}

/// Somebody who is let in with this password.
async fn come(server: &Server, name: &str, room: &str, password: &str) -> Client {
    let mut client = server.connect(name, room).await;
    client.say(hello(name, Some(password))).await.ok();
    client.next("welcome").await;
    client.next("room").await;
    client
}

async fn locked(server: &Server) -> String {
    let wish = json!({"game": "sticheln", "seats": 3, "password": "Öffne dich"});
    server.open(wish).await
}

#[tokio::test]
async fn who_knows_the_password_comes_in() {
    let server = Server::start().await;
    let room = locked(&server).await;
    let mut ann = server.connect("Ann", &room).await;
    ann.say(hello("Ann", None)).await.refused("password_needed");
    ann.hears_nothing().await;
    ann.say(json!({"type": "sit", "name": "Ann"}))
        .await
        .refused("hello_first");
    ann.say(hello("Ann", Some("öffne dich")))
        .await
        .refused("wrong_password");
    ann.say(hello("Ann", Some("Öffne dich ")))
        .await
        .refused("wrong_password");
    ann.say(json!({"type": "sit", "name": "Ann"}))
        .await
        .refused("hello_first");
    ann.say(hello("Ann", Some("Öffne dich"))).await.ok();
    assert_eq!(ann.next("welcome").await["room"], room);
    assert_eq!(ann.next("room").await["table"]["locked"], true);
    // However its letters are composed.
    come(&server, "Bob", &room, "O\u{308}ffne dich").await;
    assert_eq!(
        server.get(&format!("/api/rooms/{room}")).await.json()["locked"],
        true
    );
}

#[tokio::test]
async fn who_has_a_seat_or_was_let_in_needs_none() {
    let server = Server::start().await;
    let room = locked(&server).await;
    let mut ann = come(&server, "Ann", &room, "Öffne dich").await;
    ann.say(json!({"type": "sit", "name": "Ann"})).await.ok();
    come(&server, "Eve", &room, "Öffne dich")
        .await
        .leave()
        .await;
    server.come("Eve", &room).await;
    server.come("Ann", &room).await;
    ann.closed(4001).await;

    // A new server has forgotten who watched, and knows who sits.
    let server = server.restart().await;
    server.come("Ann", &room).await;
    let mut eve = server.connect("Eve", &room).await;
    eve.hello().await.refused("password_needed");
    eve.say(hello("Eve", Some("Öffne dich"))).await.ok();
}

#[tokio::test]
async fn the_host_sets_changes_and_takes_it_away() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let configure =
        |password: Value| json!({"type": "configure", "password": password, "title": "New"});
    let mut eve = server.come("Eve", &room).await;
    up_to_date(&mut clients).await;
    let rev = server.rev(&room).await;
    clients[0].say(configure(json!("one"))).await.ok();
    // One entry for all of it.
    assert_eq!(server.rev(&room).await, rev + 1);
    let told = clients[1].next("room").await;
    assert_eq!(
        (&told["table"]["locked"], &told["table"]["title"]),
        (&json!(true), &json!("New"))
    );

    // Who is in stays in; others have to know it.
    eve.say(json!({"type": "ping"})).await.ok();
    let mut fay = server.connect("Fay", &room).await;
    fay.hello().await.refused("password_needed");
    fay.say(hello("Fay", Some("one"))).await.ok();
    fay.leave().await;
    clients[0].say(configure(json!("two"))).await.ok();
    let mut fay = server.connect("Fay", &room).await;
    fay.say(hello("Fay", Some("one")))
        .await
        .refused("wrong_password");
    fay.say(hello("Fay", Some("two"))).await.ok();
    clients[0].say(configure(Value::Null)).await.ok();
    assert_eq!(
        server.come("Gil", &room).await.room["table"]["locked"],
        false
    );

    // While one is being worked on, another one is refused, and what else is said is answered.
    clients[0].tell("three", configure(json!("three")));
    clients[0].tell("four", configure(json!("four")));
    clients[0].tell("ping", json!({"type": "ping"}));
    assert_eq!(clients[0].answer("four").await.word, "busy");
    clients[0].answer("ping").await.ok();
    clients[0].answer("three").await.ok();
    // The answer is remembered, and the password with it.
    clients[0]
        .say_as("three", configure(json!("five")))
        .await
        .ok();
    let mut hal = server.connect("Hal", &room).await;
    hal.say(hello("Hal", Some("three"))).await.ok();
}

/// A hash takes much work, also that of a new password.
#[tokio::test]
async fn a_table_gets_so_many_passwords_in_a_minute() {
    const PASSWORDS: usize = 5;

    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let configure = |password: Value| json!({"type": "configure", "password": password});
    let mut set = 0;
    for number in 0..2 * PASSWORDS {
        let answer = clients[0].say(configure(json!(number.to_string()))).await;
        match answer.word.as_str() {
            "ok" => set += 1,
            word => assert_eq!(word, "too_many_tries"),
        }
    }
    assert_eq!(set, PASSWORDS);
    // A refused one changes nothing, and none at all takes no work.
    let mut eve = server.connect("Eve", &room).await;
    let last = (PASSWORDS - 1).to_string();
    eve.say(hello("Eve", Some(&last))).await.ok();
    clients[0].say(configure(Value::Null)).await.ok();
    server.come("Fay", &room).await;
    // Another table has tokens of its own.
    let (_, mut others) = server.seated(&["Ann"]).await;
    others[0].say(configure(json!("one"))).await.ok();
}

/// Neither password nor secret is in the files; what is kept of them cannot be read.
#[tokio::test]
async fn the_files_tell_neither_passwords_nor_secrets() {
    let server = Server::start().await;
    let room = locked(&server).await;
    let names = ["Ann", "Bob", "Cem"];
    let mut clients = Vec::new();
    for name in names {
        let mut client = come(&server, name, &room, "Öffne dich").await;
        client.say(json!({"type": "sit", "name": name})).await.ok();
        clients.push(client);
    }
    let configure = json!({"type": "configure", "password": "Sesam-1-2-3"});
    clients[0].say(configure).await.ok();
    clients[0]
        .say(json!({"type": "chat", "text": "nobody reads this"}))
        .await
        .ok();
    clients[0].say(json!({"type": "handover"})).await.ok();
    let code = clients[0].next("handover").await["code"]
        .as_str()
        .unwrap()
        .to_owned();
    clients[0].say(json!({"type": "start"})).await.ok();

    up_to_date(&mut clients).await;

    let first = server.entries(&room).await[0].to_string();
    assert!(first.contains("$argon2id$"), "{first}");
    let mut told = names.map(secret).to_vec();
    told.extend(["Öffne dich", "Sesam-1-2-3", "nobody reads this"].map(str::to_owned));
    told.push(code);
    files_tell_none_of(server.setup.folder.path(), &told);
    // Rooms go to sleep and everything is put into one file, and then all of it is read back.
    let setup = server.end().await;
    files_tell_none_of(setup.folder.path(), &told);
    let server = setup.start().await;
    server.come("Ann", &room).await;
    files_tell_none_of(server.setup.folder.path(), &told);
}

#[track_caller]
fn files_tell_none_of(folder: &Path, texts: &[String]) {
    let mut bytes = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        bytes.extend(std::fs::read(file.unwrap().path()).unwrap());
    }
    let tells = |text: &str| {
        let mut windows = bytes.windows(text.len());
        windows.any(|window| window == text.as_bytes())
    };
    assert!(tells("$argon2id$"), "the table is in these files");
    for text in texts {
        assert!(!tells(text), "{text}");
    }
}

/// Whoever tries passwords is soon not looked at any more, on however many connections; others are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_wrong_passwords_of_an_address_in_a_minute_are_looked_at() {
    let server = Server::start().await;
    let room = locked(&server).await;
    // Right ones do not count.
    for number in 0..20 {
        come(&server, &format!("Friend{number}"), &room, "Öffne dich").await;
    }
    let password_attempts = number("TRIES", 100);
    let mut guessers = Vec::new();
    for number in 0..20 {
        guessers.push(server.connect(&format!("Guesser{number}"), &room).await);
    }
    let begun = Instant::now();
    let mut words = BTreeMap::new();
    for at in 0..password_attempts {
        let guesser = &mut guessers[(at % 20) as usize];
        let guess = hello(&guesser.name.clone(), Some(&format!("guess {at}")));
        let word = guesser.say(guess).await.word;
        *words.entry(word).or_default() += 1;
    }
    // A fifth of a minute gives one more.
    let more = begun.elapsed().as_secs() / 12 + 1;
    let looked_at: u64 = words["wrong_password"];
    assert!((5..=5 + more).contains(&looked_at), "{words:?}");
    assert_eq!(looked_at + words["too_many_tries"], password_attempts);
    // Not even the right one now, and at another table all begins anew.
    let friend = &mut guessers[0];
    let right = hello("Guesser0", Some("Öffne dich"));
    let word = friend.say(right).await.word;
    assert!(
        word == "too_many_tries" || begun.elapsed().as_secs() >= 11,
        "{word}"
    );
    let other = locked(&server).await;
    come(&server, "Guesser1", &other, "Öffne dich").await;
    // Who was let in before is not asked for it.
    server.come("Friend0", &room).await;
}

/// What is counted is forgotten after a while, and cannot fill the memory.
#[test]
fn tries_are_counted_by_address() {
    let begun = Instant::now();
    let at = |seconds: u64| begun + Duration::from_secs(seconds);
    let client_addr = |number: u32| ClientAddr::from(IpAddr::from(Ipv4Addr::from(number)));
    let mut password_attempts = PasswordAttempts::new(nonzero!(5));
    let (one, two) = (client_addr(1), client_addr(2));
    for _ in 0..5 {
        assert!(password_attempts.try_acquire(one, begun));
    }
    assert!(
        !password_attempts.try_acquire(one, at(11)) && password_attempts.try_acquire(two, at(11))
    );
    assert!(
        password_attempts.try_acquire(one, at(13)) && !password_attempts.try_acquire(one, at(13))
    );
    // One that was right is none.
    password_attempts.refund(one);
    assert!(
        password_attempts.try_acquire(one, at(13)) && !password_attempts.try_acquire(one, at(13))
    );
    // In a day no more than five for each minute, and those at first.
    let mut password_attempts = PasswordAttempts::new(nonzero!(5));
    let looked_at =
        (0..24 * 60 * 60).filter(|second| password_attempts.try_acquire(one, at(*second)));
    assert!(looked_at.count() <= 5 + 24 * 60 * 5);
    // However many addresses come at once.
    let mut password_attempts = PasswordAttempts::new(nonzero!(5));
    let looked_at =
        (0..10_000).filter(|number| password_attempts.try_acquire(client_addr(*number), begun));
    assert!(looked_at.count() < 5_000);
    assert!(password_attempts.try_acquire(two, at(60)));
}

/// A password that is tried does not keep the table waiting.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_play_while_passwords_are_tried() {
    let server = Server::with(Limits {
        wrong_passwords_per_minute: nonzero!(1_000),
        ..limits()
    })
    .await;
    let room = locked(&server).await;
    let mut ann = come(&server, "Ann", &room, "Öffne dich").await;
    let mut guessers = Vec::new();
    for number in 0..20 {
        let mut guesser = server.connect(&format!("Guesser{number}"), &room).await;
        let name = guesser.name.clone();
        guesser.tell("guess", hello(&name, Some("guess")));
        guessers.push(guesser);
    }
    // All of these are answered before twenty passwords can have been looked at, two at a time.
    for _ in 0..10 {
        ann.say(json!({"type": "ping"})).await.ok();
    }
    let waiting = guessers.iter_mut().filter_map(|guesser| {
        assert!(!guesser.has_ended());
        guesser.heard.is_empty().then_some(())
    });
    assert!(waiting.count() > 0);
    for guesser in &mut guessers {
        assert_eq!(guesser.answer("guess").await.word, "wrong_password");
    }
}
