//! The stalls of the clients of a drill: how long nothing happened at a table after a fault.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::sync::locked;

/// All clients that play or watch.
///
/// The *stall* of a client is its longest time without progress that begins at a fault or soon after it: until [`SETTLE`] after the
/// fault is over. Progress is a new view of the game, or the answer to a command. A table in which players wait for each other makes
/// progress every few milliseconds. So a stall is the time from the fault until the table goes on, and messages that were on
/// their way at the moment of the fault do not shorten it.
#[derive(Debug, Default)]
pub(crate) struct StallBoard(Mutex<Board>);

/// The time after the end of a fault in which stalls may still begin.
const SETTLE: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct Board {
    clients: BTreeMap<u64, Client>,
    next_id: u64,
    /// While it is set, stalls that begin up to this time are measured.
    begins_until: Option<Instant>,
    /// The server to which some players go, and at which no room is opened.
    reserved: Option<usize>,
}

/// A client that plays or watches.
#[derive(Debug)]
struct Client {
    room: String,
    /// The seat; `None` if it watches bots.
    seat: Option<usize>,
    /// The server of the connection, also while it is opened.
    gateway: Option<usize>,
    /// The server to which it goes.
    wanted: Option<usize>,
    /// Whether the game goes on.
    is_playing: bool,
    measured: Option<StallMeasurement>,
}

#[derive(Debug)]
struct StallMeasurement {
    /// The server at the moment of the fault.
    gateway: Option<usize>,
    /// The last progress, or the fault.
    last: Instant,
    longest: Duration,
    losses: u32,
}

/// The stall of one client.
#[derive(Clone, Debug)]
pub(crate) struct Stall {
    pub(crate) room: String,
    /// Whether bots play in its room, and people watch.
    pub(crate) is_of_bots: bool,
    /// The server of its connection at the moment of the fault.
    pub(crate) gateway: Option<usize>,
    pub(crate) duration: Duration,
    /// The number of connections that it has lost.
    pub(crate) losses: u32,
    /// The last progress, or the fault.
    pub(crate) last: Instant,
    /// Whether its game goes on.
    pub(crate) is_playing: bool,
}

/// The entry of one client on the board. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct StallRecord {
    board: Arc<StallBoard>,
    id: u64,
}

impl StallBoard {
    /// Adds a player.
    pub(crate) fn player(self: &Arc<Self>, room: &str, seat: usize) -> StallRecord {
        self.add(room, Some(seat))
    }

    /// Adds a client that watches bots.
    pub(crate) fn watcher(self: &Arc<Self>, room: &str) -> StallRecord {
        self.add(room, None)
    }

    fn add(self: &Arc<Self>, room: &str, seat: Option<usize>) -> StallRecord {
        let mut board = self.lock();
        let id = board.next_id;
        board.next_id += 1;
        let client = Client {
            room: room.to_owned(),
            seat,
            gateway: None,
            wanted: None,
            is_playing: false,
            measured: None,
        };
        board.clients.insert(id, client);
        StallRecord {
            board: self.clone(),
            id,
        }
    }

    /// Begins to measure stalls, at the moment of a fault that lasts so long.
    pub(crate) fn begin(&self, lasts: Duration) {
        let mut board = self.lock();
        let now = Instant::now();
        board.begins_until = Some(now + lasts + SETTLE);
        for client in board.clients.values_mut() {
            client.wanted = None;
            client.measured = client.is_playing.then_some(StallMeasurement {
                gateway: client.gateway,
                last: now,
                longest: Duration::ZERO,
                losses: 0,
            });
        }
    }

    /// The fault is over now: stalls that begin soon after this are measured still.
    pub(crate) fn end_fault(&self) {
        self.lock().begins_until = Some(Instant::now() + SETTLE);
    }

    /// The stalls until now of all clients that played at the moment of the fault.
    pub(crate) fn stalls(&self) -> Vec<Stall> {
        let board = self.lock();
        let clients = board.clients.values();
        let stalls = clients.filter_map(|client| {
            let measured = client.measured.as_ref()?;
            Some(Stall {
                room: client.room.clone(),
                is_of_bots: client.seat.is_none(),
                gateway: measured.gateway,
                duration: measured.longest,
                losses: measured.losses,
                last: measured.last,
                is_playing: client.is_playing,
            })
        });
        stalls.collect()
    }

    /// Ends the measurement.
    pub(crate) fn end(&self) {
        let mut board = self.lock();
        board.begins_until = None;
        board.reserved = None;
        for client in board.clients.values_mut() {
            client.measured = None;
        }
    }

    /// Sends all players of this room who are at this server to the other ones, of which there are `count` with it.
    pub(crate) fn move_away(&self, room: &str, from: usize, count: usize) {
        let mut board = self.lock();
        for client in board.clients.values_mut() {
            if let Some(seat) = client.seat
                && client.room == room
                && client.gateway == Some(from)
            {
                client.wanted = Some((from + 1 + seat % (count - 1)) % count);
            }
        }
    }

