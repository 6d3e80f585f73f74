//! What only the engine for PostgreSQL has: the lock of the server, connections that break, refused databases, and TLS.

use std::process::Command;

use sticheln_room::Timestamp;
use sticheln_server::storage::postgres::DatabaseSettings;
use sticheln_server::storage::{Store, WriteError};

use super::engine::{Engine, TestDatabase, settings};
use super::sweep::sweep;
use super::{append, room, rooms};
use crate::common::certificates::certificates;
use crate::common::folder::Folder;
use crate::common::postgres::{Cluster, PASSWORD, Schema, connect};
use crate::harness::within_timeout;

/// A time at which all rooms have expired.
pub const LATER: Timestamp = Timestamp(60 * 60 * 1_000);

/// The sentence with which a server refuses a database.
async fn refused(settings: &DatabaseSettings) -> String {
    let folder = Folder::new();
    match Store::open_with(folder.path(), settings, None).await {
        Err(error) => {
            let sentence = error.to_string();
            assert!(
                sentence.ends_with('.') && !sentence.contains('\n'),
                "{sentence}"
            );
            assert!(!sentence.contains(PASSWORD), "{sentence}");
            sentence
        }
        Ok(_) => panic!("opened"),
    }
}

pub fn schema(database: &TestDatabase) -> &Schema {
    match database {
        TestDatabase::Postgres { schema, .. } => schema,
        TestDatabase::Sqlite(_) => panic!("SQLite"),
    }
}

/// Ends the connection of the writer, as a failure of the network does.
async fn end_session_of_writer(database: &TestDatabase) {
    let end = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = \
               (SELECT oid FROM pg_namespace WHERE nspname = current_schema())";
    assert_eq!(database.rows_of(end).await, [[Some("t".to_owned())]]);
}

#[tokio::test]
async fn a_database_is_used_by_one_server() {
    let (store, writer, database) = Engine::Postgres.opened().await;
    let settings = settings(&schema(&database).url());
    let sentence = refused(&settings).await;
    assert!(sentence.contains("Another server"), "{sentence}");
    writer.finish().await;
    drop(store);
    let folder = Folder::new();
    Store::open_with(folder.path(), &settings, None)
        .await
        .unwrap();
}

#[tokio::test]
async fn databases_of_other_programs_and_versions_are_refused() {
    for (sql, words) in [
        ("CREATE TABLE customer (id INT)", "another program"),
        (
            "CREATE TABLE database_state (id INT); CREATE TABLE migration (version INT)",
            "another version",
        ),
    ] {
        let schema = Schema::create().await;
        let client = schema.client().await;
        client.batch_execute(sql).await.unwrap();
        let sentence = refused(&settings(&schema.url())).await;
        assert!(sentence.contains(words), "{sentence}");
    }
    for sql in [
        "UPDATE migration SET sql = sql || ' '",
        "UPDATE database_state SET format = format + 1",
        "UPDATE database_state SET format = format - 1",
    ] {
        let (_store, writer, database) = Engine::Postgres.opened().await;
        writer.finish().await;
        database.execute(sql).await;
        let sentence = refused(&settings(&schema(&database).url())).await;
        assert!(sentence.contains("another version"), "{sentence}");
    }
}

/// A start that was interrupted before the migration, and one after it, are completed.
#[tokio::test]
async fn an_interrupted_first_start_of_postgres_is_completed() {
    let (_store, writer, database) = Engine::Postgres.opened().await;
    writer.finish().await;
    database.execute("DELETE FROM database_state").await;
    let (store, _writer) = database.open().await.unwrap();
    room(&store).await;
}

/// Another claim of the same epoch, as after a restored backup, is told apart by its random id.
#[tokio::test]
async fn a_claim_of_the_same_epoch_is_fenced_by_its_id() {
    let (store, _writer, database) = Engine::Postgres.opened().await;
    let (code, claim) = room(&store).await;
    database
        .execute("UPDATE room SET claim_id = claim_id + 1")
        .await;
    let late = append(&store, &claim, &["late"]).await;
    assert_eq!(late.err(), Some(WriteError::ClaimLost));
    assert!(
        store
            .last_segment(&claim)
            .await
            .is_err_and(|error| !error.is_corruption())
    );
    assert_eq!(database.bodies(code.as_str()).await, ["first"]);
}

/// A broken connection is opened again. Writes wait for that.
#[tokio::test]
async fn the_writer_connects_again() {
    let (store, _writer, database) = Engine::Postgres.opened().await;
    let (code, mut claim) = room(&store).await;
    for body in ["one", "two", "three"] {
        end_session_of_writer(&database).await;
        claim = append(&store, &claim, &[body]).await.unwrap();
    }
    let entries = ["first", "one", "two", "three"];
    assert_eq!(database.bodies(code.as_str()).await, entries);
    assert_eq!(store.check().await, None);
}

