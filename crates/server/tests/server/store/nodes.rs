//! Several servers ("nodes") with one database: leases, leaders, claims of other nodes, and releases.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::future::join_all;
use sticheln_cluster::NodeId;
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::postgres::DatabaseSettings;
use sticheln_server::storage::{DatabaseError, Leader, OpenError, Store, WriteError, WriterHandle};

use super::engine::{Engine, settings};
use super::{append, found, room, rooms};
use crate::common::folder::Folder;
use crate::common::postgres::Schema;
use crate::harness::wait_until;

/// The duration of a lease that does not end within a test.
pub const LONG: Duration = Duration::from_secs(3_600);
pub const A: NodeId = NodeId(0xa);
/// The largest id: it is negative in the database.
pub const B: NodeId = NodeId(u64::MAX);

/// A node with its store.
pub struct Node {
    pub store: Store,
    pub writer: WriterHandle,
    _folder: Folder,
}

async fn try_open(url: &str, node: Option<NodeId>) -> Result<Node, OpenError> {
    let folder = Folder::new();
    let opened = Store::open_with(folder.path(), &settings(url), node).await;
    opened.map(|(store, writer)| Node {
        store,
        writer,
        _folder: folder,
    })
}

pub async fn open(url: &str, node: NodeId) -> Node {
    try_open(url, Some(node)).await.unwrap()
}

/// Two nodes with leases that share a database.
pub async fn two_nodes() -> (Node, Node, Schema) {
    let schema = Schema::create().await;
    let (a, b) = (open(&schema.url(), A).await, open(&schema.url(), B).await);
    for node in [&a, &b] {
        node.store.renew_lease(LONG).await.unwrap();
    }
    (a, b, schema)
}

pub async fn execute(schema: &Schema, sql: &str) {
    schema.client().await.batch_execute(sql).await.unwrap();
}

/// Lets the lease of a node end, as after this time.
pub async fn end_lease_of(schema: &Schema, node: NodeId) {
    let id = node.0.cast_signed();
    let past = format!(
        "UPDATE node SET lease_until = clock_timestamp() - interval '1 second' WHERE id = {id}"
    );
    execute(schema, &past).await;
}

async fn leader(store: &Store, code: &RoomCode) -> Option<Leader> {
    found(store, code).await.leader
}

fn leads(node: NodeId, has_lease: bool) -> Option<Leader> {
    Some(Leader { node, has_lease })
}

/// The nodes with a lease, in the order of their ids.
async fn living(store: &Store) -> Vec<NodeId> {
    let mut nodes = store.renew_lease(LONG).await.unwrap();
    nodes.sort();
    nodes
}

async fn refused(url: &str, node: Option<NodeId>) -> String {
    let Err(error) = try_open(url, node).await else {
        panic!("opened");
    };
    error.to_string()
}

#[tokio::test]
async fn a_server_that_is_alone_is_refused_beside_nodes() {
    let (a, b, schema) = two_nodes().await;
    let sentence = refused(&schema.url(), None).await;
    assert!(sentence.contains("Another server"), "{sentence}");
    a.writer.finish().await;
    b.writer.finish().await;
    try_open(&schema.url(), None).await.unwrap();
}

#[tokio::test]
async fn a_node_is_refused_beside_a_server_that_is_alone() {
    let schema = Schema::create().await;
    let alone = try_open(&schema.url(), None).await.unwrap();
    let sentence = refused(&schema.url(), Some(A)).await;
    assert!(sentence.contains("Another server"), "{sentence}");
    alone.writer.finish().await;
    open(&schema.url(), A).await;
}

