//! Several servers ("nodes") as one: players at different nodes share a table, and it goes on when its leader changes.

use std::collections::BTreeSet;
use std::num::NonZero;

use axum::body::Bytes;
use futures_util::StreamExt;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use sticheln_cluster::NodeId;
use sticheln_protocol::limits::MAX_MESSAGE_DEPTH;
use sticheln_record::RecordFile;
use sticheln_room::Format;
use sticheln_rules::Sticheln;
use sticheln_server::cluster::bus::{Bus, MAX_PAYLOAD_BYTES};
use sticheln_server::cluster::commands::NodeCommand;
use sticheln_server::cluster::links::Links;
use sticheln_server::cluster::metrics::NodeMetrics;
use sticheln_server::cluster::node::BusUpdateSender;
use sticheln_server::games;
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::room_code::RoomCode;
use sticheln_server::rooms::game_list::GameList;
use sticheln_server::storage::Store;
use sticheln_server::storage::postgres::DatabaseSettings;

use crate::bus;
use crate::client::Client;
use crate::common::nats::Nats;
use crate::common::postgres::Schema;
use crate::common::token;
use crate::damaged_rooms::RECONNECT;
use crate::harness::{Server, Setup, limits, wait_until, within_timeout};
use crate::metrics::{admin_address, metrics as all_metrics};
use crate::store::engine;
use crate::{control, imports, replays};

mod hellos;

/// The parts that nodes share.
struct Cluster {
    schema: Schema,
    nats: Nats,
}

impl Cluster {
    async fn start() -> Self {
        Self {
            schema: Schema::create().await,
            nats: Nats::start(),
        }
    }

    /// A node, which has its lease.
    async fn node(&self, id: u64) -> Server {
        self.node_of_version(id, Format::NEWEST).await
    }

    /// A node of a version that knows the formats from that of this version to another one.
    async fn node_of_version(&self, id: u64, newest: Format) -> Server {
        let mut settings = engine::settings(&self.schema.url());
        settings.formats.newest = newest;
        node_with(&settings, &self.nats, id).await
    }

    /// Nodes 1 and 2, which know each other.
    async fn two_nodes(&self) -> (Server, Server) {
        let nodes = (self.node(1).await, self.node(2).await);
        know_each_other(&nodes.0, &nodes.1).await;
        nodes
    }

    /// Makes another node the leader of a room, as if the others were lost. Its lease is over.
    async fn steal(&self, room: &str) {
        let client = self.schema.client().await;
        let steal = "UPDATE room SET epoch = epoch + 1, claim_id = 7, leader = 7 WHERE code = $1";
        assert_eq!(client.execute(steal, &[&room]).await.unwrap(), 1);
    }

    /// The node that leads a room.
    async fn leader(&self, room: &str) -> Option<i64> {
        let client = self.schema.client().await;
        let select = "SELECT leader FROM room WHERE code = $1";
        client.query_one(select, &[&room]).await.unwrap().get(0)
    }
}

/// A node with the database at this address, which has its lease.
pub async fn node_with(settings: &DatabaseSettings, nats: &Nats, id: u64) -> Server {
    start_node(settings, nats, id, Setup::default()).await
}

async fn start_node(settings: &DatabaseSettings, nats: &Nats, id: u64, setup: Setup) -> Server {
    let node = NodeId(id);
    let opened = Store::open_with(setup.folder.path(), settings, Some(node)).await;
    let (store, writer) = opened.unwrap();
    let metrics = NodeMetrics::default();
    let server = bus::server(&bus::settings(&nats.url()));
    let connected = Bus::connect(&server, node, metrics.bus.clone());
    let (bus, inbox) = within_timeout("the bus", connected).await.unwrap();
    let updates = BusUpdateSender {
        node,
        bus,
        links: Links::default(),
        metrics,
        format: store.write_format(),
    };
    let server = setup.serve(store, writer, Some(updates)).await;
    let node = server.app.node.as_ref().unwrap();
    node.start(inbox).await.unwrap();
    server
}

