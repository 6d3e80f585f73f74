//! Several nodes in a simulated network, with real rooms and the machines of this crate. A seed gives the same simulation each time.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

mod bus;
mod checks;
mod client;
mod database;
mod faults;
mod link_task;
mod node;
mod room_task;
mod settings;
mod table;
mod time;
mod trace;
mod world;

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::faults::FaultKind;
use crate::settings::Settings;
use crate::time::{Time, ms};
use crate::world::World;

/// The time after the last fault in which everybody is back in play.
const RECOVERY: Time = ms(25_000);
/// The time in which a game ends after that.
const GAME: Time = ms(400_000);

/// The number in an environment variable.
fn env_number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|value| value.parse().unwrap())
}

/// Runs the simulation of a seed. Returns the hash of its trace.
fn simulate(seed: u64, is_printed: bool) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    simulate_with(Settings::random(&mut rng), seed, is_printed)
        .trace
        .hash()
}

fn simulate_with(settings: Settings, seed: u64, is_printed: bool) -> World {
    let mut world = World::new(settings, seed, is_printed);
    assert!(world.run_until(ms(60_000), |world| world.is_healed));
    let bound = world.now + RECOVERY;
    let is_back = world.run_until(bound, World::is_everybody_in_play);
    assert!(is_back, "somebody is not back in play after the last fault");
    world.check_views();
    let bound = world.now + GAME;
    let is_over = world.run_until(bound, World::are_games_over);
    assert!(is_over, "a game does not end");
    // Until nothing is left of earlier sessions.
    let settled = world.now + ms(25_000);
    world.run_until(settled, |_| false);
    let is_in_play = world.is_everybody_in_play();
    assert!(is_in_play, "everybody stays in play");
    world.check_views();
    world.check_end();
    world
}

/// The times without the room after a fault of its leader, of all clients, the shortest first. Those at `other_nodes` only, if only
/// they can be helped.
fn stalls(kind: FaultKind, other_nodes: bool) -> Vec<Time> {
    let mut stalls = Vec::new();
    for seed in 0..100 {
        let settings = Settings::with_fault(kind);
        let mut world = World::new(settings, seed, false);
        let has_begun = |world: &World| world.faults[0].target.is_some();
        world.run_until(world.faults[0].at - ms(1), |_| false);
        let nodes: Vec<_> = world.clients.iter().map(|client| client.node).collect();
        assert!(world.run_until(ms(60_000), has_begun));
        let (at, target) = (world.now, world.faults[0].target);
        let is_counted = |client: usize| !other_nodes || nodes[client] != target;
        let counted: Vec<_> = (0..nodes.len())
            .filter(|client| is_counted(*client))
            .collect();
        let welcomed = |world: &World| {
            counted
                .iter()
                .all(|client| world.clients[*client].welcomed_at > at)
        };
        assert!(world.run_until(at + ms(30_000), welcomed));
        let all = counted
            .iter()
            .map(|client| world.clients[*client].welcomed_at - at);
        stalls.extend(all);
    }
    stalls.sort();
    stalls
}

#[test]
fn stalls_are_short() {
    for (kind, other_nodes, bound) in [
        (FaultKind::Kill, true, ms(1_000)),
        (FaultKind::Kill, false, ms(1_000)),
        (FaultKind::Freeze, true, ms(5_000)),
        (FaultKind::Drain, false, ms(200)),
    ] {
        let stalls = stalls(kind, other_nodes);
        let quantile = |percent: usize| stalls[(stalls.len() - 1) * percent / 100].as_millis();
        let (median, most) = (quantile(50), quantile(99));
        println!("{kind:?}, other nodes only: {other_nodes}: p50 {median} ms, p99 {most} ms");
        assert!(most < bound.as_millis(), "{kind:?}: {most} ms");
    }
}

#[test]
fn tables_survive_faults() {
    if let Some(seed) = env_number("SEED") {
        simulate(seed, env::var_os("TRACE").is_some());
        return;
    }
    let seeds = env_number("SEEDS").unwrap_or(500);
    let mut failed = Vec::new();
    for seed in 0..seeds {
        if catch_unwind(AssertUnwindSafe(|| simulate(seed, false))).is_err() {
            eprintln!(
                "seed {seed} fails: SEED={seed} TRACE=1 cargo test -p sticheln-cluster --test simulation tables_survive_faults -- --nocapture"
            );
            failed.push(seed);
        }
    }
    assert!(failed.is_empty(), "{} seeds fail: {failed:?}", failed.len());
}

#[test]
fn a_claim_that_the_database_has_lost_is_refused_also_if_its_epoch_is_used_again() {
    let worlds =
        (0..60).map(|seed| simulate_with(Settings::with_fault(FaultKind::Fork), seed, false));
    let refused: usize = worlds
        .map(|world| world.database.witnesses[0].refused_appends)
        .sum();
    assert!(refused > 0, "no append is refused");
}

#[test]
fn a_failover_that_loses_moves_begins_a_generation_and_tells_the_players() {
    let worlds =
        (0..60).map(|seed| simulate_with(Settings::with_fault(FaultKind::FailOver), seed, false));
    let told: usize = worlds.map(|world| world.lost_moves).sum();
    assert!(told > 0, "nobody is told of lost moves");
}

#[test]
fn a_seed_gives_the_same_simulation_each_time() {
    for seed in 0..10 {
        assert_eq!(simulate(seed, false), simulate(seed, false));
    }
}