#[tokio::test]
async fn a_node_needs_postgres() {
    let folder = Folder::new();
    let opened = Store::open_with(folder.path(), &DatabaseSettings::default(), Some(A)).await;
    let Err(error) = opened else {
        panic!("opened");
    };
    assert!(matches!(error, OpenError::NodesWithoutPostgres));
    assert!(error.to_string().contains("`--database-url`"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_alone_has_no_lease_and_leads_no_room() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let (store, _writer, _database) = engine.opened().await;
        let renewed = store.renew_lease(LONG).await;
        assert!(matches!(renewed, Err(DatabaseError::Alone)), "{renewed:?}");
        assert!(matches!(store.end_lease().await, Err(DatabaseError::Alone)));
        let (code, _claim) = room(&store).await;
        assert_eq!(leader(&store, &code).await, None);
        let claim = store.claim(found(&store, &code).await).await.unwrap();
        assert_eq!(leader(&store, &code).await, None);
        assert_eq!(store.release(claim).await, Ok(()));
    }
}

/// Without a lock, some of them would create a table that another one creates.
#[tokio::test]
async fn nodes_that_start_together_create_the_tables_once() {
    let schema = Schema::create().await;
    let url = schema.url();
    let nodes = join_all((0..8).map(|id| open(&url, NodeId(id)))).await;
    let (code, _claim) = room(&nodes[0].store).await;
    for node in &nodes {
        assert_eq!(leader(&node.store, &code).await, leads(NodeId(0), false));
    }
}

/// The fence needs no lease: a node that has lost one room goes on with its others, also in the same group.
#[tokio::test]
async fn a_claim_of_another_node_fences_one_room() {
    let (a, b, _schema) = two_nodes().await;
    let rooms = rooms(&a.store, 3).await;
    let lost = &rooms[1].0;
    assert_eq!(leader(&b.store, lost).await, leads(A, true));
    let seen_by_a = found(&a.store, lost).await;
    let claim = b.store.claim(found(&b.store, lost).await).await.unwrap();
    assert_eq!(leader(&a.store, lost).await, leads(B, true));
    let late = a.store.claim(seen_by_a).await;
    assert_eq!(late.err(), Some(WriteError::ClaimLost));

    let appended = rooms
        .iter()
        .map(|(_, claim)| append(&a.store, claim, &["one"]));
    let appended = join_all(appended).await;
    let answers: Vec<_> = appended
        .iter()
        .map(|answer| answer.as_ref().err())
        .collect();
    assert_eq!(answers, [None, Some(&WriteError::ClaimLost), None]);
    assert_eq!(a.store.metrics().refused_appends.get(), 1);
    let claim = append(&b.store, &claim, &["two"]).await.unwrap();
    let segment = b.store.last_segment(&claim).await.unwrap();
    assert_eq!(segment.entries, ["first", "two"]);
}

#[tokio::test]
async fn a_lease_holds_by_the_clock_of_the_database() {
    let (a, b, schema) = two_nodes().await;
    let (code, _claim) = room(&a.store).await;
    assert_eq!(living(&a.store).await, [A, B]);
    end_lease_of(&schema, A).await;
    assert_eq!(living(&b.store).await, [B]);
    assert_eq!(leader(&b.store, &code).await, leads(A, false));
    // A node that was frozen has a lease again.
    assert_eq!(living(&a.store).await, [A, B]);
    assert_eq!(leader(&b.store, &code).await, leads(A, true));
    // A lease that is renewed for less time ends earlier.
    let now = a.store.renew_lease(Duration::ZERO).await.unwrap();
    assert_eq!(now.len(), 2, "{now:?}");
    assert_eq!(leader(&b.store, &code).await, leads(A, false));
}

#[tokio::test]
async fn a_node_that_ends_its_lease_is_gone_at_once() {
    let (a, b, _schema) = two_nodes().await;
    let (code, _claim) = room(&a.store).await;
    a.store.end_lease().await.unwrap();
    assert_eq!(leader(&b.store, &code).await, leads(A, false));
    assert_eq!(living(&b.store).await, [B]);
}

#[tokio::test]
async fn rows_of_nodes_that_are_gone_are_deleted_in_parts() {
    let (a, _b, schema) = two_nodes().await;
    let client = schema.client().await;
    let gone = "INSERT INTO node SELECT id, clock_timestamp() - interval '2 minutes' FROM generate_series(1000, 1014) AS id";
    client.batch_execute(gone).await.unwrap();
    end_lease_of(&schema, B).await;
    let count = async || {
        let count = client.query_one("SELECT COUNT(*) FROM node", &[]).await;
        count.unwrap().get::<_, i64>(0)
    };
    assert_eq!(count().await, 17);
    for left in [7, 2, 2] {
        assert_eq!(living(&a.store).await, [A]);
        assert_eq!(count().await, left, "the row of B is recent");
    }
}

/// All sessions for reading and the one for writing wait for a lock.
#[tokio::test]
async fn a_renewal_waits_for_no_other_statement() {
    let (a, _b, schema) = two_nodes().await;
    let (code, claim) = room(&a.store).await;
    let lock = schema.client().await;
    let sql = "BEGIN; LOCK TABLE room IN ACCESS EXCLUSIVE MODE";
    lock.batch_execute(sql).await.unwrap();
    let mut waiting: Vec<Pin<Box<dyn Future<Output = bool>>>> = vec![];
    waiting.push(Box::pin(async {
        append(&a.store, &claim, &["one"]).await.is_ok()
    }));
    for _ in 0..5 {
        waiting.push(Box::pin(async { a.store.find(&code).await.is_ok() }));
    }
    for statement in &mut waiting {
        assert!(futures_util::poll!(statement).is_pending());
    }
    wait_until("the writer waits", || a.store.queued_requests() == 0).await;
    assert_eq!(living(&a.store).await, [A, B]);
    lock.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(join_all(waiting).await, [true; 6]);
}

/// A renewal that takes too long fails, and the next one has a new session.
#[tokio::test]
async fn a_renewal_ends_in_time() {
    let (a, _b, schema) = two_nodes().await;
    let lock = schema.client().await;
    let sql = "BEGIN; LOCK TABLE node IN ACCESS EXCLUSIVE MODE";
    lock.batch_execute(sql).await.unwrap();
    let renewed = tokio::time::timeout(Duration::from_secs(1), a.store.renew_lease(LONG)).await;
    let renewed = renewed.expect("it ends within a second");
    assert!(
        matches!(renewed, Err(DatabaseError::Timeout)),
        "{renewed:?}"
    );
    lock.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(living(&a.store).await, [A, B]);
}

#[tokio::test]
async fn a_released_room_has_no_leader() {
    let (a, b, _schema) = two_nodes().await;
    let (code, claim) = room(&a.store).await;
    // The append and the release wait for the writer together.
    let copy = claim.clone();
    let (appended, released) =
        tokio::join!(append(&a.store, &copy, &["one"]), a.store.release(claim));
    assert!(appended.unwrap().is_at(1));
    assert_eq!(released, Ok(()));
    assert_eq!(leader(&b.store, &code).await, None);
    let claim = b.store.claim(found(&b.store, &code).await).await.unwrap();
    assert!(claim.is_at(1));
    assert_eq!(leader(&b.store, &code).await, leads(B, true));
}

#[tokio::test]
async fn a_lost_claim_releases_nothing() {
    let (a, b, _schema) = two_nodes().await;
    let rooms = rooms(&a.store, 2).await;
    let lost = rooms[0].0.clone();
    let _claim = b.store.claim(found(&b.store, &lost).await).await.unwrap();
    let released = rooms
        .into_iter()
        .map(|(_, claim)| a.store.release(claim))
        .collect::<Vec<_>>();
    let released = join_all(released).await;
    assert_eq!(released, [Err(WriteError::ClaimLost), Ok(())]);
    assert_eq!(leader(&b.store, &lost).await, leads(B, true));
}