fn members(server: &Server) -> usize {
    server.app.node.as_ref().unwrap().peers().len()
}

async fn know_each_other(one: &Server, two: &Server) {
    within_timeout("the nodes to know each other", async {
        while members(one) != 1 || members(two) != 1 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// Ann at node 1 and Ben at node 2 sit in a room that node 1 has opened.
async fn ann_and_ben(one: &Server, two: &Server) -> (String, Client, Client) {
    let room = one.open_sticheln(3).await;
    let mut ann = one.sit("Ann", &room).await;
    let mut ben = two.sit("Ben", &room).await;
    ann.sync().await;
    ben.sync().await;
    (room, ann, ben)
}

/// Each of them writes a line, and both see it.
async fn talk(writers: [&mut Client; 2], text: &str) {
    let [one, two] = writers;
    for number in 0..2 {
        let writer = if number == 0 { &mut *one } else { &mut *two };
        let line = format!("{text} {number}");
        writer
            .request(json!({"type": "chat", "text": line}))
            .await
            .ok();
        for reader in [&mut *one, &mut *two] {
            while reader.next("chat").await["text"] != json!(line) {}
        }
    }
}

#[tokio::test]
async fn players_at_two_nodes_share_a_table() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let (room, mut ann, mut ben) = ann_and_ben(&one, &two).await;
    assert_eq!(cluster.leader(&room).await, Some(1));
    ann.request(json!({"type": "add_bot", "level": "beginner"}))
        .await
        .ok();
    ann.request(json!({"type": "start"})).await.ok();
    let seats = |game: &Value| game["view"]["own"].clone();
    let (of_ann, of_ben) = (ann.next("game").await, ben.next("game").await);
    assert_ne!(seats(&of_ann), seats(&of_ben));
    assert_eq!(of_ann["view"]["table"], of_ben["view"]["table"]);
    talk([&mut ann, &mut ben], "hello").await;
    // Refusals cross nodes too.
    ben.request(json!({"type": "start"}))
        .await
        .refused("not_host");
    ben.request(json!({"type": "sync"}))
        .await
        .refused("unknown_type");
    // The depth of a message is bounded at the node of its connection, so no node fails to read the message of another.
    let nested = |depth| (1..depth).fold(json!([]), |inner, _| json!([inner]));
    ben.request(json!({"type": "chat", "text": nested(MAX_MESSAGE_DEPTH - 1)}))
        .await
        .refused("malformed");
    let deeper = json!({"type": "chat", "id": "1", "text": nested(MAX_MESSAGE_DEPTH)});
    ben.send(deeper.to_string());
    ben.answer(Value::Null).await.refused("malformed");
    talk([&mut ann, &mut ben], "on").await;
    assert_eq!(cluster.leader(&room).await, Some(1));
    assert!(two.try_connect("Cem", "k7qm2x4p").await.is_ok());
}

#[tokio::test]
async fn a_node_that_ends_gives_its_tables_away() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let (room, mut ann, mut ben) = ann_and_ben(&one, &two).await;
    one.stop().await;
    // Ben keeps his connection. Ann is told to come back at once.
    assert_eq!(ann.next("closing").await["reason"], "moving");
    assert_eq!(ann.close_code().await, Some(RECONNECT));
    assert_eq!(ben.next("welcome").await["you"]["seat"], 1);
    let mut ann = two.join("Ann", &room).await;
    assert_eq!(ann.room["you"]["seat"], 0);
    talk([&mut ann, &mut ben], "hello").await;
    assert_eq!(cluster.leader(&room).await, Some(2));
}

#[tokio::test]
async fn a_node_without_the_game_of_a_room_leaves_it_to_others() {
    let cluster = Cluster::start().await;
    let settings = engine::settings(&cluster.schema.url());
    let one = cluster.node(1).await;
    let others = games::all();
    let others = others
        .iter()
        .filter(|game| game.id().as_str() != "sticheln");
    let setup = Setup {
        games: GameList::new(others.cloned()),
        ..Setup::default()
    };
    let old = start_node(&settings, &cluster.nats, 2, setup).await;
    know_each_other(&one, &old).await;
    let (room, ann, mut ben) = ann_and_ben(&one, &old).await;
    drop(ann);
    one.stop().await;
    // Now nobody leads the room.
    assert_eq!(ben.close_code().await, Some(RECONNECT));
    for _ in 0..2 {
        let mut ben = old.connect("Ben", &room).await;
        assert_eq!(ben.close_code().await, Some(RECONNECT));
    }
    // A node that has the game leads it, also for clients of the old one.
    let new = cluster.node(3).await;
    know_each_other(&new, &old).await;
    let mut ann = new.join("Ann", &room).await;
    let mut ben = old.join("Ben", &room).await;
    let hello = json!({"type": "chat", "text": "hello"});
    ben.request(hello).await.ok();
    assert_eq!(ann.next("chat").await["text"], "hello");
    assert_eq!(cluster.leader(&room).await, Some(3));
}

#[tokio::test]
async fn a_leader_whose_claim_is_lost_is_replaced_and_the_command_is_applied_once() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let (room, mut ann, mut ben) = ann_and_ben(&one, &two).await;
    cluster.steal(&room).await;
    // The database refuses the append of the earlier leader. The gateway repeats the command at the next one.
    ben.request(json!({"type": "rename", "name": "Benno"}))
        .await
        .ok();
    let name = |client: &Client| client.room["table"]["chairs"][1]["name"].clone();
    for client in [&mut ann, &mut ben] {
        while name(client) != "Benno" {
            client.next("room").await;
        }
    }
    let client = cluster.schema.client().await;
    let count = "SELECT COUNT(*) FROM entry JOIN room ON room.id = room_id \
                 WHERE code = $1 AND body LIKE '%\"renamed\"%'";
    let count: i64 = client.query_one(count, &[&room]).await.unwrap().get(0);
    assert_eq!(count, 1);
    let refused = one.app.services.store.metrics().refused_appends.get();
    assert_eq!(refused, 1);
    talk([&mut ann, &mut ben], "hello").await;

    // One of the nodes has claimed the room.
    let texts: String = [&one, &two].map(metrics).concat();
    assert!(texts.contains("room_stall_seconds_count 1\n"), "{texts}");
    for name in ["claims", "room_stall_seconds", "peers", "lost_leases"] {
        assert!(texts.contains(&format!("# TYPE {name} ")), "{name}");
    }
    assert!(
        texts.contains("claims_total{earlier_leader=\"unreleased\"} 1\n"),
        "{texts}"
    );
}

