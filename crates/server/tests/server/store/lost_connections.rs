//! Connections to PostgreSQL that break after a write was sent: the outcome of an append is looked up, and a claim is sent again.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use sticheln_cluster::NodeId;
use sticheln_room::{PersonChange, PersonId};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::{Claim, SerializedEntry, Store, WriteError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::engine::{Engine, TestDatabase};
use super::nodes::{self, A, B, Node, wait_until_blocking};
use super::only_postgres::schema;
use super::{NOW, append, found, listing, rooms, serialized, wake};
use crate::common::postgres::Cluster;
use crate::harness::{wait_until, within_timeout};

/// A proxy before the database server.
struct Proxy {
    port: u16,
    drops: watch::Sender<Drops>,
    /// The number of times that all connections were cut.
    cuts: watch::Sender<usize>,
    dropped_bytes: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

/// The bytes that the proxy drops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drops {
    Nothing,
    Requests,
    Answers,
}

impl Proxy {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (drops, dropping) = watch::channel(Drops::Nothing);
        let (cuts, cutting) = watch::channel(0);
        let dropped_bytes = Arc::<AtomicUsize>::default();
        let dropped = dropped_bytes.clone();
        let accepting = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let mut cutting = cutting.clone();
                cutting.mark_unchanged();
                tokio::spawn(forward(client, dropping.clone(), cutting, dropped.clone()));
            }
        });
        Self {
            port,
            drops,
            cuts,
            dropped_bytes,
            accepting,
        }
    }

    /// The address of a schema behind the proxy.
    fn url(&self, database: &TestDatabase) -> String {
        let server = format!(":{}/", Cluster::shared().port);
        schema(database)
            .url()
            .replace(&server, &format!(":{}/", self.port))
    }

    fn drop(&self, drops: Drops) {
        self.dropped_bytes.store(0, Ordering::Relaxed);
        self.drops.send_replace(drops);
    }

    /// Waits until bytes were dropped.
    async fn has_dropped(&self) {
        wait_until("the proxy to drop bytes", || {
            self.dropped_bytes.load(Ordering::Relaxed) > 0
        })
        .await;
    }

    /// Cuts all connections. Later ones work.
    fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
        self.drops.send_replace(Drops::Nothing);
    }
}

async fn forward(
    mut client: TcpStream,
    drops: watch::Receiver<Drops>,
    mut cuts: watch::Receiver<usize>,
    dropped_bytes: Arc<AtomicUsize>,
) {
    let port = Cluster::shared().port;
    let mut server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let (mut request, mut answer) = ([0; 4096], [0; 4096]);
    loop {
        let (bytes, receiver, dropped) = tokio::select! {
            biased;
            _ = cuts.changed() => return,
            read = client.read(&mut request) => {
                (&request[..read.unwrap_or(0)], &mut server, Drops::Requests)
            }
            read = server.read(&mut answer) => {
                (&answer[..read.unwrap_or(0)], &mut client, Drops::Answers)
            }
        };
        if bytes.is_empty() {
            return;
        }
        if *drops.borrow() == dropped {
            dropped_bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        } else if receiver.write_all(bytes).await.is_err() {
            return;
        }
    }
}

/// A store behind a proxy, with two rooms. Its connection has prepared the statement for appends.
struct Behind {
    proxy: Proxy,
    database: TestDatabase,
    store: Store,
    rooms: Vec<(RoomCode, Claim)>,
    _node: Box<dyn std::any::Any>,
}

impl Behind {
    async fn new(node: Option<NodeId>) -> Self {
        let (proxy, database) = (Proxy::start().await, Engine::Postgres.create().await);
        let Node {
            store,
            writer,
            folder,
        } = nodes::try_open(&proxy.url(&database), node).await.unwrap();
        let mut rooms = rooms(&store, 2).await;
        for (_, claim) in &mut rooms {
            *claim = append(&store, claim, &["one"]).await.unwrap();
        }
        Self {
            proxy,
            database,
            store,
            rooms,
            _node: Box::new((writer, folder)),
        }
    }

    /// Appends to both rooms in one group, of which these bytes are dropped, and cuts the connections after `meanwhile`.
    async fn append_and_cut(
        &self,
        drops: Drops,
        meanwhile: impl Future<Output = ()>,
    ) -> Vec<Result<Claim, WriteError>> {
        let appends = self
            .rooms
            .iter()
            .map(|(_, claim)| append(&self.store, claim, &["two", "three"]));
        self.write_and_cut(drops, appends, meanwhile).await
    }

