//! Several servers ("nodes") with one database: leases, leaders, claims of other nodes, and releases.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::future::join_all;
use sticheln_cluster::{Leader, NodeId};
use sticheln_room::Timestamp;
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::postgres::DatabaseSettings;
use sticheln_server::storage::{
    Claim, DatabaseError, OpenError, SerializedEntry, Store, WriteError, WriterHandle,
};
use tokio_postgres::Client;

use super::engine::{Engine, TestDatabase, settings};
use super::only_postgres::{LATER, schema};
use super::segments::{Kind, entry};
use super::sweep::sweep;
use super::{NOW, append, found, listing, room, rooms};
use crate::common::folder::Folder;
use crate::common::postgres::{Cluster, connect};
use crate::harness::{wait_until, within_timeout};

/// The duration of a lease that does not end within a test.
pub const LONG: Duration = Duration::from_secs(3_600);
pub const A: NodeId = NodeId(0xa);
/// The largest id. It is negative in the database, so this node sweeps.
pub const B: NodeId = NodeId(u64::MAX);

/// A node with its store.
pub struct Node {
    pub store: Store,
    pub writer: WriterHandle,
    pub folder: Folder,
}

pub async fn try_open(url: &str, node: Option<NodeId>) -> Result<Node, OpenError> {
    try_open_with(&settings(url), node).await
}

/// Opens the store of a node with these settings.
pub async fn try_open_with(
    settings: &DatabaseSettings,
    node: Option<NodeId>,
) -> Result<Node, OpenError> {
    let folder = Folder::new();
    let opened = Store::open_with(folder.path(), settings, node).await;
    opened.map(|(store, writer)| Node {
        store,
        writer,
        folder,
    })
}

pub async fn open(url: &str, node: NodeId) -> Node {
    try_open(url, Some(node)).await.unwrap()
}

/// Two nodes with leases that share a database.
pub async fn two_nodes() -> (Node, Node, TestDatabase) {
    let database = Engine::Postgres.create().await;
    let url = schema(&database).url();
    let (a, b) = (open(&url, A).await, open(&url, B).await);
    for node in [&a, &b] {
        node.store.renew_lease(LONG).await.unwrap();
    }
    (a, b, database)
}

/// Lets the lease of a node end, as after this time.
pub async fn end_lease_of(database: &TestDatabase, node: NodeId) {
    let id = node.0.cast_signed();
    let past = format!(
        "UPDATE node SET lease_until = clock_timestamp() - interval '1 second' WHERE id = {id}"
    );
    database.execute(&past).await;
}

async fn leader(store: &Store, code: &RoomCode) -> Option<Leader> {
    found(store, code).await.leader
}

fn leads(node: NodeId, has_lease: bool) -> Option<Leader> {
    Some(Leader { node, has_lease })
}

/// The nodes with a lease, in the order of their ids.
pub async fn living(store: &Store) -> Vec<NodeId> {
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
    let (a, b, database) = two_nodes().await;
    let url = schema(&database).url();
    let sentence = refused(&url, None).await;
    assert!(sentence.contains("Another server"), "{sentence}");
    a.writer.finish().await;
    b.writer.finish().await;
    try_open(&url, None).await.unwrap();
}

#[tokio::test]
async fn a_node_is_refused_beside_a_server_that_is_alone() {
    let database = Engine::Postgres.create().await;
    let url = schema(&database).url();
    let alone = try_open(&url, None).await.unwrap();
    let sentence = refused(&url, Some(A)).await;
    assert!(sentence.contains("Another server"), "{sentence}");
    alone.writer.finish().await;
    open(&url, A).await;
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
        assert!(
            matches!(renewed, Err(DatabaseError::NotClustered)),
            "{renewed:?}"
        );
        assert!(matches!(
            store.end_lease().await,
            Err(DatabaseError::NotClustered)
        ));
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
    let database = Engine::Postgres.create().await;
    let url = schema(&database).url();
    let nodes = join_all((0..8).map(|id| open(&url, NodeId(id)))).await;
    let (code, _claim) = room(&nodes[0].store).await;
    for node in &nodes {
        assert_eq!(leader(&node.store, &code).await, leads(NodeId(0), false));
    }
}

/// The fence needs no lease: a node that has lost one room goes on with its others, also in the same group.
#[tokio::test]
async fn a_claim_of_another_node_fences_one_room() {
    let (a, b, _database) = two_nodes().await;
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
    let (a, b, database) = two_nodes().await;
    let (code, _claim) = room(&a.store).await;
    assert_eq!(living(&a.store).await, [A, B]);
    end_lease_of(&database, A).await;
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
    let (a, b, _database) = two_nodes().await;
    let (code, _claim) = room(&a.store).await;
    a.store.end_lease().await.unwrap();
    assert_eq!(leader(&b.store, &code).await, leads(A, false));
    assert_eq!(living(&b.store).await, [B]);
}