/// The metrics of a node, without those of the bus. All of them are documented.
fn metrics(server: &Server) -> String {
    const PAGE: &str = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/hosting.md"
    ));

    let mut registry = Registry::default();
    let node = server.app.node.as_ref().unwrap();
    node.metrics.register(&mut registry);
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let name = match line.split_once(' ').unwrap() {
            (name, "counter") => format!("{name}_total"),
            (name, _) => name.to_owned(),
        };
        assert!(PAGE.contains(&format!("\n- `sticheln_{name}`: ")), "{name}");
    }
    text
}

/// The metrics in the expressions of `docker/alerts.yaml`, each with the name of its label.
fn metrics_of_alerts() -> BTreeSet<String> {
    const ALERTS: &str = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docker/alerts.yaml"
    ));

    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let rest = ALERTS.split("sticheln_").skip(1);
    let metric = |rest: &str| {
        let end = rest.find(|letter| !is_part(letter)).unwrap();
        let label = rest[end..].strip_prefix('{').map(|label| {
            let name = label.split('=').next().unwrap();
            format!("{{{name}")
        });
        format!("sticheln_{}{}", &rest[..end], label.unwrap_or_default())
    };
    rest.map(metric).collect()
}

#[tokio::test]
async fn alerts_are_about_metrics_of_a_node() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let (room, _ann, mut ben) = ann_and_ben(&one, &two).await;
    // A metric with labels appears with its first value, such as a claim.
    cluster.steal(&room).await;
    let rename = json!({"type": "rename", "name": "Benno"});
    ben.request(rename).await.ok();
    let other = bus::Node::join(&cluster.nats, 3).await;
    let too_long = Bytes::from(vec![b'x'; MAX_PAYLOAD_BYTES + 1]);
    other.bus.send(other.id, too_long).unwrap_err();
    let text = other.metrics();
    let names = text.lines().filter_map(|line| line.split_once(' '));
    let mut known: BTreeSet<_> = names.map(|(name, _)| name.to_owned()).collect();
    for server in [&one, &two] {
        known.extend(all_metrics(admin_address(server).await).await.into_keys());
    }
    let alerts = metrics_of_alerts();
    assert!(alerts.len() > 12, "{alerts:?}");
    for metric in alerts {
        let is_metric = |name: &String| {
            let rest = name.strip_prefix(&metric);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['{', '=']))
        };
        assert!(known.iter().any(is_metric), "{metric}: {known:#?}");
    }
}

