//! Invalid frames, and how they close the socket.

use std::time::{Duration, Instant};

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use sticheln_server::limits::operator_limits::Limits;

use crate::client::{Client, sync_all};
use crate::common::token;
use crate::env_number::env_number;
use crate::harness::{Server, limits};
use crate::raw::{BINARY, CLOSE, FIN, Frame, PING, PONG, RawConnection, TEXT, frame};

const PING_MESSAGE: &str = r#"{"type":"ping","id":"p"}"#;
const PONG_MESSAGE: &str = r#"{"type":"ok","id":"p"}"#;

/// A room with one seated person, and a raw socket of an admitted person.
struct Scene {
    server: Server,
    room: String,
    ann: Client,
}

impl Scene {
    async fn new() -> Self {
        let server = Server::start().await;
        let room = server.open_sticheln(3).await;
        let ann = server.sit("Ann", &room).await;
        Self { server, room, ann }
    }

    async fn bob(&mut self) -> RawConnection {
        let mut bob = RawConnection::upgraded(&self.server, &self.room).await;
        bob.hello("Bob").await;
        self.ann.sync().await;
        bob
    }

    /// Bob sends these bytes and is closed with this code. Ann learns only that he has left.
    async fn check(&mut self, what: &str, bytes: &[u8], code: u16) {
        let mut bob = self.bob().await;
        let rev = self.server.rev(&self.room);
        bob.send(bytes).await;
        assert_eq!(bob.close_code().await, Some(code), "{what}");
        let room = self.ann.next("room").await;
        assert_eq!(
            room["table"]["spectators"].as_array().unwrap().len(),
            0,
            "{what}"
        );
        self.ann.received_nothing().await;
        assert_eq!(self.server.rev(&self.room), rev, "{what}");
    }
}

#[tokio::test]
async fn violations_of_the_websocket_standard_close_the_socket_with_their_code() {
    let mut scene = Scene::new().await;
    let text = |flags: u8| frame(flags | TEXT, PING_MESSAGE.as_bytes());
    let mut unmasked = vec![FIN | TEXT, PING_MESSAGE.len() as u8];
    unmasked.extend(PING_MESSAGE.as_bytes());
    let joined = |frames: &[Vec<u8>]| frames.concat();
    let long = [b'x'; 126];
    let cases = [
        ("an unmasked frame", unmasked, 1002),
        ("the first reserved bit", text(FIN | 0x40), 1002),
        ("the second reserved bit", text(FIN | 0x20), 1002),
        ("the third reserved bit", text(FIN | 0x10), 1002),
        (
            "a reserved bit of a ping",
            frame(FIN | 0x40 | PING, b""),
            1002,
        ),
        ("an unknown opcode of data", frame(FIN | 3, b""), 1002),
        ("another unknown opcode of data", frame(FIN | 7, b""), 1002),
        ("an unknown opcode of control", frame(FIN | 11, b""), 1002),
        (
            "another unknown opcode of control",
            frame(FIN | 15, b""),
            1002,
        ),
        ("a ping in parts", frame(PING, b"x"), 1002),
        ("a close in parts", frame(CLOSE, b""), 1002),
        ("a ping that is too long", frame(FIN | PING, &long), 1002),
        ("a close that is too long", frame(FIN | CLOSE, &long), 1002),
        ("a part of nothing", frame(FIN, b"x"), 1002),
        (
            "a message within another",
            joined(&[frame(TEXT, b"{"), text(FIN)]),
            1002,
        ),
        (
            "a close with half a code",
            frame(FIN | CLOSE, b"\x03"),
            1002,
        ),
        ("bytes that are no text", frame(FIN | TEXT, b"\xff"), 1007),
        ("half a letter", frame(FIN | TEXT, b"\"\xc3\""), 1007),
        ("an overlong letter", frame(FIN | TEXT, b"\xc0\xaf"), 1007),
        ("half a pair", frame(FIN | TEXT, b"\xed\xa0\x80"), 1007),
        (
            "a letter that is broken between two parts",
            joined(&[frame(TEXT, b"\xc3"), frame(FIN, b"x")]),
            1007,
        ),
        ("bytes", frame(FIN | BINARY, PING_MESSAGE.as_bytes()), 1003),
        ("no bytes", frame(FIN | BINARY, b""), 1003),
    ];
    for (what, bytes, code) in cases {
        scene.check(what, &bytes, code).await;
    }
}

