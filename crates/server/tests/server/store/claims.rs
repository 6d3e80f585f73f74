//! Claims of many rooms at the same time, as after the loss of a node.

use futures_util::future::{join, join_all};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::{Claim, FoundRoom, Store, WriteError};

use super::engine::{Engine, TestDatabase, on_both_engines};
use super::nodes::{two_nodes, wait_until_blocking};
use super::only_postgres::schema;
use super::{append, found, rooms};
use crate::harness::within_timeout;

/// The rows of rooms that are to be claimed.
async fn all_found(store: &Store, rooms: &[(RoomCode, Claim)]) -> Vec<FoundRoom> {
    let mut rows = Vec::new();
    for (code, _) in rooms {
        rows.push(found(store, code).await);
    }
    rows
}

/// Claims all of these rooms at once.
async fn claim_all(
    store: &Store,
    rows: impl IntoIterator<Item = &FoundRoom>,
) -> Vec<Result<Claim, WriteError>> {
    let claims = rows.into_iter().map(|row| store.claim(row.clone()));
    within_timeout("the claims", join_all(claims)).await
}

/// The transactions of PostgreSQL that have written the rows of these rooms, the earliest first. Each row has the number of its last one.
async fn transactions(
    database: &TestDatabase,
    rooms: impl IntoIterator<Item = &(RoomCode, Claim)>,
) -> Vec<u64> {
    let codes = rooms.into_iter().map(|(code, _)| format!("'{code}'"));
    let codes: Vec<_> = codes.collect();
    let select = format!(
        "SELECT DISTINCT xmin::text::bigint AS number FROM room WHERE code IN ({}) ORDER BY number",
        codes.join(", ")
    );
    let rows = database.rows_of(&select).await.into_iter();
    rows.map(|row| row[0].as_ref().unwrap().parse().unwrap())
        .collect()
}

/// Among claims of 40 rooms are stale ones, some of deleted rooms, and a second one of the same room. The others are not affected.
async fn claims_of_many_rooms_have_their_own_answers(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let rooms = rooms(&store, 40).await;
    let mut rows = all_found(&store, &rooms).await;
    let mut newer = Vec::new();
    for (number, (code, claim)) in rooms.iter().enumerate() {
        match number % 4 {
            0 => newer.push(store.claim(rows[number].clone()).await.unwrap()),
            1 => assert!(store.delete_room(code.clone()).await.unwrap()),
            // The end of the log counts at the claim, not at the lookup.
            2 => drop(append(&store, claim, &["one"]).await.unwrap()),
            _ => {}
        }
    }
    rows.push(rows[3].clone());
    let mut claims = claim_all(&store, &rows).await;
    assert_eq!(
        claims.pop().unwrap().err(),
        Some(WriteError::ClaimLost),
        "the second claim of a room"
    );
    for (number, ((_, old), claim)) in rooms.iter().zip(claims).enumerate() {
        if number % 4 < 2 {
            assert_eq!(claim.err(), Some(WriteError::ClaimLost), "{number}");
            continue;
        }
        let claim = claim.unwrap();
        assert_eq!(claim.epoch(), old.epoch() + 1);
        assert!(claim.is_at(u64::from(number % 4 == 2)), "{number}");
        append(&store, &claim, &["two"]).await.unwrap();
        let late = append(&store, old, &["late"]).await;
        assert_eq!(late.err(), Some(WriteError::ClaimLost));
    }
    for claim in &newer {
        append(&store, claim, &["two"]).await.unwrap();
    }
    assert_eq!(store.metrics().failures.get(), 0);
    drop(database);
}

on_both_engines!(claims_of_many_rooms_have_their_own_answers);

#[tokio::test]
async fn the_claims_of_a_group_are_one_transaction() {
    let (store, _writer, database) = Engine::Postgres.opened().await;
    let rooms = rooms(&store, 60).await;
    let rows = all_found(&store, &rooms).await;
    assert_eq!(transactions(&database, &rooms).await.len(), 60);
    store.claim(rows[7].clone()).await.unwrap();
    let claims = claim_all(&store, &rows).await;
    assert_eq!(claims.iter().filter(|claim| claim.is_ok()).count(), 59);
    let claimed = rooms[..7].iter().chain(&rooms[8..]);
    assert_eq!(transactions(&database, claimed).await.len(), 1);
}

