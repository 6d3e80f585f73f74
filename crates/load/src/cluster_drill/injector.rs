//! Injects faults, and verifies that all tables go on after each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use tokio::time::{sleep, timeout};

use super::ClusterDrillSettings;
use super::fault::{Fault, Impact, LEASE};
use super::nodes::Nodes;
use super::proxy::ProxyState;
use super::stalls::{Stall, StallBoard};
use super::summary::FaultResults;
use crate::Failure;
use crate::crash_drill::DrillContext;
use crate::progress::Progress;

/// The time between the moment when all tables go on and the next fault, in milliseconds.
const UPTIME_MS: std::ops::Range<u64> = 200..1200;
/// The time between the death of a node and its next start, in milliseconds.
const DOWNTIME_MS: std::ops::Range<u64> = 500..2000;
/// The time for which a node is frozen, or cut off: longer than its lease.
const OUTAGE: Duration = LEASE.saturating_add(Duration::from_secs(2));
/// The interval of the questions whether all tables go on.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The longest wait for players to go to a node.
const MOVE_TIMEOUT: Duration = Duration::from_secs(3);

/// Injects faults while games are played.
pub(super) struct Injector<'a> {
    nodes: &'a mut Nodes,
    settings: &'a ClusterDrillSettings,
    context: Arc<DrillContext>,
    stalls: Arc<StallBoard>,
    rng: ChaCha8Rng,
    results: BTreeMap<Fault, FaultResults>,
    /// The number of cuts. Every other one is silent.
    cuts: u32,
}

impl<'a> Injector<'a> {
    pub(super) fn new(
        nodes: &'a mut Nodes,
        settings: &'a ClusterDrillSettings,
        context: Arc<DrillContext>,
        rng: ChaCha8Rng,
    ) -> Self {
        Self {
            nodes,
            settings,
            stalls: context.stalls.clone().unwrap_or_default(),
            context,
            rng,
            results: BTreeMap::new(),
            cuts: 0,
        }
    }

    /// The results of all faults.
    pub(super) fn into_results(self) -> BTreeMap<Fault, FaultResults> {
        self.results
    }

    /// Injects each fault as often as the settings say.
    pub(super) async fn inject_all(&mut self) -> Result<(), Failure> {
        let faults = self.settings.faults();
        let mut progress = Progress::new(faults.len() * self.settings.times as usize);
        for _ in 0..self.settings.times {
            for fault in &faults {
                progress.begin(fault);
                self.inject(*fault).await.map_err(|failure| match failure {
                    Failure::Violation(what) => {
                        Failure::Violation(format!("After the fault {fault}: {what}"))
                    }
                    Failure::Aborted(what) => Failure::Aborted(what),
                })?;
            }
        }
        Ok(())
    }

    /// Injects one fault, waits until all tables go on, and notes the stalls.
    async fn inject(&mut self, fault: Fault) -> Result<(), Failure> {
        self.wait_for_games().await?;
        let uptime = self.rng.random_range(UPTIME_MS);
        sleep(Duration::from_millis(uptime)).await;
        let target = self.choose_target(fault).await?;
        self.nodes.refused_appends().await?;
        let leaders = self.nodes.leaders().await?;
        let actions = self.context.counters().actions;
        self.stalls.begin(self.duration(fault));
        self.inject_and_repair(fault, target.unwrap_or_default())
            .await?;
        self.stalls.end_fault();
        let mended_at = Instant::now();
        self.nodes.ready(self.context.stall_limit).await?;
        self.wait_until_all_go_on(
            |stalls| affected(fault, target, &leaders, stalls),
            mended_at,
        )
        .await?;
        let stalls = self.stalls.stalls();
        self.stalls.end();
        let later = self.nodes.leaders().await?;
        let is_moved =
            |(room, leader): &(&String, &usize)| later.get(*room).is_some_and(|now| now != *leader);
        let refused_appends = self.nodes.refused_appends().await?;
        let actions = self.context.counters().actions - actions;

        let is_sound = |stall: &&Stall| target.is_some() && stall.gateway != target;
        let mut sound = stalls.iter().filter(is_sound);
        if let Some(stall) = sound.find(|stall| fault.keeps_other_sockets() && stall.losses > 0) {
            let room = &stall.room;
            let words = format!("A connection of room {room} to another node was lost.");
            return Err(Failure::Violation(words));
        }
        let results = self.results.entry(fault).or_default();
        results.times += 1;
        results.actions += actions;
        results.refused_appends += refused_appends;
        results.takeovers += leaders.iter().filter(is_moved).count() as u64;
        results.lost_connections += stalls
            .iter()
            .map(|stall| u64::from(stall.losses))
            .sum::<u64>();
        for (stall, impact) in affected(fault, target, &leaders, &stalls) {
            let of_impact = results.stalls.entry(impact).or_default();
            of_impact.push(stall.duration);
        }
        Ok(())
    }