    /// Whether no player is on the way to another server.
    pub(crate) fn have_moved(&self) -> bool {
        let board = self.lock();
        let mut clients = board.clients.values();
        clients.all(|client| client.wanted.is_none() || !client.is_playing)
    }

    /// Reserves a server: some players of each room go to it, and no room is opened there.
    pub(crate) fn reserve(&self, gateway: usize) {
        self.lock().reserved = Some(gateway);
    }

    /// The server at which no room is opened.
    pub(crate) fn reserved(&self) -> Option<usize> {
        self.lock().reserved
    }

    /// The number of players with a game and a connection to this server.
    pub(crate) fn players_at(&self, gateway: usize) -> usize {
        let board = self.lock();
        let clients = board.clients.values();
        let is_there = |client: &&Client| client.is_playing && client.gateway == Some(gateway);
        clients.filter(is_there).count()
    }

    /// The number of clients whose game goes on.
    pub(crate) fn playing(&self) -> usize {
        let board = self.lock();
        board
            .clients
            .values()
            .filter(|client| client.is_playing)
            .count()
    }

    fn lock(&self) -> MutexGuard<'_, Board> {
        locked(&self.0)
    }
}

impl StallRecord {
    /// Notes that the client connects to this server.
    pub(crate) fn note_connecting(&self, gateway: usize) {
        self.with(|client| {
            client.gateway = Some(gateway);
            client.wanted = None;
        });
    }

    /// Notes progress of the game.
    pub(crate) fn note_progress(&self) {
        let until = self.board.lock().begins_until;
        self.with(|client| {
            client.is_playing = true;
            client.note(until);
        });
    }

    /// Notes the end of the game.
    pub(crate) fn note_end(&self) {
        self.note_progress();
        self.with(|client| client.is_playing = false);
    }

    /// Notes that the connection was lost.
    pub(crate) fn note_lost(&self) {
        self.with(|client| {
            let measured = client.measured.iter_mut();
            measured.for_each(|measured| measured.losses += 1);
        });
    }

    /// Whether a player may close the connection on purpose: not while stalls are measured.
    pub(crate) fn may_leave(&self) -> bool {
        self.board.lock().begins_until.is_none()
    }

    /// Whether this client should go to another server.
    pub(crate) fn should_move(&self) -> bool {
        let gateway = self
            .board
            .lock()
            .clients
            .get(&self.id)
            .and_then(|client| client.gateway);
        self.may_leave()
            && self
                .target_gateway()
                .is_some_and(|wanted| Some(wanted) != gateway)
    }

    /// The server to which this client should go.
    pub(crate) fn target_gateway(&self) -> Option<usize> {
        let board = self.board.lock();
        let client = board.clients.get(&self.id)?;
        // One player of each room goes to the reserved server.
        let reserved = board.reserved.filter(|_| client.seat == Some(0));
        let wanted = client.wanted.or(reserved);
        wanted.filter(|_| board.begins_until.is_none())
    }

    fn with(&self, change: impl FnOnce(&mut Client)) {
        if let Some(client) = self.board.lock().clients.get_mut(&self.id) {
            change(client);
        }
    }
}

impl Client {
    /// Notes progress. Stalls that begin later than `until` do not count.
    fn note(&mut self, until: Option<Instant>) {
        let now = Instant::now();
        if let Some(measured) = &mut self.measured {
            if until.is_some_and(|until| measured.last <= until) {
                measured.longest = measured.longest.max(now - measured.last);
            }
            measured.last = now;
        }
    }
}

impl Drop for StallRecord {
    fn drop(&mut self) {
        self.board.lock().clients.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_time_without_progress_after_a_fault_is_the_stall() {
        let board = Arc::new(StallBoard::default());
        let record = board.player("k7qm2x4p", 0);
        record.note_connecting(2);
        board.begin(Duration::ZERO);
        assert!(board.stalls().is_empty(), "the game has not begun");
        record.note_progress();
        board.begin(Duration::ZERO);
        assert!(!record.may_leave());
        let stall = |at: &str| board.stalls().pop().unwrap_or_else(|| panic!("{at}"));
        assert_eq!(stall("begin").duration, Duration::ZERO);
        let begun = stall("begin").last;
        while begun.elapsed() < Duration::from_millis(5) {
            std::thread::yield_now();
        }
        record.note_lost();
        record.note_connecting(1);
        record.note_progress();
        record.note_progress();
        let measured = stall("later");
        assert!(measured.duration >= Duration::from_millis(5));
        assert_eq!((measured.gateway, measured.losses), (Some(2), 1));
        record.note_end();
        assert!(!stall("end").is_playing);
        drop(record);
        assert!(board.stalls().is_empty());
    }
}
