//! The format in which all servers write: who raises it, and which versions are refused.

use sticheln_cluster::NodeId;
use sticheln_room::{Format, Formats};
use sticheln_server::storage::postgres::DatabaseSettings;
use sticheln_server::storage::{DatabaseError, OpenError, Store, WriteError};

use super::engine::{Engine, TestDatabase, on_both_engines, settings};
use super::nodes::{A, B, LONG, Node, end_lease_of, living, try_open_with, wait_until_blocking};
use super::only_postgres::schema;
use super::{found, room};
use crate::common::folder::Folder;
use crate::harness::within_timeout;

const C: NodeId = NodeId(0xc);
/// The format of this version, and the next one.
const THIS: Format = Format::NEWEST;
const NEXT: Format = Format(THIS.0 + 1);

/// The settings of a version that knows the formats from that of this version to another one.
fn version(newest: Format, database: &TestDatabase) -> DatabaseSettings {
    let settings = match database {
        TestDatabase::Postgres { schema, .. } => settings(&schema.url()),
        TestDatabase::Sqlite(_) => DatabaseSettings::default(),
    };
    DatabaseSettings {
        formats: Formats {
            oldest: THIS,
            newest,
        },
        ..settings
    }
}

/// A node of a version, with a lease.
async fn node(database: &TestDatabase, id: NodeId, newest: Format) -> Node {
    let opened = try_open_with(&version(newest, database), Some(id)).await;
    let node = opened.unwrap();
    node.store.renew_lease(LONG).await.unwrap();
    node
}

/// The format in the database.
async fn format(database: &TestDatabase) -> Format {
    let rows = database.rows_of("SELECT format FROM database_state").await;
    Format(rows[0][0].as_deref().unwrap().parse().unwrap())
}

async fn refused(settings: &DatabaseSettings, folder: &Folder, node: Option<NodeId>) {
    match Store::open_with(folder.path(), settings, node).await {
        Err(OpenError::UnknownFormat(_) | OpenError::Postgres(_)) => {}
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("opened"),
    }
}

on_both_engines!(a_server_that_is_alone_raises_the_format_when_it_starts);

async fn a_server_that_is_alone_raises_the_format_when_it_starts(engine: Engine) {
    let (store, writer, database) = engine.opened().await;
    assert_eq!((store.format(), format(&database).await), (THIS, THIS));
    store.close().await;
    writer.finish().await;
    let folder = match &database {
        TestDatabase::Sqlite(folder) | TestDatabase::Postgres { folder, .. } => folder,
    };
    let next = version(NEXT, &database);
    let (store, writer) = Store::open_with(folder.path(), &next, None).await.unwrap();
    assert_eq!((store.format(), format(&database).await), (NEXT, NEXT));
    store.close().await;
    writer.finish().await;
    refused(&version(THIS, &database), folder, None).await;
    assert_eq!(format(&database).await, NEXT);
}

#[tokio::test]
async fn the_format_is_raised_once_all_nodes_know_a_newer_one() {
    let database = Engine::Postgres.create().await;
    let a = node(&database, A, THIS).await;
    let b = node(&database, B, NEXT).await;
    let c = node(&database, C, Format(NEXT.0 + 1)).await;
    for node in [&a, &b, &c, &b] {
        assert_eq!(living(&node.store).await.len(), 3);
        assert_eq!((node.store.format(), format(&database).await), (THIS, THIS));
    }
    // The last node of the old version ends.
    a.store.end_lease().await.unwrap();
    assert_eq!(living(&b.store).await.len(), 2);
    assert_eq!(format(&database).await, NEXT);
    for node in [&c, &b] {
        assert_eq!(
            node.store.format(),
            THIS,
            "it writes as at its last renewal"
        );
        living(&node.store).await;
        assert_eq!((node.store.format(), format(&database).await), (NEXT, NEXT));
    }
    // A server that starts writes in the format of the others.
    b.store.end_lease().await.unwrap();
    let opened = try_open_with(&version(NEXT, &database), Some(NodeId(0xd))).await;
    assert_eq!(opened.unwrap().store.format(), NEXT);
}

#[tokio::test]
async fn an_older_node_gets_no_lease_after_the_raise() {
    let database = Engine::Postgres.create().await;
    let a = node(&database, A, THIS).await;
    let b = node(&database, B, NEXT).await;
    // It is frozen for longer than its lease.
    end_lease_of(&database, A).await;
    assert_eq!(living(&b.store).await, [B]);
    assert_eq!(format(&database).await, NEXT);
    let renewed = a.store.renew_lease(LONG).await;
    assert!(
        matches!(renewed, Err(DatabaseError::UnknownFormat)),
        "{renewed:?}"
    );
    assert_eq!(living(&b.store).await, [B]);
    let (code, claim) = room(&b.store).await;
    let room = found(&b.store, &code).await;
    let claimed = a.store.claim(room.clone()).await;
    assert_eq!(claimed.map(|_| ()), Err(WriteError::ClaimLost));
    let claimed = b.store.claim(room).await;
    assert_eq!(claimed.unwrap().epoch(), claim.epoch() + 1);
    refused(&version(THIS, &database), &Folder::new(), Some(C)).await;
}

/// The renewal has the lock on the format first: the raise waits, and then sees the older node.
#[tokio::test]
async fn a_raise_during_a_renewal_of_an_older_node_does_nothing() {
    let database = Engine::Postgres.create().await;
    let a = node(&database, A, THIS).await;
    let b = node(&database, B, NEXT).await;
    end_lease_of(&database, A).await;
    let other = schema(&database).client().await;
    let lock = format!("BEGIN; SELECT FROM node WHERE id = {} FOR UPDATE", A.0);
    other.batch_execute(&lock).await.unwrap();
    let renewals = async {
        let raise = async {
            // The renewal of A waits for the row of A.
            wait_until_blocking(&other).await;
            b.store.renew_lease(LONG).await
        };
        let end = async {
            let watch = schema(&database).client().await;
            let blocked = "SELECT COUNT(*) FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0 \
                           AND query LIKE '%database_state FOR UPDATE%'";
            while watch
                .query_one(blocked, &[])
                .await
                .unwrap()
                .get::<_, i64>(0)
                == 0
            {}
            other.batch_execute("COMMIT").await.unwrap();
        };
        let (a, b, ()) = tokio::join!(a.store.renew_lease(LONG), raise, end);
        (a.unwrap(), b.unwrap())
    };
    within_timeout("the renewals", renewals).await;
    assert_eq!(format(&database).await, THIS);
    assert_eq!(living(&a.store).await, [A, B]);
}

/// The raise has the lock on the format first: the renewal waits, and then sees the new format.
#[tokio::test]
async fn a_renewal_of_an_older_node_during_a_raise_is_refused() {
    let database = Engine::Postgres.create().await;
    let a = node(&database, A, THIS).await;
    end_lease_of(&database, A).await;
    let other = schema(&database).client().await;
    let raise = format!(
        "BEGIN; SELECT FROM database_state FOR UPDATE; UPDATE database_state SET format = {}",
        NEXT.0
    );
    other.batch_execute(&raise).await.unwrap();
    let commit = async {
        wait_until_blocking(&other).await;
        other.batch_execute("COMMIT").await.unwrap();
    };
    let renewed = within_timeout("the renewal", async {
        tokio::join!(a.store.renew_lease(LONG), commit).0
    });
    let renewed = renewed.await;
    assert!(
        matches!(renewed, Err(DatabaseError::UnknownFormat)),
        "{renewed:?}"
    );
}