    /// Waits until most games have begun.
    async fn wait_for_games(&self) -> Result<(), Failure> {
        let wanted = usize::from(self.settings.rooms) * usize::from(self.settings.seats) / 2;
        let begun = Instant::now();
        while self.stalls.playing() < wanted {
            if begun.elapsed() > self.context.stall_limit {
                return Err(Failure::Violation("Games do not begin.".into()));
            }
            sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }

    /// Waits until all games that the fault affects have made progress since this time.
    async fn wait_until_all_go_on(
        &self,
        affected: impl Fn(&[Stall]) -> Vec<(&Stall, Impact)>,
        since: Instant,
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        loop {
            let stalls = self.stalls.stalls();
            let stands_still = |stall: &&Stall| stall.is_playing && stall.last <= since;
            let mut affected = affected(&stalls).into_iter().map(|(stall, _)| stall);
            let Some(stall) = affected.find(stands_still) else {
                return Ok(());
            };
            if begun.elapsed() > self.context.stall_limit {
                let room = &stall.room;
                return Err(Failure::Violation(format!("Room {room} does not go on.")));
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    /// The node that the fault affects: one that leads rooms, if there is one.
    async fn choose_target(&mut self, fault: Fault) -> Result<Option<usize>, Failure> {
        if !fault.has_target() {
            return Ok(None);
        }
        let count = usize::from(self.settings.nodes);
        if fault == Fault::GatewayKill {
            let target = self.rng.random_range(0..count);
            self.prepare_gateway(target).await?;
            return Ok(Some(target));
        }
        let leaders = self.nodes.leaders().await?;
        let nodes: BTreeSet<_> = leaders.values().copied().collect();
        let nodes = Vec::from_iter(nodes);
        let chosen = nodes.choose(&mut self.rng).copied();
        let target = chosen.unwrap_or_else(|| self.rng.random_range(0..count));
        // In some rooms all players are at other nodes than the leader.
        for (room, _) in leaders.iter().filter(|(_, leader)| **leader == target) {
            if self.rng.random() {
                self.stalls.move_away(room, target, count);
            }
        }
        self.wait_for_moves(StallBoard::have_moved).await;
        Ok(Some(target))
    }

    /// Waits a little until players have gone to other nodes.
    async fn wait_for_moves(&self, have_moved: impl Fn(&StallBoard) -> bool) {
        let moved = async {
            while !have_moved(&self.stalls) {
                sleep(POLL_INTERVAL).await;
            }
        };
        // Some stay where they are.
        let _ = timeout(MOVE_TIMEOUT, moved).await;
    }

    /// Starts a node anew, so that it leads no room, and lets a player of each room go to it.
    async fn prepare_gateway(&mut self, target: usize) -> Result<(), Failure> {
        self.stalls.reserve(target);
        self.nodes.terminate(target).await?;
        self.nodes.restart(target).await?;
        let wanted = usize::from(self.settings.rooms) / 2;
        self.wait_for_moves(|stalls| stalls.players_at(target) >= wanted)
            .await;
        Ok(())
    }

    /// The time for which the fault lasts, about.
    fn duration(&self, fault: Fault) -> Duration {
        match fault {
            Fault::Kill | Fault::Drain | Fault::GatewayKill => Duration::ZERO,
            Fault::BusRestart | Fault::DatabaseRestart => Duration::ZERO,
            Fault::DatabaseGone => Duration::from_secs(self.settings.gone_seconds),
            Fault::Freeze | Fault::CutBus | Fault::CutDatabase | Fault::CutBoth => OUTAGE,
        }
    }

    /// Breaks something, and mends it.
    async fn inject_and_repair(&mut self, fault: Fault, target: usize) -> Result<(), Failure> {
        match fault {
            Fault::Kill | Fault::GatewayKill => {
                self.nodes.kill(target).await?;
                let downtime = self.rng.random_range(DOWNTIME_MS);
                sleep(Duration::from_millis(downtime)).await;
                self.nodes.restart(target).await
            }
            Fault::Freeze => {
                self.nodes.freeze(target, true)?;
                sleep(OUTAGE).await;
                self.nodes.freeze(target, false)
            }
            Fault::Drain => {
                self.nodes.terminate(target).await?;
                self.nodes.restart(target).await
            }
            Fault::BusRestart => {
                self.nodes.services.stop_bus().await?;
                self.nodes.services.start_bus().await
            }
            Fault::DatabaseRestart | Fault::DatabaseGone => {
                self.nodes.services.stop_database().await?;
                sleep(self.duration(fault)).await;
                self.nodes.services.start_database().await
            }
            Fault::CutBus | Fault::CutDatabase | Fault::CutBoth => {
                self.cuts += 1;
                let cut = match self.cuts % 2 {
                    1 => ProxyState::Closed,
                    _ => ProxyState::Silent,
                };
                let (database, bus) = match fault {
                    Fault::CutBus => (ProxyState::Open, cut),
                    Fault::CutDatabase => (cut, ProxyState::Open),
                    _ => (cut, cut),
                };
                self.nodes.cut(target, database, bus);
                sleep(OUTAGE).await;
                self.nodes.cut(target, ProxyState::Open, ProxyState::Open);
                Ok(())
            }
        }
    }

    /// Kills all nodes, and starts them again.
    pub(super) async fn kill_all(&mut self) -> Result<(), Failure> {
        for node in 0..usize::from(self.settings.nodes) {
            self.nodes.kill(node).await?;
        }
        for node in 0..usize::from(self.settings.nodes) {
            self.nodes.restart(node).await?;
        }
        Ok(())
    }
}

/// The stalls of the clients that a fault of the node `target` affects.
fn affected<'a>(
    fault: Fault,
    target: Option<usize>,
    leaders: &BTreeMap<String, usize>,
    stalls: &'a [Stall],
) -> Vec<(&'a Stall, Impact)> {
    let at_target = stalls
        .iter()
        .filter(|stall| target.is_some() && stall.gateway == target);
    let at_target: BTreeSet<_> = at_target.map(|stall| &stall.room).collect();
    let impact = |stall: &'a Stall| {
        let leader = leaders.get(&stall.room).copied();
        let has_others = at_target.contains(&stall.room);
        let impact = fault.impact(target, stall.gateway, leader, has_others)?;
        Some((
            stall,
            if stall.is_of_bots {
                Impact::Bots
            } else {
                impact
            },
        ))
    };
    stalls.iter().filter_map(impact).collect()
}
