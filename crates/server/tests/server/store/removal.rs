//! The removal of a room in PostgreSQL by the operator, beside servers.

use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::inspection::RoomsError;
use sticheln_server::storage::removal::{Leftovers, remove};
use sticheln_server::storage::{Store, WriteError};

use super::engine::{Engine, TestDatabase};
use super::nodes::{A, end_lease_of, two_nodes};
use super::only_postgres::schema;
use super::segments::{EXPIRED, Kind, entry};
use super::{NOW, append, listing, room};
use crate::harness::within_timeout;

/// More entries than one step deletes.
const ENTRIES: usize = 1_500;

async fn removed(database: &TestDatabase, code: &RoomCode) -> Result<Leftovers, RoomsError> {
    remove(database.folder().path(), &database.settings(), code).await
}

async fn assert_in_use(database: &TestDatabase, code: &RoomCode) {
    let error = removed(database, code).await.unwrap_err();
    assert!(matches!(&error, RoomsError::InUse(of) if of == code));
    let sentence = error.to_string();
    assert!(sentence.contains("sticheln close"), "{sentence}");
}

async fn has_room(store: &Store, code: &RoomCode) -> bool {
    store.find(code).await.unwrap().is_some()
}

#[tokio::test]
async fn the_room_of_a_living_leader_is_not_removed() {
    let (a, b, database) = two_nodes().await;
    let (code, mut claim) = room(&a.store).await;
    let entries = (1..=ENTRIES)
        .map(|rev| entry(Kind::Later, rev, 0))
        .collect();
    let mut kept = listing();
    kept.kept_until = EXPIRED;
    let appended = a.store.append(&mut claim, NOW, entries, kept).await;
    appended.unwrap();
    assert_in_use(&database, &code).await;
    let claim = append(&a.store, &claim, &["it goes on"]).await.unwrap();

    // A node that is frozen goes on later.
    end_lease_of(&database, A).await;
    let (other, _) = room(&b.store).await;
    let leftovers = removed(&database, &code).await.unwrap();
    assert_eq!(leftovers, Leftovers::Postgres);
    assert_eq!(
        append(&a.store, &claim, &["too late"]).await.unwrap_err(),
        WriteError::ClaimLost
    );
    assert!(!has_room(&b.store, &code).await && has_room(&b.store, &other).await);
    assert_eq!(database.rows(["room", "entry"]).await, [1, 1]);
    let error = removed(&database, &code).await.unwrap_err();
    assert!(matches!(error, RoomsError::NoSuchRoom(_)), "{error}");
}

#[tokio::test]
async fn a_room_without_a_leader_is_removed_beside_nodes() {
    let (a, b, database) = two_nodes().await;
    let (code, claim) = room(&a.store).await;
    a.store.release(claim).await.unwrap();
    removed(&database, &code).await.unwrap();
    assert!(!has_room(&b.store, &code).await);
    assert_eq!(database.rows(["room", "entry"]).await, [0, 0]);
}

/// A node claims the room after the command has found it without a leader.
#[tokio::test]
async fn a_room_that_is_claimed_meanwhile_is_not_removed() {
    let (a, _b, database) = two_nodes().await;
    let (code, claim) = room(&a.store).await;
    a.store.release(claim).await.unwrap();
    let mut client = schema(&database).client().await;
    let claiming = client.transaction().await.unwrap();
    let claim = "UPDATE room SET epoch = epoch + 1 WHERE code = $1 RETURNING pg_backend_pid()";
    let claimed = claiming.query_one(claim, &[&code.as_str()]).await.unwrap();
    let pid: i32 = claimed.get(0);
    let waiting =
        format!("SELECT COUNT(*) FROM pg_stat_activity WHERE {pid} = ANY(pg_blocking_pids(pid))");
    let claims = async {
        while database.number(&waiting).await == 0 {}
        claiming.commit().await.unwrap();
    };
    let removal = within_timeout("the removal", removed(&database, &code));
    let (removal, ()) = tokio::join!(removal, within_timeout("a wait for a lock", claims));
    assert!(matches!(removal, Err(RoomsError::InUse(_))), "{removal:?}");
    assert!(has_room(&a.store, &code).await);
}

#[tokio::test]
async fn no_room_is_removed_beside_a_server_that_is_alone() {
    let (store, writer, database) = Engine::Postgres.opened().await;
    let (code, _) = room(&store).await;
    assert_in_use(&database, &code).await;
    assert!(has_room(&store, &code).await);
    store.close().await;
    writer.finish().await;
    removed(&database, &code).await.unwrap();
    assert_eq!(database.rows(["room", "entry"]).await, [0, 0]);
}

#[tokio::test]
async fn a_database_without_tables_has_no_rooms() {
    let database = Engine::Postgres.create().await;
    let code = RoomCode::random().unwrap();
    let error = removed(&database, &code).await.unwrap_err();
    assert!(matches!(error, RoomsError::NoTables), "{error}");
}
