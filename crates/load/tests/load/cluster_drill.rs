//! `load cluster` breaks three nodes, PostgreSQL and NATS once in each way, and every promise is kept.

use sticheln_load::Program;
use sticheln_load::cluster_drill::{ClusterDrillSettings, Fault, run};

use crate::compare::built;

/// The settings of a drill with each of these faults once.
fn settings(faults: &[Fault]) -> ClusterDrillSettings {
    ClusterDrillSettings {
        faults: faults.to_vec(),
        times: 1,
        nodes: 3,
        rooms: 3,
        seats: 4,
        rounds: 2,
        max_pause_ms: 100,
        stall_seconds: 60,
        gone_seconds: 5,
        seed: None,
    }
}

fn program(server: &str) -> Program {
    Program {
        server: built(server),
        script: None,
        folder: None,
        server_args: Vec::new(),
    }
}

#[tokio::test]
async fn no_fault_of_a_cluster_breaks_a_promise() {
    let settings = settings(&[]);
    let summary = run(&program("sticheln"), &settings).await.unwrap();
    println!("{summary}");
    for fault in settings.faults() {
        assert_eq!(summary.times(fault), 1, "{fault}");
    }
    // Other nodes go on with the rooms of a node that is killed, frozen or asked to end. One of these rooms may be over.
    let faults = [Fault::Kill, Fault::Freeze, Fault::Drain].into_iter();
    assert!(faults.map(|fault| summary.takeovers(fault)).sum::<u64>() > 0);
    assert!(summary.actions() > 0);
}