/// Makes the database refuse to write the row of a room, with this code of an error.
async fn refuse(database: &TestDatabase, code: &RoomCode, error: &str) {
    let name = format!("refuse_{error}");
    let sql = format!(
        "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE 'it cannot be written' USING ERRCODE = '{error}'; END $$; \
         CREATE TRIGGER {name} BEFORE UPDATE ON room FOR EACH ROW WHEN (NEW.code = '{code}') \
         EXECUTE FUNCTION {name}()"
    );
    database.execute(&sql).await;
}

/// They fail the statement of all claims. The others are made without them, after the appends of the group.
#[tokio::test]
async fn rooms_that_cannot_be_claimed_stop_neither_other_claims_nor_appends() {
    let (store, _writer, database) = Engine::Postgres.opened().await;
    let rooms = rooms(&store, 20).await;
    let rows = all_found(&store, &rooms[1..]).await;
    refuse(&database, &rooms[5].0, "XX001").await;
    refuse(&database, &rooms[12].0, "P0001").await;
    let appended = append(&store, &rooms[0].1, &["one"]);
    let (claims, appended) = join(claim_all(&store, &rows), appended).await;
    appended.unwrap();
    let mut claimed = Vec::new();
    for (room, claim) in rooms[1..].iter().zip(claims) {
        let expected = match &room.0 {
            code if *code == rooms[5].0 => Some(WriteError::Corrupt),
            code if *code == rooms[12].0 => Some(WriteError::Failed),
            _ => None,
        };
        if expected.is_none() {
            claimed.push(room);
        }
        assert_eq!(claim.err(), expected);
    }
    assert_eq!(
        store.metrics().failures.get(),
        1,
        "corrupt rows do not count"
    );
    let of_append = transactions(&database, &rooms[..1]).await[0];
    let of_claims = transactions(&database, claimed).await;
    assert!(of_append < of_claims[0], "{of_append} {of_claims:?}");
}

/// Two nodes that claim the same rooms lock them in the same order. Otherwise each would wait for a room that the other one has locked.
#[tokio::test]
async fn nodes_that_claim_the_same_rooms_lock_them_in_the_same_order() {
    let (a, b, database) = two_nodes().await;
    let rooms = rooms(&a.store, 5).await;
    let rows = all_found(&a.store, &rooms).await;
    let lock = schema(&database).client().await;
    let select = format!(
        "BEGIN; SELECT 1 FROM room WHERE code = '{}' FOR UPDATE",
        rooms[2].0
    );
    lock.batch_execute(&select).await.unwrap();
    let both = async {
        let of_a = claim_all(&a.store, &rows);
        let of_b = async {
            wait_until_blocking(&lock).await;
            claim_all(&b.store, rows.iter().rev()).await
        };
        join(of_a, of_b).await
    };
    let unlocked = async {
        let waits = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity AS first JOIN pg_stat_activity AS second \
                     ON first.pid = ANY(pg_blocking_pids(second.pid)) WHERE pg_backend_pid() = ANY(pg_blocking_pids(first.pid)))";
        while !lock.query_one(waits, &[]).await.unwrap().get::<_, bool>(0) {}
        let free = "SELECT id FROM room ORDER BY id FOR UPDATE SKIP LOCKED";
        let free = database.rows_of(free).await.len();
        lock.batch_execute("COMMIT").await.unwrap();
        free
    };
    let ((of_a, of_b), free) = within_timeout("the claims", join(both, unlocked)).await;
    assert_eq!(free, 2, "those after the room that is locked");
    assert!(of_a.iter().all(Result::is_ok));
    for claim in of_b {
        assert_eq!(claim.err(), Some(WriteError::ClaimLost));
    }
}