/// The node was frozen for longer than its lease, and the others have raised the format meanwhile. Its requests are answered, and
/// those to it are not understood.
#[tokio::test]
async fn an_older_node_that_has_missed_the_raise_ends() {
    const NEXT: Format = Format(Format::NEWEST.0 + 1);
    let cluster = Cluster::start().await;
    let old = cluster.node_of_version(1, Format::NEWEST).await;
    let new = cluster.node_of_version(2, NEXT).await;
    know_each_other(&old, &new).await;
    let (room, _ann, mut ben) = ann_and_ben(&old, &new).await;
    assert_eq!(cluster.leader(&room).await, Some(1));
    let client = cluster.schema.client().await;
    let raise = "UPDATE database_state SET format = $1";
    client.execute(raise, &[&NEXT.0]).await.unwrap();
    within_timeout("the format", async {
        while new.app.services.store.format() != NEXT {
            tokio::task::yield_now().await;
        }
    })
    .await;
    ben.request(json!({"type": "rename", "name": "Benno"}))
        .await
        .ok();
    assert_eq!(cluster.leader(&room).await, Some(2));
    let node = old.app.node.clone().unwrap();
    within_timeout("the end", node.drain_requested()).await;
    let texts = [&old, &new].map(metrics);
    assert!(!texts[0].contains("unreadable_messages_total 0\n"));
    assert!(texts[1].contains("unreadable_messages_total 0\n"));
    assert!(texts[1].contains(&format!("format {}\n", NEXT.0)));
}

/// Two nodes on which an address may have one woken room, with three tables of Ann and Ben that node 1 leads.
async fn three_tables(cluster: &Cluster) -> (Server, Server, Vec<(String, Client, Client)>) {
    let settings = engine::settings(&cluster.schema.url());
    let node = async |id| {
        let limits = Limits {
            woken_rooms_per_address: NonZero::new(1).unwrap(),
            ..limits()
        };
        let setup = Setup {
            limits,
            ..Setup::default()
        };
        start_node(&settings, &cluster.nats, id, setup).await
    };
    let (one, two) = (node(1).await, node(2).await);
    know_each_other(&one, &two).await;
    let mut tables = Vec::new();
    for _ in 0..3 {
        tables.push(ann_and_ben(&one, &two).await);
    }
    (one, two, tables)
}

#[tokio::test]
async fn tables_move_whatever_the_limits_of_their_address_are() {
    let cluster = Cluster::start().await;
    let (_one, _two, mut tables) = three_tables(&cluster).await;
    for (room, ..) in &tables {
        cluster.steal(room).await;
    }
    // One of the two nodes takes over two tables at least.
    for (_, _ann, ben) in &mut tables {
        ben.request(json!({"type": "rename", "name": "Benno"}))
            .await
            .ok();
    }
}

