//! A failover of PostgreSQL to a standby that lost the last moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use serde_json::Value;
use sticheln_cluster::NodeId;
use sticheln_server::storage::Store;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use crate::client::{Client, all_act, field, sync_all};
use crate::common::nats::Nats;
use crate::common::postgres::{SingleServer, url_of};
use crate::harness::{Server, Setup, within_timeout};
use crate::nodes::node_with;
use crate::store::engine;

const NAMES: [&str; 3] = ["Ann", "Ben", "Cem"];

/// A primary, and an address that leads to it until its standby has taken over.
pub struct Databases {
    primary: SingleServer,
    /// The port of the server to which the address leads.
    target: Arc<AtomicU16>,
    pub url: String,
    name: &'static str,
}

impl Databases {
    pub async fn start(name: &'static str) -> Self {
        let primary = SingleServer::primary(&format!("{name}-primary"));
        let target = Arc::new(AtomicU16::new(primary.port));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = url_of(listener.local_addr().unwrap().port());
        tokio::spawn(forward(listener, target.clone()));
        Self {
            primary,
            target,
            url,
            name,
        }
    }

    /// A standby that has what is committed now, and nothing later.
    pub fn standby(&self) -> SingleServer {
        self.primary.standby(&format!("{}-standby", self.name))
    }

    /// The primary ends, and the standby takes over.
    pub async fn fail_over(&mut self, standby: &SingleServer) {
        self.primary.crash();
        standby.promote().await;
        self.target.store(standby.port, Ordering::SeqCst);
    }
}

/// Forwards connections to the port of the target.
async fn forward(listener: TcpListener, target: Arc<AtomicU16>) {
    loop {
        let (mut socket, _) = listener.accept().await.unwrap();
        let port = target.load(Ordering::SeqCst);
        tokio::spawn(async move {
            if let Ok(mut database) = TcpStream::connect(("127.0.0.1", port)).await {
                let _ = copy_bidirectional(&mut socket, &mut database).await;
            }
        });
    }
}

fn rev(client: &Client) -> u64 {
    field(&client.game, "rev").as_u64().unwrap()
}

/// Each of the first `count` clients that can act does so. Returns the views after that.
async fn act(clients: &mut [Client], count: usize) {
    for client in clients
        .iter_mut()
        .filter(|client| !client.legal().is_empty())
        .take(count)
    {
        client.act().await;
    }
    sync_all(clients).await;
}

async fn play_to_the_end(clients: &mut [Client]) {
    while all_act(clients).await {}
    let phases = clients.iter().map(|client| &client.room["table"]["phase"]);
    assert_eq!(phases.collect::<Vec<_>>(), ["over"; 3]);
}

#[tokio::test]
async fn players_at_nodes_are_told_what_a_failover_has_lost_and_play_on() {
    let mut databases = Databases::start("failover").await;
    let nats = Nats::start();
    let settings = engine::settings(&databases.url);
    let (one, two) = (
        node_with(&settings, &nats, 1).await,
        node_with(&settings, &nats, 2).await,
    );
    let (room, mut clients) = one.started_round("sticheln", &NAMES).await;
    // Ben is at the other node, and his socket is open during the failover.
    clients[1] = two.join("Ben", &room).await;
    sync_all(&mut clients).await;
    act(&mut clients, 1).await;
    let kept = rev(&clients[1]);
    let kept_view = clients[1].game["view"].clone();
    let standby = databases.standby();
    act(&mut clients, 2).await;
    let newest = rev(&clients[1]);
    assert_eq!(newest, kept + 2, "two moves are acknowledged");

    databases.fail_over(&standby).await;
    for client in &mut clients {
        let mut welcome = Value::Null;
        while welcome["generation"] != 1 {
            welcome = client.next("welcome").await;
        }
        assert_eq!(welcome["lost_after"], kept, "{}", client.name);
        while client.game.is_null() {
            client.next("game").await;
        }
    }
    assert_eq!(rev(&clients[1]), kept);
    assert_eq!(clients[1].game["view"], kept_view);
    assert_eq!(clients[1].game["events"], Value::Array(Vec::new()));
    play_to_the_end(&mut clients).await;
}

#[tokio::test]
async fn a_server_that_is_alone_announces_a_generation_too() {
    let mut databases = Databases::start("failover-alone").await;
    let settings = engine::settings(&databases.url);
    let setup = Setup::default();
    let opened = Store::open_with(setup.folder.path(), &settings, None::<NodeId>).await;
    let (store, writer) = opened.unwrap();
    let server: Server = setup.serve(store, writer, None).await;
    let (room, mut clients) = server.started_round("sticheln", &NAMES).await;
    act(&mut clients, 1).await;
    let kept = rev(&clients[0]);
    let standby = databases.standby();
    act(&mut clients, 1).await;
    databases.fail_over(&standby).await;
    // A read finds the new server. The table ends, though nobody acts.
    within_timeout("the new server", async {
        while server.app.services.store.rooms().await.is_err() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    for client in &mut clients {
        assert_eq!(client.close_code().await, Some(4000));
    }
    let mut clients = server.join_all(&room, &NAMES).await;
    assert_eq!((clients[0].generation, rev(&clients[0])), (1, kept));
    play_to_the_end(&mut clients).await;
}