/// A room that cannot be deleted, and one that cannot be archived, do not stop the others.
#[tokio::test]
async fn a_room_that_fails_does_not_stop_the_sweep_of_postgres() {
    let (store, _writer, database) = Engine::Postgres.opened().await;
    let rooms = rooms(&store, 30).await;
    database
        .refuse("undeletable", "DELETE", "OLD.id % 10 = 1")
        .await;
    drop(rooms);
    assert_eq!(sweep(&store, LATER).await.0, 27);
    assert_eq!(store.metrics().sweep_failures.get(), 3);
    database.execute("DROP TRIGGER undeletable ON room").await;
    assert_eq!(sweep(&store, LATER).await.0, 3);
    assert_eq!(database.rows(["room", "entry"]).await, [0, 0]);
}

/// A lock of another program on one room does not stop the others of its group for long, nor is its write lost silently.
#[tokio::test]
async fn a_locked_room_does_not_stop_its_group() {
    let (store, _writer, database) = Engine::Postgres.opened().await;
    let rooms = rooms(&store, 3).await;
    let lock = schema(&database).client().await;
    let code = rooms[1].0.as_str();
    let select = format!("BEGIN; SELECT * FROM room WHERE code = '{code}' FOR UPDATE");
    lock.batch_execute(&select).await.unwrap();
    let appended = rooms
        .iter()
        .map(|(_, claim)| append(&store, claim, &["one"]));
    let appended = within_timeout("the group", futures_util::future::join_all(appended)).await;
    let answers: Vec<_> = appended
        .iter()
        .map(|answer| answer.as_ref().err())
        .collect();
    assert_eq!(answers, [None, Some(&WriteError::Failed), None]);
    lock.batch_execute("ROLLBACK").await.unwrap();
    append(&store, &rooms[1].1, &["one"]).await.unwrap();
}

/// The server of this test has settings of its own, so no other test uses it.
#[tokio::test]
async fn tls_is_verified_and_commits_are_synced() {
    let folder = Folder::create();
    certificates(folder.path());
    let cluster = Cluster::start("postgres-tls", &[]);
    let client = connect(&cluster.url()).await.unwrap();
    let data = cluster.folder.join("data");
    for end in ["key", "pem"] {
        let to = data.join(format!("server.{end}"));
        std::fs::copy(folder.path().join(format!("server.{end}")), &to).unwrap();
        let mut own = Command::new("chown");
        own.arg("--reference").arg(&data).arg(&to);
        assert!(own.status().unwrap().success());
        let mut mode = Command::new("chmod");
        assert!(mode.arg("600").arg(&to).status().unwrap().success());
    }
    let configure = async |setting: &str| {
        client
            .batch_execute(&format!("ALTER SYSTEM SET {setting}"))
            .await
            .unwrap();
        client
            .batch_execute("SELECT pg_reload_conf()")
            .await
            .unwrap();
    };
    for setting in [
        "ssl_cert_file = 'server.pem'",
        "ssl_key_file = 'server.key'",
        "ssl = on",
    ] {
        configure(setting).await;
    }
    let with_ca = |name: &str| DatabaseSettings {
        ca_file: Some(folder.path().join(format!("{name}.pem"))),
        ..settings(&format!("{}?sslmode=require", cluster.url()))
    };
    // The server reads its settings a moment after the signal.
    let (store, writer) = within_timeout("TLS", async {
        loop {
            let data = Folder::new();
            if let Ok(opened) = Store::open_with(data.path(), &with_ca("root"), None).await {
                break opened;
            }
        }
    })
    .await;
    room(&store).await;
    let encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                     WHERE application_name LIKE 'sticheln-%'";
    let encrypted = client.query_one(encrypted, &[]).await.unwrap();
    assert_eq!(encrypted.get::<_, Option<bool>>(0), Some(true));
    let sentence = refused(&with_ca("other")).await;
    assert!(sentence.contains("certificate"), "{sentence}");
    let wrong = cluster.url().replace(PASSWORD, "wrong");
    let sentence = refused(&settings(&wrong)).await;
    assert!(sentence.contains("password"), "{sentence}");
    let file = folder.path().join("password");
    std::fs::write(&file, format!("{PASSWORD}\n")).unwrap();
    writer.finish().await;
    let with_file = DatabaseSettings {
        password_file: Some(file),
        ..settings(&wrong)
    };
    let data = Folder::new();
    let (_store, writer) = Store::open_with(data.path(), &with_file, None)
        .await
        .unwrap();
    writer.finish().await;

    configure("fsync = off").await;
    within_timeout("a refusal", async {
        loop {
            let data = Folder::new();
            match Store::open_with(data.path(), &settings(&cluster.url()), None).await {
                Err(error) => {
                    assert!(error.to_string().contains("to sync each commit"), "{error}");
                    break;
                }
                Ok((_store, writer)) => writer.finish().await,
            }
        }
    })
    .await;
}