    /// Claims both rooms in one group, in the same way.
    async fn claim_and_cut(
        &self,
        drops: Drops,
        meanwhile: impl Future<Output = ()>,
    ) -> Vec<Result<Claim, WriteError>> {
        let mut rows = Vec::new();
        for (code, _) in &self.rooms {
            // The connection has prepared the statement for claims then.
            wake(&self.store, code).await;
            rows.push(found(&self.store, code).await);
        }
        let claims = rows.into_iter().map(|row| self.store.claim(row));
        self.write_and_cut(drops, claims, meanwhile).await
    }

    async fn write_and_cut<T>(
        &self,
        drops: Drops,
        writes: impl Iterator<Item = impl Future<Output = T>>,
        meanwhile: impl Future<Output = ()>,
    ) -> Vec<T> {
        self.proxy.drop(drops);
        let cut = async {
            self.proxy.has_dropped().await;
            meanwhile.await;
            self.proxy.cut();
        };
        within_timeout("the group", async { tokio::join!(join_all(writes), cut).0 }).await
    }

    /// Appends to both rooms, and compares their entries.
    async fn goes_on(&self, claims: Vec<Result<Claim, WriteError>>) {
        for ((code, _), claim) in self.rooms.iter().zip(claims) {
            let claim = claim.unwrap();
            assert!(claim.is_at(3));
            append(&self.store, &claim, &["four"]).await.unwrap();
            let entries = wake(&self.store, code).await.1;
            assert_eq!(entries, ["first", "one", "two", "three", "four"]);
        }
        assert_eq!(self.store.metrics().failures.get(), 1);
        assert_eq!(self.store.check().await, None);
    }
}

#[tokio::test]
async fn committed_appends_are_confirmed_although_the_answer_was_lost() {
    for node in [None, Some(A)] {
        let behind = Behind::new(node).await;
        let answers = behind.append_and_cut(Drops::Answers, async {}).await;
        behind.goes_on(answers).await;
    }
}

#[tokio::test]
async fn appends_that_were_lost_are_sent_again() {
    for node in [None, Some(A)] {
        let behind = Behind::new(node).await;
        let answers = behind.append_and_cut(Drops::Requests, async {}).await;
        behind.goes_on(answers).await;
    }
}

/// The other room of the group goes on.
#[tokio::test]
async fn a_room_that_another_node_claims_meanwhile_is_lost() {
    let behind = Behind::new(Some(A)).await;
    let other = nodes::open(&schema(&behind.database).url(), B).await.store;
    let code = &behind.rooms[0].0;
    let claim = async {
        let claim = other.claim(found(&other, code).await).await.unwrap();
        // Its log ends as that of the append would.
        append(&other, &claim, &["two", "three"]).await.unwrap();
    };
    let answers = behind.append_and_cut(Drops::Requests, claim).await;
    assert_eq!(answers[0].as_ref().err(), Some(&WriteError::ClaimLost));
    assert!(answers[1].as_ref().unwrap().is_at(3));
}

/// The log has other entries under the same claim: they are not taken for those of the append.
#[tokio::test]
async fn entries_with_another_text_confirm_no_append() {
    let behind = Behind::new(Some(A)).await;
    let ghost = "INSERT INTO entry (room_id, rev, body, begins_round) \
                 SELECT id, head + number, 'ghost', FALSE FROM room, generate_series(1, 2) AS number; \
                 UPDATE room SET head = head + 2";
    let meanwhile = behind.database.execute(ghost);
    let answers = behind.append_and_cut(Drops::Requests, meanwhile).await;
    for answer in answers {
        assert_eq!(answer.err(), Some(WriteError::ClaimLost));
    }
}

/// Whether the server has made the claims or not, they are made once.
#[tokio::test]
async fn claims_are_sent_again_and_made_once() {
    for drops in [Drops::Answers, Drops::Requests] {
        let behind = Behind::new(Some(A)).await;
        let claims = behind.claim_and_cut(drops, async {}).await;
        for ((code, old), claim) in behind.rooms.iter().zip(claims) {
            let claim = claim.unwrap();
            assert_eq!(claim.epoch(), old.epoch() + 2);
            assert!(claim.is_at(1));
            append(&behind.store, &claim, &["two"]).await.unwrap();
            let entries = wake(&behind.store, code).await.1;
            assert_eq!(entries, ["first", "one", "two"]);
        }
        assert_eq!(behind.store.metrics().failures.get(), 1);
        assert_eq!(behind.store.check().await, None);
    }
}