#[tokio::test]
async fn a_message_may_have_8_kib_in_any_number_of_frames() {
    let mut scene = Scene::new().await;
    let most = scene.server.setup.limits.message_bytes;
    assert_eq!(most, 8192);
    let message = format!("{PING_MESSAGE:most$}");
    assert_eq!(message.len(), most);

    let mut bob = scene.bob().await;
    bob.send_text(&message).await;
    assert_eq!(bob.frame().await, Frame::Text(PONG_MESSAGE.to_owned()));
    drop(bob);
    assert_eq!(
        scene.ann.next("room").await["table"]["spectators"]
            .as_array()
            .unwrap()
            .len(),
        0
    );

    let more = [message.as_bytes(), b" "].concat();
    scene
        .check("a byte too much", &frame(FIN | TEXT, &more), 1009)
        .await;
    scene
        .check("bytes too much", &frame(FIN | BINARY, &more), 1009)
        .await;
    let (one, two) = more.split_at(5000);
    let parts = [frame(TEXT, one), frame(FIN, two)].concat();
    scene.check("a byte too much in parts", &parts, 1009).await;
    // A length that is too large is refused before the payload arrives.
    let mut head = vec![FIN | TEXT, 0x80 | 127];
    head.extend((1u64 << 40).to_be_bytes());
    head.extend([0; 4]);
    scene.check("a length alone", &head, 1009).await;
    head[2..10].copy_from_slice(&u64::MAX.to_be_bytes());
    let mut bob = scene.bob().await;
    bob.send(&head).await;
    let code = bob.close_code().await;
    assert!(matches!(code, Some(1002 | 1009)), "{code:?}");
}

#[tokio::test]
async fn fragmented_messages_may_have_pings_in_between() {
    let mut scene = Scene::new().await;
    let mut bob = scene.bob().await;
    let text = r#"{"type":"chat","id":"c","text":"Grüße 🂡"}"#;
    let count = text.len();
    for (at, byte) in text.bytes().enumerate() {
        let opcode = if at == 0 { TEXT } else { 0 };
        let fin = if at + 1 == count { FIN } else { 0 };
        bob.send(frame(fin | opcode, &[byte])).await;
        if at % 7 == 3 {
            bob.send(frame(FIN | PING, &[at as u8])).await;
            assert_eq!(bob.frame().await, Frame::Pong(vec![at as u8]));
            bob.send(frame(FIN | PONG, b"unasked")).await;
            bob.send(frame(0, b"")).await;
        }
    }
    bob.answer("c").await;
    assert_eq!(scene.ann.next("chat").await["text"], "Grüße 🂡");
}

#[tokio::test]
async fn a_close_is_answered_with_its_code() {
    let mut scene = Scene::new().await;
    for (payload, answer) in [
        (&b""[..], None),
        (&b"\x03\xe8"[..], Some(1000)),
        (&b"\x03\xe9bye"[..], Some(1001)),
        (&b"\x0f\xa0"[..], Some(4000)),
    ] {
        let mut bob = scene.bob().await;
        bob.send(frame(FIN | CLOSE, payload)).await;
        assert_eq!(bob.close_code().await, answer);
        assert_eq!(bob.frame().await, Frame::End);
        assert_eq!(
            scene.ann.next("room").await["table"]["spectators"]
                .as_array()
                .unwrap()
                .len(),
            0
        );
    }
    // A connection that ends without a close frame, also within a frame.
    for bytes in [&b""[..], &frame(FIN | TEXT, b"{\"type\"")[..8]] {
        let mut bob = scene.bob().await;
        bob.send(bytes).await;
        drop(bob);
        assert_eq!(
            scene.ann.next("room").await["table"]["spectators"]
                .as_array()
                .unwrap()
                .len(),
            0
        );
    }
}

