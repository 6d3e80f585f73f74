//! The drill passes where promises are kept, and fails where they are not.

use sticheln_load::Failure;
use sticheln_load::drill::{Settings, Summary, run};

use crate::pretended::{Fault, Pretended};

async fn drill(fault: Fault, kills: u32) -> Result<Summary, Failure> {
    let settings = Settings {
        kills,
        tables: 3,
        seats: 3,
        rounds: 2,
        think: 5,
        patience: 10,
        seed: Some(7),
    };
    let mut server = Pretended::new(fault).await;
    run(&mut server, &settings).await
}

/// What the drill says of a server with this fault.
async fn broken(fault: Fault) -> String {
    match drill(fault, 50).await {
        Err(Failure::Broken(what)) => what,
        Err(Failure::Trouble(what)) => panic!("the drill could not be done: {what}"),
        Ok(summary) => panic!("the fault was not found:\n{summary}"),
    }
}

#[tokio::test]
async fn a_server_that_keeps_its_promises_passes() {
    let summary = drill(Fault::None, 4).await.unwrap();
    assert!(summary.tables() > 0);
    // Three seats make five actions in each of two rounds.
    assert_eq!(summary.actions() as u64, summary.tables() * 30);
    assert!(summary.to_string().contains("Seed 7"));
}

#[tokio::test]
async fn a_server_that_loses_its_newest_entry_fails() {
    let what = broken(Fault::LosesNewest).await;
    // What is missed first is a matter of chance; that it is missed at once is not.
    assert!(!what.contains("stands still"), "{what}");
    assert!(what.contains("The seed was 7"), "{what}");
}

#[tokio::test]
async fn a_server_that_loses_a_table_fails() {
    let what = broken(Fault::LosesTables).await;
    assert!(what.contains("was opened and is gone"), "{what}");
}

#[tokio::test]
async fn a_server_that_does_the_same_twice_fails() {
    let what = broken(Fault::Repeats).await;
    assert!(what.contains("was refused as not_legal"), "{what}");
}

#[tokio::test]
async fn a_server_that_deals_anew_fails() {
    let what = broken(Fault::DealsAnew).await;
    assert!(!what.contains("stands still"), "{what}");
}
