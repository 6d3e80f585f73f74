//! Many tables, each with so many moves a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{SEATS, Settings, lost};
use crate::Failure;
use crate::drill::Victim;
use crate::figures::Times;
use crate::process;
use crate::server::Server;
use crate::socket::Loss;
use crate::table::{Move, Table, split};

/// So many tables are opened at once.
const OPENED_AT_ONCE: usize = 8;
/// How long all tables play before they are measured.
const FIRST: Duration = Duration::from_secs(3);

/// What was measured.
#[derive(Debug)]
pub(super) struct Busy {
    /// How long it took until all saw a move.
    pub(super) moves: Times,
    /// How many moves should have been made.
    pub(super) wanted: u64,
    /// Why tables were given up.
    pub(super) losses: Vec<Loss>,
    /// Which part of its core the server has used, and which this program has.
    pub(super) server_load: f64,
    pub(super) own_load: f64,
    /// How much time of a core the server needed for a move.
    pub(super) cost: Duration,
    /// What the server says at its end of the thoughts of experts, if there are any.
    pub(super) thoughts: Option<String>,
}

/// Lets all tables play, and measures for a while.
pub(super) async fn measure(server: &mut Server, settings: &Settings) -> Result<Busy, Failure> {
    let mut rng = settings.rng();
    let is_enough = Arc::new(AtomicBool::new(false));
    let openers = Arc::new(Semaphore::new(OPENED_AT_ONCE));
    let (opened, mut news) = mpsc::channel(settings.tables as usize);
    let mut tables = JoinSet::new();
    for place in 0..settings.tables {
        let (address, rng, openers) = (server.address(), split(&mut rng), openers.clone());
        let (is_enough, opened) = (is_enough.clone(), opened.clone());
        let pace = Duration::from_secs(1) / settings.rate;
        let offset = pace * place / settings.tables;
        let experts = usize::from(place < settings.experts);
        tables.spawn(async move {
            let table = {
                let _turn = openers.acquire().await;
                Table::with_experts(address, SEATS, experts, rng).await
            };
            // Nobody listens any more if another table could not be opened.
            let _ = opened.send(table.as_ref().err().cloned()).await;
            match experts {
                0 => table?.play(pace, offset, &is_enough).await,
                _ => play_with_expert(table?, pace, offset, &is_enough).await,
            }
        });
    }
    for _ in 0..settings.tables {
        if let Some(Some(loss)) = news.recv().await {
            return Err(lost(loss));
        }
    }
    sleep(FIRST).await;

    let (server_pid, own_pid) = (server.pid()?, std::process::id());
    let busy = || Ok((process::busy(server_pid)?, process::busy(own_pid)?));
    let (server_before, own_before) = busy()?;
    let begin = Instant::now();
    sleep(Duration::from_secs(settings.seconds)).await;
    let end = Instant::now();
    let (server_after, own_after) = busy()?;
    is_enough.store(true, Ordering::Relaxed);

    let mut moves = Times::default();
    let mut losses = Vec::new();
    while let Some(table) = tables.join_next().await {
        let fell = |error| Failure::Trouble(format!("A table has fallen over: {error}."));
        match table.map_err(fell)? {
            Ok(all) => {
                let measured = all
                    .into_iter()
                    .filter(|one| begin <= one.said && one.said < end);
                measured.for_each(|one| moves.push(one.took));
            }
            Err(loss) => losses.push(loss),
        }
    }
    let thoughts = match settings.experts {
        0 => None,
        _ => server.end().await?.lines().rev().find_map(|line| {
            let (_, thoughts) = line.split_once("experts have thought ")?;
            Some(thoughts.replace('_', " in ").replace('=', " "))
        }),
    };
    let seconds = end.duration_since(begin).as_secs_f64();
    let used = server_after.saturating_sub(server_before);
    let own = own_after.saturating_sub(own_before);
    Ok(Busy {
        wanted: u64::from(settings.tables.saturating_sub(settings.experts))
            * u64::from(settings.rate)
            * settings.seconds,
        losses,
        server_load: used.as_secs_f64() / seconds,
        own_load: own.as_secs_f64() / seconds,
        cost: used / u32::try_from(moves.len().max(1)).unwrap_or(u32::MAX),
        moves,
        thoughts,
    })
}

/// Makes moves at a table where an expert plays too, which takes its time. Nothing is measured.
async fn play_with_expert(
    mut table: Table,
    pace: Duration,
    offset: Duration,
    is_enough: &AtomicBool,
) -> Result<Vec<Move>, Loss> {
    sleep(offset).await;
    while !is_enough.load(Ordering::Relaxed) {
        sleep(pace).await;
        table.make_a_move_among_bots().await?;
    }
    Ok(Vec::new())
}
