//! The simulation against queues with known answers.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::simulation::{Simulation, Station, exponential};
use super::*;

fn settings() -> ModelSettings {
    ModelSettings {
        nodes: vec![1, 8],
        shards: vec![1, 4],
        cores: Cores {
            node_cores: 2,
            bus_cores: 16,
            shard_cores: 2,
        },
        costs: Costs {
            local_move: 200.0,
            remote_move: 400.0,
            bus_move: 50.0,
            commit: 150.0,
            append: 80.0,
            sync: 500.0,
            network: 100.0,
        },
        moves: 10_000,
        seed: 7,
    }
}

fn simulated(settings: &ModelSettings, nodes: usize, shards: usize, rate: f64) -> Outcome {
    Simulation::new(settings, Size { nodes, shards }, rate).run()
}

#[test]
fn a_station_with_one_core_is_the_queue_m_m_1() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for used in [0.3, 0.5, 0.8] {
        let mut station = Station::new(1);
        let (mut now, mut sum) = (0.0, 0.0);
        let count = 400_000;
        for _ in 0..count {
            now += exponential(&mut rng, 1.0 / used);
            sum += station.serve(now, exponential(&mut rng, 1.0)) - now;
        }
        // The mean time in the system is 1 / (mu - lambda).
        let (mean, expected) = (sum / f64::from(count), 1.0 / (1.0 - used));
        assert!(
            (mean / expected - 1.0).abs() < 0.05,
            "{used}: {mean}, {expected}"
        );
    }
}

#[test]
fn a_station_with_two_cores_waits_only_if_both_are_busy() {
    let mut station = Station::new(2);
    assert_eq!(station.serve(0.0, 10.0), 10.0);
    assert_eq!(station.serve(1.0, 3.0), 4.0);
    assert_eq!(station.serve(2.0, 1.0), 5.0);
    assert_eq!(station.serve(20.0, 1.0), 21.0);
}

#[test]
fn a_move_alone_takes_the_sum_of_its_steps() {
    let settings = settings();
    // One node: the leader, the network there and back, the statement, and the sync. The median of a sum of three exponential
    // times is below its mean.
    let outcome = simulated(&settings, 1, 1, 1.0);
    let mean = 200.0 + 2.0 * 100.0 + 230.0 + 500.0;
    assert!((0.7 * mean..mean).contains(&outcome.p50), "{outcome:?}");
    assert_eq!(outcome.group, 1.0);
    assert!(outcome.used.iter().all(|used| *used < 0.02), "{outcome:?}");
    assert_eq!(outcome.used[1], 0.0, "one node needs no NATS");
    // With many nodes nearly all moves cross: four more hops.
    let remote = simulated(&settings, 1000, 1, 1.0);
    assert!(remote.p50 > outcome.p50 + 4.0 * 100.0, "{remote:?}");
}

#[test]
fn the_use_of_a_resource_is_rate_times_cost_divided_by_cores() {
    let outcome = simulated(&settings(), 1, 1, 4000.0);
    assert!((outcome.used[0] / 0.4 - 1.0).abs() < 0.05, "{outcome:?}");
    let appended = 4000.0 * (150.0 / outcome.group + 80.0) / 2e6;
    assert!(
        (outcome.used[2] / appended - 1.0).abs() < 0.05,
        "{outcome:?}"
    );
}

#[test]
fn more_moves_wait_longer_and_share_commits() {
    let outcomes = [500.0, 2000.0, 8000.0].map(|rate| simulated(&settings(), 2, 1, rate));
    assert!(
        outcomes.is_sorted_by(|left, right| left.group < right.group),
        "{outcomes:?}"
    );
    assert!(
        outcomes.is_sorted_by(|left, right| left.p99 < right.p99),
        "{outcomes:?}"
    );
}

#[test]
fn shards_move_the_limit_from_the_database_to_the_nodes() {
    let report = run(&settings()).expect("the settings are valid");
    let again = run(&settings()).expect("the settings are valid");
    assert_eq!(
        report.rows, again.rows,
        "the same seed gives the same output"
    );
    let outcomes: Vec<_> = report.rows.iter().map(|row| &row.outcome).collect();
    let [one, eight, _, eight_sharded] = outcomes[..] else {
        panic!("{outcomes:?}");
    };
    assert_eq!(one.busiest().0, Resource::Nodes);
    assert_eq!(eight.busiest().0, Resource::ShardCores);
    assert_eq!(eight_sharded.busiest().0, Resource::Nodes);
    assert!(eight.rate > 1.5 * one.rate, "{outcomes:?}");
    assert!(eight_sharded.rate > 1.3 * eight.rate, "{outcomes:?}");
    for outcome in outcomes {
        assert!(outcome.p99 <= MAX_P99, "{outcome:?}");
        assert!((0.8..=1.1).contains(&outcome.busiest().1), "{outcome:?}");
    }
}

#[test]
fn a_rate_that_exceeds_a_resource_does_not_pass() {
    // Two cores have 10,000 moves a second of 200 µs.
    let [below, above] = [9_000.0, 12_000.0].map(|rate| simulated(&settings(), 1, 4, rate));
    assert!(below.passes(), "{below:?}");
    assert!(!above.passes() && above.used[0] > 1.1, "{above:?}");
}

#[test]
fn a_time_that_is_no_number_is_refused() {
    let mut settings = settings();
    settings.costs.sync = f64::NAN;
    assert!(run(&settings).is_err());
}
