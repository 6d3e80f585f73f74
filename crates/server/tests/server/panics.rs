//! A panic in the task of a room harms only that room.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use sticheln_room::Entropy;
use sticheln_rules::shuffled;
use sticheln_server::ops::panic_hook;
use tracing::subscriber::{DefaultGuard, set_default};
use tracing_subscriber::fmt::MakeWriter;

use crate::client::{Client, sync_all};
use crate::common::entropy::seeded_entropy;
use crate::harness::{Server, Setup};

const NAMES: [&str; 3] = ["Ann", "Bob", "Cem"];
/// The close codes of a server that restarts, and of a damaged room.
const RECONNECT: u16 = 4000;
pub const DAMAGED: u16 = 4005;

/// A server whose deals panic while the switch is on. The panic message contains the cards.
async fn faulty() -> (Server, Arc<AtomicBool>) {
    let switch = Arc::new(AtomicBool::new(false));
    let is_on = switch.clone();
    let rooms = AtomicU64::new(0);
    let setup = Setup {
        entropy_source: Arc::new(move |_| {
            let is_on = is_on.clone();
            Entropy {
                shuffle: Arc::new(move |pack, seed| {
                    let deck = shuffled(pack, seed);
                    assert!(!is_on.load(Ordering::SeqCst), "cannot deal {deck:?}");
                    deck
                }),
                ..seeded_entropy(rooms.fetch_add(1, Ordering::SeqCst))
            }
        }),
        ..Setup::default()
    };
    (setup.start().await, switch)
}

/// The host starts a game whose deal panics, and all clients are disconnected.
async fn start_panics(clients: &mut [Client]) {
    let id = clients[0].new_id();
    clients[0].send_with_id(&id, json!({"type": "start"}));
    for client in clients {
        client.closed_with(RECONNECT).await;
    }
}

/// The log lines of this thread.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub fn begin() -> (Self, DefaultGuard) {
        let log = Self::default();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(log.clone())
            .finish();
        (log, set_default(subscriber))
    }

    /// The lines of errors.
    pub fn errors(&self) -> String {
        let text = self.text();
        let lines = text.lines().filter(|line| line.contains(" ERROR "));
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// All lines.
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn a_panic_affects_only_its_room() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        panic_hook::report(panic);
    }));
    let (log, _guard) = Log::begin();
    let (server, switch) = faulty().await;
    let (room, mut clients) = server.seated(&NAMES).await;
    let (other, mut others) = server.started(&["Dora", "Eve", "Finn"]).await;
    // Somebody who has not said hello is disconnected too.
    clients.push(server.connect("Gus", &room).await);

    switch.store(true, Ordering::SeqCst);
    start_panics(&mut clients).await;
    for client in &mut others {
        assert!(!client.is_closed());
    }
    others[0].act().await;
    let errors = log.errors();
    let is_logged = |words: [&str; 2]| {
        let mut lines = errors.lines();
        lines.any(|line| words.iter().all(|word| line.contains(word)))
    };
    assert!(
        is_logged(["the task of a room panicked", &room]),
        "{errors}"
    );
    assert!(is_logged(["a thread panicked", "panics.rs:"]), "{errors}");
    assert!(!errors.contains(&other), "{errors}");
    assert!(!errors.contains("deal"), "no card is logged: {errors}");

    // The room is read back from its log, as it was before the panic.
    switch.store(false, Ordering::SeqCst);
    let mut clients = server.join_all(&room, &NAMES).await;
    assert_eq!(clients[0].room["table"]["phase"], "lobby");
    clients[0].request(json!({"type": "start"})).await.ok();
    sync_all(&mut clients).await;
    clients[1].act().await;
}

#[tokio::test]
async fn a_room_whose_task_panics_three_times_in_a_minute_is_not_woken() {
    let (server, switch) = faulty().await;
    let (other, _others) = server.started(&["Dora", "Eve", "Finn"]).await;
    let (room, mut clients) = server.seated(&NAMES).await;
    switch.store(true, Ordering::SeqCst);
    start_panics(&mut clients).await;
    for _ in 0..2 {
        let mut clients = server.join_all(&room, &NAMES).await;
        start_panics(&mut clients).await;
    }
    switch.store(false, Ordering::SeqCst);
    for name in ["Ann", "somebody"] {
        server.connect(name, &room).await.closed_with(DAMAGED).await;
    }
    server.join("Gus", &other).await;

    // A server that is started again tries it again.
    let server = server.restart().await;
    let mut clients = server.join_all(&room, &NAMES).await;
    clients[0].request(json!({"type": "start"})).await.ok();
}

/// A room whose replay panics is not replayed for ever.
#[tokio::test]
async fn a_room_that_panics_when_it_wakes_is_damaged() {
    let (server, switch) = faulty().await;
    let (room, _clients) = server.started(&NAMES).await;
    let server = server.restart().await;
    switch.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        server.connect("Ann", &room).await.closed_with(1011).await;
    }
    server
        .connect("Ann", &room)
        .await
        .closed_with(DAMAGED)
        .await;
}