/// After the server has closed a socket, it ignores further frames.
#[tokio::test]
async fn frames_after_a_violation_are_ignored() {
    let mut scene = Scene::new().await;
    let chat = frame(FIN | TEXT, br#"{"type":"chat","id":"c","text":"late"}"#);
    for (fault, code) in [
        (frame(FIN | BINARY, b""), 1003),
        (frame(FIN | 3, b""), 1002),
        (frame(FIN | TEXT, b"\xff"), 1007),
    ] {
        let bytes = [fault, chat.clone()].concat();
        scene.check("something late", &bytes, code).await;
    }
}

/// A server with the default message rate.
async fn paced() -> Server {
    Server::with(Limits {
        messages_per_second: limit!(20),
        message_burst: limit!(40),
        ..limits()
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_messages_closes_only_its_own_socket() {
    let server = paced().await;
    let room = server.open_sticheln(3).await;
    let mut ann = server.sit("Ann", &room).await;

    // Forty messages at once are allowed; `hello` is the first.
    let mut bob = server.connect("Bob", &room).await;
    bob.send_with_id("1", json!({"type": "hello", "token": token("Bob")}));
    for id in 2..=40 {
        bob.send_with_id(&id.to_string(), json!({"type": "ping"}));
    }
    for id in 1..=40 {
        bob.answer(id.to_string()).await.ok();
    }
    ann.sync().await;

    // Four hundred at once are not, of any kind.
    let ping = frame(FIN | TEXT, PING_MESSAGE.as_bytes());
    let broken = frame(FIN | TEXT, b"{");
    for bytes in [ping, broken, frame(FIN | PING, b""), frame(FIN | PONG, b"")] {
        let mut client = RawConnection::upgraded(&server, &room).await;
        client.hello("Fay").await;
        client.send(bytes.repeat(400)).await;
        assert_eq!(client.close_code().await, Some(1008));
        client.wait_for_end().await;
    }
    // The same for a client without `hello`.
    let mut unknown = RawConnection::upgraded(&server, &room).await;
    unknown.send(frame(FIN | TEXT, b"{").repeat(400)).await;
    assert_eq!(unknown.close_code().await, Some(1008));

    // Ann got a state for each of the four who came and left, or only the newest state.
    let messages = ann.received().await;
    let counts: Vec<_> = messages
        .iter()
        .map(|message| message["table"]["spectators"].as_array().unwrap().len())
        .collect();
    assert!(
        counts.len() <= 8 && counts.iter().all(|count| [1, 2].contains(count)),
        "{counts:?}"
    );
    assert_eq!(counts.last(), Some(&1), "{counts:?}");
    ann.request(json!({"type": "chat", "text": "still here"}))
        .await
        .ok();
    bob.next("chat").await;
}

/// A message of 8 KB takes eight of the forty units: a few of them pass, and twenty do not.
#[tokio::test]
async fn long_messages_take_more_units() {
    let server = paced().await;
    let room = server.open_sticheln(3).await;
    let long = frame(FIN | TEXT, "[]".repeat(4_000).as_bytes());
    let mut client = RawConnection::upgraded(&server, &room).await;
    client.hello("Gil").await;
    client.send(long.repeat(3)).await;
    let ping = json!({"type": "ping", "id": "after"});
    client.send_message(ping).await;
    client.answer("after").await;
    client.send(long.repeat(20)).await;
    assert_eq!(client.close_code().await, Some(1008));
}

/// Empty fragments of an endless message are not messages that could be counted. The server reads
/// them no faster than it accepts messages.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_message_is_read_no_faster_than_the_message_rate() {
    let server = paced().await;
    let room = server.open_sticheln(3).await;
    let mut ann = server.sit("Ann", &room).await;
    let mut client = RawConnection::upgraded(&server, &room).await;
    client.hello("Fay").await;
    client.send(frame(TEXT, b"")).await;
    // At the rate of messages this takes almost two minutes. The systems buffer a part of it.
    let parts = frame(0, b"").repeat(3_000_000);
    let sending = async {
        client.send(parts).await;
        panic!("all of it was taken");
    };
    // Others are served in the meantime, for longer than it takes to read all of it at full speed.
    let others = async {
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(2) {
            assert_eq!(server.get("/api/page").await.status, 200);
        }
        ann.request(json!({"type": "ping"})).await.ok();
    };
    tokio::select! {
        () = sending => {}
        () = others => {}
    }
}

#[tokio::test]
async fn a_socket_without_a_message_is_closed() {
    let server = Server::with(Limits {
        hello_timeout_seconds: limit!(1),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let mut ann = server.join("Ann", &room).await;
    // Frames without text are not messages.
    let mut bob = RawConnection::upgraded(&server, &room).await;
    bob.send(frame(FIN | PING, b"here")).await;
    assert_eq!(bob.frame().await, Frame::Pong(b"here".to_vec()));
    assert_eq!(bob.close_code().await, Some(4010));
    server.connect("Cem", &room).await.closed_with(4010).await;
    // Messages other than `hello` do not count.
    let mut dan = server.connect("Dan", &room).await;
    dan.send("{");
    dan.request(json!({"type": "ping"}))
        .await
        .refused("hello_first");
    dan.closed_with(4010).await;
    // An admitted person may be silent.
    ann.received_nothing().await;
}

#[tokio::test]
async fn a_socket_that_is_not_admitted_is_closed() {
    let server = Server::with(Limits {
        admission_timeout_seconds: limit!(1),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let mut ann = server.join("Ann", &room).await;
    let mut bob = server.connect("Bob", &room).await;
    bob.request(json!({"type": "hello", "token": "Bob"}))
        .await
        .refused("bad_token");
    bob.closed_with(4010).await;
    ann.received_nothing().await;
}

/// For any bytes, the server closes the socket properly or waits for more, and the room continues.
#[tokio::test]
async fn random_frames_affect_no_other_client() {
    let mut scene = Scene::new().await;
    let rev = scene.server.rev(&scene.room);
    for seed in 0..env_number("SEEDS", 300) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bob = RawConnection::upgraded(&scene.server, &scene.room).await;
        if rng.random_bool(0.5) {
            bob.hello("Bob").await;
        }
        for _ in 0..rng.random_range(1..6) {
            bob.send(random_frame(&mut rng)).await;
        }
        bob.stop().await;
        let code = bob.close_code().await;
        let known = [None, Some(1002), Some(1003), Some(1007), Some(1009)];
        assert!(known.contains(&code), "{code:?} with seed {seed}");
        bob.wait_for_end().await;
    }
    scene.ann.sync().await;
    assert_eq!(scene.server.rev(&scene.room), rev);
    sync_all(std::slice::from_mut(&mut scene.ann)).await;
    assert_eq!(
        scene.ann.room["table"]["spectators"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

fn random_frame(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut payload = match rng.random_range(0..4) {
        0 => vec![0; rng.random_range(0..200)],
        1 => PING_MESSAGE.as_bytes().to_vec(),
        2 => vec![b'{'; *[0, 125, 126, 127, 8191, 8192, 8193].choose(rng).unwrap()],
        _ => br#"{"type":"sit","id":"1","name":"\u0000"}"#.to_vec(),
    };
    if rng.random_bool(0.3) {
        rng.fill_bytes(&mut payload);
    }
    let first = if rng.random_bool(0.5) {
        FIN | TEXT
    } else {
        rng.random()
    };
    let mut bytes = frame(first, &payload);
    if rng.random_bool(0.2) {
        let at = rng.random_range(0..bytes.len().min(8));
        bytes[at] ^= 1 << rng.random_range(0..8);
    }
    if rng.random_bool(0.1) {
        bytes.truncate(rng.random_range(0..bytes.len()));
    }
    bytes
}