/// Its players sit at the tables of another node.
#[tokio::test]
async fn a_node_has_links_to_more_rooms_than_it_may_lead() {
    let cluster = Cluster::start().await;
    let settings = engine::settings(&cluster.schema.url());
    let one = cluster.node(1).await;
    let limits = Limits {
        rooms: NonZero::new(1).unwrap(),
        ..limits()
    };
    let setup = Setup {
        limits,
        ..Setup::default()
    };
    let two = start_node(&settings, &cluster.nats, 2, setup).await;
    know_each_other(&one, &two).await;
    let mut tables = Vec::new();
    for _ in 0..3 {
        tables.push(ann_and_ben(&one, &two).await);
    }
    for (_, ann, ben) in &mut tables {
        talk([ann, ben], "hello").await;
    }
    // A table of its own has space too.
    let (_, mut ann, mut ben) = ann_and_ben(&two, &one).await;
    talk([&mut ann, &mut ben], "hello").await;
}

/// Nobody leads the rooms of a node that has ended. For those with players at this node that is no reason to apply the limits.
#[tokio::test]
async fn tables_of_a_node_that_ends_move_whatever_the_limits_of_their_address_are() {
    let cluster = Cluster::start().await;
    let (one, two, mut tables) = three_tables(&cluster).await;
    let unattended = one.open_sticheln(3).await;
    one.stop().await;
    for (room, _ann, ben) in &mut tables {
        assert_eq!(ben.next("welcome").await["you"]["seat"], 1);
        assert_eq!(cluster.leader(room).await, Some(2));
    }
    assert_eq!(cluster.leader(&unattended).await, None);
    let mut cem = two.connect("Cem", &unattended).await;
    cem.closed_with(1013).await;
}

/// While the database is locked, all of them wait for it.
#[tokio::test]
async fn the_tables_of_an_address_are_taken_over_together() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let mut rooms = Vec::new();
    for _ in 0..5 {
        rooms.push(one.open_sticheln(3).await);
    }
    one.stop().await;
    for room in &rooms {
        cluster.steal(room).await;
    }
    let lock = cluster.schema.client().await;
    let sql = "BEGIN; LOCK TABLE room IN EXCLUSIVE MODE";
    lock.batch_execute(sql).await.unwrap();
    let mut clients = Vec::new();
    for room in &rooms {
        clients.push(two.connect("Ann", room).await);
    }
    let registry = &two.app.registry;
    wait_until("all takeovers", || registry.room_start_count() == 5).await;
    lock.batch_execute("COMMIT").await.unwrap();
    for ann in &mut clients {
        ann.hello().await.ok();
        ann.next("welcome").await;
    }
}

#[tokio::test]
async fn a_spectator_with_a_password_stays_admitted() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let body = json!({"game": "sticheln", "seats": 3, "password": "sesame"});
    let room = one.open_room(body).await;
    let mut ben = two.connect("Ben", &room).await;
    ben.request(json!({"type": "hello", "token": token("Ben")}))
        .await
        .refused("password_needed");
    let hello = json!({"type": "hello", "token": token("Ben"), "password": "sesame"});
    ben.request(hello).await.ok();
    ben.next("welcome").await;
    one.stop().await;
    ben.next("welcome").await;
    let chat = json!({"type": "chat", "text": "still here"});
    ben.request(json!({"type": "rename", "name": "Ben"}))
        .await
        .ok();
    ben.request(chat).await.ok();
}

/// As many as the default limit allows for one address: more than an address has attempts with passwords. One of them has given no
/// password on this connection.
#[tokio::test]
async fn the_spectators_behind_one_address_stay_admitted() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let body = json!({"game": "sticheln", "seats": 3, "password": "sesame"});
    let room = one.open_room(body).await;
    let mut clients = Vec::new();
    for count in 0..9 {
        let name = [
            "Ada", "Ben", "Cem", "Dan", "Eve", "Fay", "Gus", "Hal", "Hal",
        ][count];
        let mut hello = json!({"type": "hello", "token": token(name)});
        if count < 8 {
            hello["password"] = json!("sesame");
        }
        let mut client = two.connect(name, &room).await;
        client.request(hello).await.ok();
        client.next("welcome").await;
        clients.push(client);
    }
    one.stop().await;
    for client in &mut clients {
        client.next("welcome").await;
        client.request(json!({"type": "ping"})).await.ok();
    }
}

