//! The drill passes a server that keeps its promises, and fails one that breaks a promise.

use sticheln_load::Failure;
use sticheln_load::crash_drill::{CrashDrillSettings, Summary, run_with};

use crate::fake_server::{FakeServer, Fault};

async fn drill(fault: Fault, kills: u32) -> Result<Summary, Failure> {
    let settings = CrashDrillSettings {
        kills,
        rooms: 3,
        seats: 3,
        rounds: 2,
        max_pause_ms: 5,
        stall_seconds: 10,
        seed: Some(7),
    };
    let mut server = FakeServer::new(fault).await;
    run_with(&mut server, &settings).await
}

/// The violation that the drill finds in a server with this fault.
async fn violation(fault: Fault) -> String {
    match drill(fault, 50).await {
        Err(Failure::Violation(what)) => what,
        Err(Failure::Aborted(what)) => panic!("the drill was not carried out: {what}"),
        Ok(summary) => panic!("the fault was not found:\n{summary}"),
    }
}

#[tokio::test]
async fn a_server_that_keeps_its_promises_passes() {
    let summary = drill(Fault::None, 4).await.unwrap();
    assert!(summary.rooms() > 0);
    // Three seats make five actions in each of two rounds.
    assert_eq!(summary.actions() as u64, summary.rooms() * 30);
    assert!(summary.to_string().contains("Seed 7"));
}

#[tokio::test]
async fn a_server_that_loses_its_newest_entry_fails() {
    let what = violation(Fault::LosesNewest).await;
    // Chance decides which violation is found first, but one is found at once.
    assert!(!what.contains("makes no progress"), "{what}");
    assert!(what.contains("The seed was 7"), "{what}");
}

#[tokio::test]
async fn a_server_that_loses_a_room_fails() {
    let what = violation(Fault::LosesRooms).await;
    assert!(what.contains("was opened and is gone"), "{what}");
}

#[tokio::test]
async fn a_server_that_applies_a_command_twice_fails() {
    let what = violation(Fault::RepeatsCommands).await;
    assert!(what.contains("was refused as not_legal"), "{what}");
}

#[tokio::test]
async fn a_server_that_changes_cards_in_a_restart_fails() {
    let what = violation(Fault::ChangesCards).await;
    assert!(!what.contains("makes no progress"), "{what}");
}