#[tokio::test]
async fn rows_of_nodes_that_are_gone_are_deleted_in_parts() {
    let (a, _b, database) = two_nodes().await;
    let client = schema(&database).client().await;
    let gone = "INSERT INTO node SELECT id, clock_timestamp() - interval '2 minutes', 0 FROM generate_series(1000, 1014) AS id";
    client.batch_execute(gone).await.unwrap();
    end_lease_of(&database, B).await;
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

/// All connections for reading and the one for writing wait for a lock.
#[tokio::test]
async fn a_renewal_waits_for_no_other_statement() {
    let (a, _b, database) = two_nodes().await;
    let (code, claim) = room(&a.store).await;
    let lock = schema(&database).client().await;
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

/// The commit of an append waits for a synchronous standby. The server of this test has settings of its own, so no other test uses
/// it.
#[tokio::test]
async fn a_renewal_does_not_wait_for_a_standby() {
    let cluster = Cluster::start("postgres-standby", &[]);
    let client = connect(&cluster.url()).await.unwrap();
    let configure = async |setting: &str| {
        for sql in [setting, "SELECT pg_reload_conf()"] {
            client.batch_execute(sql).await.unwrap();
        }
    };
    configure("ALTER SYSTEM RESET synchronous_standby_names").await;
    let a = open(&cluster.url(), A).await;
    let (_code, claim) = room(&a.store).await;
    configure("ALTER SYSTEM SET synchronous_standby_names = 'gone'").await;
    let is_reset = Cell::new(false);
    let renewal = async {
        let waits = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep')";
        while !client
            .query_one(waits, &[])
            .await
            .unwrap()
            .get::<_, bool>(0)
        {}
        assert_eq!(living(&a.store).await, [A]);
        is_reset.set(true);
        configure("ALTER SYSTEM RESET synchronous_standby_names").await;
    };
    // The server reads its settings a moment after the signal.
    let appends = async {
        let mut claim = claim;
        while !is_reset.get() {
            claim = append(&a.store, &claim, &["one"]).await.unwrap();
        }
    };
    within_timeout("the standby", async { tokio::join!(renewal, appends) }).await;
}

/// A renewal that takes too long fails, and the next one has a new connection.
#[tokio::test]
async fn a_renewal_ends_in_time() {
    let (a, _b, database) = two_nodes().await;
    let lock = schema(&database).client().await;
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
    let (a, b, _database) = two_nodes().await;
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
    let (a, b, _database) = two_nodes().await;
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

#[tokio::test]
async fn a_node_learns_which_of_its_claims_are_lost() {
    let (a, b, _database) = two_nodes().await;
    let rooms = rooms(&a.store, 3).await;
    let claims = rooms
        .iter()
        .map(|(code, claim)| (code.as_str().to_owned(), claim.epoch()));
    let claims: Vec<_> = claims.collect();
    assert_eq!(a.store.lost_claims(&claims).await.unwrap(), [""; 0]);
    let (taken, deleted) = (rooms[0].0.clone(), rooms[2].0.clone());
    let _claim = b.store.claim(found(&b.store, &taken).await).await.unwrap();
    assert!(b.store.delete_room(deleted.clone()).await.unwrap());
    let mut lost = a.store.lost_claims(&claims).await.unwrap();
    lost.sort();
    let mut expected = [taken.as_str(), deleted.as_str()];
    expected.sort_unstable();
    assert_eq!(lost, expected);
}

/// The room of another node with a lease stays, and so does one with a claim of the node that sweeps.
#[tokio::test]
async fn rooms_that_a_living_node_leads_are_not_swept() {
    let (a, b, database) = two_nodes().await;
    let (_, of_a) = room(&a.store).await;
    let (_, of_b) = room(&b.store).await;
    let (_, released) = room(&a.store).await;
    assert_eq!(a.store.release(released).await, Ok(()));
    // The task of this room has ended without a release.
    drop(room(&b.store).await);
    // Only one of them sweeps.
    assert_eq!(sweep(&a.store, LATER).await, (0, 1));
    assert_eq!(sweep(&b.store, LATER).await.0, 2);
    append(&a.store, &of_a, &["one"]).await.unwrap();
    append(&b.store, &of_b, &["one"]).await.unwrap();

    end_lease_of(&database, A).await;
    assert_eq!(sweep(&b.store, LATER).await.0, 1);
    let late = append(&a.store, &of_a, &["late"]).await;
    assert_eq!(late.err(), Some(WriteError::ClaimLost));
    assert_eq!(database.rows(["room", "entry"]).await, [1, 2]);
    // A node without a lease does not sweep. If B is gone, it is the turn of A.
    assert_eq!(sweep(&a.store, LATER).await.0, 0);
    b.store.end_lease().await.unwrap();
    assert_eq!(sweep(&b.store, LATER).await.0, 0);
    a.store.renew_lease(LONG).await.unwrap();
    assert_eq!(sweep(&a.store, LATER).await.0, 1);
}

/// Waits until another connection waits for a lock of this one.
pub async fn wait_until_blocking(client: &Client) {
    let waits = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid)))";
    while !client
        .query_one(waits, &[])
        .await
        .unwrap()
        .get::<_, bool>(0)
    {}
}