#[tokio::test]
async fn commands_of_the_operator_reach_all_nodes() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let (room, mut ann, mut ben) = ann_and_ben(&one, &two).await;
    let node = two.app.node.clone().unwrap();
    let said = node
        .command_others(NodeCommand::Say("The server moves.".to_owned()))
        .await;
    assert_eq!(said.iter().map(|result| result.count).sum::<usize>(), 1);
    for client in [&mut ann, &mut ben] {
        assert_eq!(client.next("notice").await["text"], "The server moves.");
    }
    let rooms = node.command_others(NodeCommand::Rooms).await;
    assert_eq!(rooms[0].rooms, [(room.clone(), 2)]);

    let code = RoomCode::parse(&room).unwrap();
    assert!(two.app.registry.delete_room(&code).await.unwrap());
    node.command_others(NodeCommand::RoomClosed(room)).await;
    for client in [&mut ann, &mut ben] {
        assert_eq!(client.close_code().await, Some(4006));
    }
}

#[tokio::test]
async fn no_token_crosses_the_bus() {
    let cluster = Cluster::start().await;
    let spy = async_nats::connect(cluster.nats.url()).await.unwrap();
    let mut messages = spy.subscribe(">").await.unwrap();
    spy.flush().await.unwrap();
    let (one, two) = cluster.two_nodes().await;
    let (_, mut ann, mut ben) = ann_and_ben(&one, &two).await;
    talk([&mut ann, &mut ben], "a line that crosses").await;
    let mut texts = String::new();
    within_timeout("the line", async {
        while !texts.contains("a line that crosses 1") {
            let message = messages.next().await.unwrap();
            texts += &String::from_utf8_lossy(&message.payload);
        }
    })
    .await;
    for name in ["Ann", "Ben"] {
        assert!(!texts.contains(&token(name)), "{name}");
    }
}

/// A game that one node has imported is found, exported and played on at the others.
#[tokio::test]
async fn a_game_is_imported_at_one_node_and_exported_at_another() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let (here, _serving_here) = control::serve(&one).await;
    let (there, _serving_there) = control::serve(&two).await;
    let record = imports::played::<Sticheln>(Default::default(), 3);
    let imported = control::ask(&here, &imports::import(&record)).await;
    let room = imported[0]["done"]["room"].as_str().unwrap();
    let id = &imported[0]["done"]["replay"];
    assert_eq!(cluster.leader(room).await, None);
    let export = json!({"command": "export", "replay": id, "names": true});
    let exported = control::ask(&there, format!("{export}\n").as_bytes()).await;
    let exported = exported[0]["done"]["record"].as_str().unwrap();
    let exported = RecordFile::<Sticheln>::read(exported.as_bytes()).unwrap();
    assert_eq!(exported.standings, record.standings);
    let ann = two.join("Ann", room).await;
    assert_eq!(ann.room["table"]["phase"], "over");
    assert_eq!(cluster.leader(room).await, Some(2));
}

/// A node that does not lead a room serves the replays of its games too.
#[tokio::test]
async fn each_node_serves_replays() {
    let cluster = Cluster::start().await;
    let (one, two) = cluster.two_nodes().await;
    let names = ["Ann", "Ben", "Cem"];
    let (room, mut clients) = one.started_round("sticheln", &names).await;
    replays::play_round(&mut clients).await;
    assert_eq!(cluster.leader(&room).await, Some(1));
    let id = replays::id(&clients[0]);
    for path in ["", "/rounds/1", "/record"] {
        let path = format!("/api/games/{id}{path}");
        let (here, there) = (one.get(&path).await, two.get(&path).await);
        assert_eq!((here.status, there.status), (200, 200), "{path}");
        assert_eq!(here.json(), there.json());
    }
}
