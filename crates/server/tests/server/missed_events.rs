//! Clients whose connections are cut hear the same events as one whose connection is not.

use serde_json::{Value, json};

use crate::client::{Client, sync_all};
use crate::common::token;
use crate::env_number::env_number;
use crate::harness::Server;

/// The most steps for which a client stays away. Their events are fewer than the server keeps.
const MAX_STEPS_AWAY: u64 = 40;

/// A client that comes back with the revision that it has seen.
struct Listener {
    name: &'static str,
    client: Option<Client>,
    /// The revision of the last `game`, or of a later `room` in the lobby.
    seen: Option<u64>,
    /// The events of all connections.
    heard: Vec<Value>,
    /// The number of connections after the first one.
    returns: usize,
    /// The number of messages that say that events are missing.
    gaps: usize,
    steps_away: u64,
}

impl Listener {
    fn new(name: &'static str, client: Client) -> Self {
        let mut listener = Self {
            name,
            seen: None,
            heard: Vec::new(),
            returns: 0,
            gaps: 0,
            steps_away: 0,
            client: None,
        };
        listener.hear(&client.room);
        listener.client = Some(client);
        listener
    }

    fn hear(&mut self, message: &Value) {
        let is_lobby = message["type"] == "room" && message["table"]["phase"] == "lobby";
        let is_game = message["type"] == "game";
        if !is_game && !is_lobby {
            return;
        }
        self.gaps += usize::from(message.get("gap").is_some());
        self.seen = message["rev"].as_u64();
        self.heard
            .extend(message["events"].as_array().into_iter().flatten().cloned());
    }

    /// Reads at most this many of the messages that have arrived, and cuts the connection.
    fn cut(&mut self, most: u64) {
        let Some(mut client) = self.client.take() else {
            return;
        };
        for message in client.arrived(most) {
            self.hear(&message);
        }
        self.steps_away = 0;
    }

    /// Connects if there is no connection.
    async fn come_back(&mut self, server: &Server, room: &str) {
        if self.client.is_some() {
            return;
        }
        let mut client = server.connect(self.name, room).await;
        let id = client.new_id();
        let hello = json!({"type": "hello", "token": token(self.name), "rev": self.seen});
        client.send_with_id(&id, hello);
        self.client = Some(client);
        self.returns += 1;
    }

    /// Reads everything that was sent so far.
    async fn read_all(&mut self) {
        if let Some(mut client) = self.client.take() {
            for message in client.received().await {
                self.hear(&message);
            }
            self.client = Some(client);
        }
    }
}

/// Random numbers below a bound, the same for the same seed.
fn random_numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % below
    }
}

/// One of these clients does a random legal action, or all are ready for what follows. Returns whether the game goes on.
async fn play_on(players: &mut [&mut Client], random: &mut impl FnMut(u64) -> u64) -> bool {
    for player in &mut *players {
        if let Some(action) = random_action(player, random) {
            player
                .request(json!({"type": "act", "action": action}))
                .await
                .ok();
            return true;
        }
    }
    if players[0].room["table"]["phase"] != "playing" {
        return false;
    }
    for player in players {
        player
            .request(json!({"type": "ready", "ready": true}))
            .await;
    }
    true
}

fn random_action(player: &Client, random: &mut impl FnMut(u64) -> u64) -> Option<Value> {
    let legal = player.legal();
    let count = u64::try_from(legal.len()).unwrap();
    (count > 0).then(|| legal[random(count) as usize].clone())
}

/// Plays a whole game. Cem and the spectator Zoe are cut off at random moments, with messages that they have not read. Eve
/// stays connected.
async fn check_game(game: &str, options: Value, seed: u64) {
    println!("seed {seed}");
    let mut random = random_numbers(seed);
    let shows_all = options["show_history"] == "all";
    let server = Server::start().await;
    let body = json!({"game": game, "seats": 3, "options": options});
    let room = server.open_room(body).await;
    let mut players = vec![
        server.sit("Ann", &room).await,
        server.sit("Bob", &room).await,
    ];
    let cem = server.sit("Cem", &room).await;
    let zoe = server.join("Zoe", &room).await;
    let mut eve = Listener::new("Eve", server.join("Eve", &room).await);
    let mut listeners = [Listener::new("Cem", cem), Listener::new("Zoe", zoe)];
    players[0].request(json!({"type": "start"})).await.ok();
    loop {
        for listener in &mut listeners {
            listener.steps_away += 1;
            match random(5) {
                0 => listener.cut(random(8)),
                1 => listener.come_back(&server, &room).await,
                _ if listener.steps_away > MAX_STEPS_AWAY => {
                    listener.come_back(&server, &room).await;
                }
                _ => {}
            }
        }
        eve.read_all().await;
        sync_all(&mut players).await;
        let [ann, bob] = &mut players[..] else {
            unreachable!("two players");
        };
        let is_cem_needed = ann.legal().is_empty() && bob.legal().is_empty();
        let mut acting = vec![ann, bob];
        if is_cem_needed {
            let [cem, _] = &mut listeners;
            cem.come_back(&server, &room).await;
            cem.read_all().await;
            acting.extend(cem.client.as_mut());
        }
        if !play_on(&mut acting, &mut random).await {
            break;
        }
    }
    eve.read_all().await;
    assert!(eve.heard.len() > 100, "only {} events", eve.heard.len());
    for mut listener in listeners {
        listener.come_back(&server, &room).await;
        listener.read_all().await;
        assert!(listener.returns > 5, "only {} returns", listener.returns);
        check_heard(&listener, &eve.heard, shows_all);
    }
}

/// A client that was told of no gap has heard all events. Otherwise only events of finished tricks are missing.
fn check_heard(listener: &Listener, all: &[Value], shows_all: bool) {
    assert!(!shows_all || listener.gaps == 0, "{}", listener.name);
    if listener.gaps == 0 {
        assert_eq!(listener.heard, all, "{}", listener.name);
    }
    let mut heard = listener.heard.iter().peekable();
    for event in all {
        if heard.next_if_eq(&event).is_none() {
            let is_of_trick = ["played", "trick_taken"]
                .iter()
                .any(|kind| event["type"] == *kind);
            assert!(is_of_trick, "{} has not heard {event}", listener.name);
        }
    }
    assert_eq!(
        heard.next(),
        None,
        "{} has heard it twice or too late",
        listener.name
    );
}

#[tokio::test]
async fn cut_connections_miss_no_event_of_sticheln() {
    let options = json!({"show_history": "all", "end": {"type": "rounds", "rounds": 2}});
    for seed in 1..=env_number("SEEDS", 2) {
        check_game("sticheln", options.clone(), seed).await;
    }
}

/// The options of Nyet! show only the last finished trick.
#[tokio::test]
async fn cut_connections_miss_only_hidden_tricks_of_nyet() {
    let options = json!({"end": {"type": "rounds", "rounds": 2}});
    for seed in 1..=env_number("SEEDS", 2) {
        check_game("nyet", options.clone(), seed).await;
    }
}