/// Sweeps while another connection executes this statement, which is committed when the sweep waits for it. Returns the number of
/// deleted rooms.
async fn sweep_during(
    store: &Store,
    database: &TestDatabase,
    now: Timestamp,
    statement: &str,
) -> u64 {
    let other = schema(database).client().await;
    let begin = format!("BEGIN; {statement}");
    other.batch_execute(&begin).await.unwrap();
    let commit = async {
        wait_until_blocking(&other).await;
        other.batch_execute("COMMIT").await.unwrap();
    };
    within_timeout("the sweep", async {
        tokio::join!(sweep(store, now), commit).0.0
    })
    .await
}

#[tokio::test]
async fn a_room_that_is_claimed_in_the_moment_of_its_deletion_stays() {
    let (a, b, database) = two_nodes().await;
    let (code, claim) = room(&a.store).await;
    append(&a.store, &claim, &["one"]).await.unwrap();
    a.store.release(claim).await.unwrap();
    let id = A.0.cast_signed();
    let claim = format!("UPDATE room SET epoch = epoch + 1, leader = {id}");
    assert_eq!(sweep_during(&b.store, &database, LATER, &claim).await, 0);
    assert_eq!(database.bodies(code.as_str()).await, ["first", "one"]);
    assert_eq!(b.store.metrics().sweep_failures.get(), 0);
    end_lease_of(&database, A).await;
    assert_eq!(sweep(&b.store, LATER).await.0, 1);
}

/// Three rounds: deals are the entries 1, 4 and 7. The last one is not complete.
async fn rounds(store: &Store) -> (RoomCode, Claim) {
    let (code, mut claim) = room(store).await;
    for number in 1..=8 {
        let entries = vec![round_entry(number)];
        let appended = store.append(&mut claim, NOW, entries, listing());
        appended.await.unwrap();
    }
    (code, claim)
}

/// An entry, of which every third one is a deal.
fn round_entry(number: usize) -> SerializedEntry {
    let kind = match number % 3 {
        1 => Kind::Deal,
        _ => Kind::Later,
    };
    entry(kind, number, 0)
}

/// One node appends, and reads its log, while another one archives.
#[tokio::test]
async fn segments_of_a_room_of_another_node_are_archived() {
    let (a, b, database) = two_nodes().await;
    let (_, mut claim) = rounds(&a.store).await;
    for number in 9..=30 {
        let entries = vec![round_entry(number)];
        let appended = a.store.append(&mut claim, NOW, entries, listing());
        let (appended, _) = tokio::join!(appended, sweep(&b.store, NOW));
        appended.unwrap();
        let segment = a.store.last_segment(&claim).await.unwrap();
        assert_eq!(segment.entries.len(), (number - 1) % 3 + 1);
    }
    sweep(&b.store, NOW).await;
    let rounds: Vec<_> = (1..28)
        .step_by(3)
        .map(|first| vec![first, first + 1, first + 2])
        .collect();
    assert_eq!(database.archived().await, rounds);
    assert_eq!(database.entries().await, 3);
    assert_eq!(b.store.metrics().sweep_failures.get(), 0);
}

/// A node that sweeps for a moment longer than its lease does not undo the work of the next one.
#[tokio::test]
async fn two_sweeps_archive_a_segment_once() {
    let (a, b, database) = two_nodes().await;
    let (_code, claim) = rounds(&a.store).await;
    // The first two segments, without the archive.
    let archived = "DELETE FROM entry WHERE rev < 4; UPDATE room SET first_rev = 4";
    sweep_during(&b.store, &database, NOW, archived).await;
    assert_eq!(database.archived().await, [[4, 5, 6]]);
    assert_eq!(database.number("SELECT first_rev FROM room").await, 7);
    assert_eq!(b.store.metrics().sweep_failures.get(), 0);
    a.store.last_segment(&claim).await.unwrap();
}
