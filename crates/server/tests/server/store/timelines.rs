//! A standby of PostgreSQL takes over: a new timeline begins.

use sticheln_server::storage::WriteError;

use super::nodes::{A, open};
use super::{append, found, room};
use crate::failover::Databases;
use crate::harness::within_timeout;

/// The lost transactions can have had a later claim, so a claim is valid on its timeline only.
#[tokio::test]
async fn a_claim_of_an_earlier_timeline_appends_nothing() {
    let mut databases = Databases::start("timelines").await;
    let node = open(&databases.url, A).await;
    let store = &node.store;
    let timeline = store.timeline().unwrap();
    let (code, claim) = room(store).await;
    assert_eq!((claim.number().timeline(), *timeline.borrow()), (1, 1));
    let claim = append(store, &claim, &["kept"]).await.unwrap();
    let standby = databases.standby();
    databases.fail_over(&standby).await;
    // The database has this claim as the newest one, with the same end of the log.
    let refused = append(store, &claim, &["of an earlier leader"]).await;
    assert_eq!(refused.err(), Some(WriteError::ClaimLost));
    assert_eq!(*timeline.borrow(), 2);

    let again = within_timeout("a claim", store.claim(found(store, &code).await));
    let again = again.await.unwrap();
    assert_eq!(again.number().timeline(), 2);
    assert!(again.number() > claim.number());
    assert!(again.number().get() > claim.number().get());
    let again = append(store, &again, &["of the next one"]).await.unwrap();
    let segment = store.last_segment(&again).await.unwrap();
    assert_eq!(segment.entries, ["first", "kept", "of the next one"]);
}