/// In one case after the lost claim was made, and in the other one instead of it. The neighbour is not affected.
#[tokio::test]
async fn a_claim_is_not_sent_again_after_that_of_another_node() {
    for drops in [Drops::Answers, Drops::Requests] {
        let behind = Behind::new(Some(A)).await;
        let other = nodes::open(&schema(&behind.database).url(), B).await.store;
        let code = &behind.rooms[0].0;
        let claimed = std::cell::OnceCell::new();
        let meanwhile = async {
            let claim = other.claim(found(&other, code).await).await.unwrap();
            assert!(claimed.set(claim).is_ok());
        };
        let claims = behind.claim_and_cut(drops, meanwhile).await;
        assert_eq!(claims[0].as_ref().err(), Some(&WriteError::ClaimLost));
        assert!(claims[1].is_ok());
        append(&other, claimed.get().unwrap(), &["two"])
            .await
            .unwrap();
    }
}

/// The database cannot be reached any more.
#[tokio::test]
async fn appends_without_an_outcome_fail() {
    let behind = Behind::new(Some(A)).await;
    let stop = async { behind.proxy.accepting.abort() };
    let answers = behind.append_and_cut(Drops::Answers, stop).await;
    for answer in answers {
        assert_eq!(answer.err(), Some(WriteError::Failed));
    }
    let entries = behind.database.entries().await;
    assert_eq!(entries, 8, "they are on disk nevertheless");
}

/// It is not tried again and again.
#[tokio::test]
async fn an_append_that_ends_its_connection_each_time_fails() {
    let behind = Behind::new(Some(A)).await;
    let end = "CREATE SEQUENCE attempts; CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS \
               $$ BEGIN PERFORM nextval('attempts'), pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$; \
               CREATE TRIGGER end_session BEFORE INSERT ON entry FOR EACH ROW WHEN (NEW.body = 'broken') \
               EXECUTE FUNCTION end_session()";
    behind.database.execute(end).await;
    let (code, claim) = &behind.rooms[0];
    let broken = append(&behind.store, claim, &["broken"]).await;
    assert_eq!(broken.err(), Some(WriteError::Failed));
    let attempts = "SELECT last_value FROM attempts";
    assert_eq!(behind.database.number(attempts).await, 3);
    append(&behind.store, claim, &["two"]).await.unwrap();
    let entries = wake(&behind.store, code).await.1;
    assert_eq!(entries, ["first", "one", "two"]);
}

/// The second statement of a transaction never arrives, as from a node that is frozen. The first one has locked the row of the room.
#[tokio::test]
async fn a_node_that_is_frozen_within_a_transaction_blocks_no_claim() {
    let behind = Behind::new(Some(A)).await;
    let other = nodes::open(&schema(&behind.database).url(), B).await.store;
    let lock = schema(&behind.database).client().await;
    let sql = "BEGIN; LOCK TABLE entry IN SHARE MODE";
    lock.batch_execute(sql).await.unwrap();
    let (code, claim) = &behind.rooms[0];
    let mut claim = claim.clone();
    let entry = SerializedEntry {
        persons: vec![PersonChange::Left(PersonId(1))],
        game: None,
        ..serialized("two")
    };
    let mut appended = pin!(behind.store.append(&mut claim, NOW, vec![entry], listing()));
    assert!(futures_util::poll!(&mut appended).is_pending());
    wait_until_blocking(&lock).await;
    behind.proxy.drop(Drops::Requests);
    lock.batch_execute("COMMIT").await.unwrap();
    behind.proxy.has_dropped().await;
    behind.proxy.drop(Drops::Nothing);

    let frozen_at = Instant::now();
    while let Err(error) = other.claim(found(&other, code).await).await {
        assert_eq!(error, WriteError::Failed);
    }
    let frozen = frozen_at.elapsed();
    assert!(frozen < Duration::from_secs(8), "{frozen:?}");
}
