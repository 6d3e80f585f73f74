//! What a table has shown to anybody, and can never take back.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Failure;
use crate::wire::{Game, Room};

/// What one table has shown, whoever saw it, through all its restarts.
#[derive(Debug)]
pub(super) struct Chronicle {
    room: String,
    /// The newest revision that anybody has seen.
    newest: u64,
    /// Since when nobody has seen a newer one.
    since: Instant,
    /// At each revision what everybody may see of the game, as a hash.
    tables: BTreeMap<u64, u64>,
    /// The scores of the finished rounds.
    rounds: Vec<Value>,
}

impl Chronicle {
    /// That of a table which nobody has seen yet.
    pub(super) fn new(room: String) -> Self {
        Self {
            room,
            newest: 0,
            since: Instant::now(),
            tables: BTreeMap::new(),
            rounds: Vec::new(),
        }
    }

    /// The room's code.
    pub(super) fn room(&self) -> &str {
        &self.room
    }

    /// The newest revision that anybody has seen: who asks from now on must not see an older one.
    pub(super) fn newest(&self) -> u64 {
        self.newest
    }

    /// How long nothing new has happened.
    pub(super) fn quiet_for(&self) -> Duration {
        self.since.elapsed()
    }

    /// Begins to wait anew.
    pub(super) fn wait_anew(&mut self) {
        self.since = Instant::now();
    }

    /// Somebody sees the game: at the same revision everybody always sees the same.
    pub(super) fn game(&mut self, game: &Game) -> Result<(), Failure> {
        let mut hasher = DefaultHasher::new();
        game.view.to_act.hash(&mut hasher);
        game.view.table.to_string().hash(&mut hasher);
        let hash = hasher.finish();
        self.reach(game.rev);
        if *self.tables.entry(game.rev).or_insert(hash) == hash {
            return Ok(());
        }
        let (room, rev) = (&self.room, game.rev);
        Err(Failure::Broken(format!(
            "Table {room} has shown two different states of the game as revision {rev}."
        )))
    }

    /// Somebody sees what seldom changes: rounds that were scored stay as they are.
    pub(super) fn room_told(&mut self, room: &Room) -> Result<(), Failure> {
        self.reach(room.rev);
        let rounds: &[Value] = room.table.sheet.as_ref().map_or(&[], |sheet| &sheet.rounds);
        if self
            .rounds
            .iter()
            .zip(rounds)
            .any(|(one, other)| one != other)
        {
            let code = &self.room;
            return Err(Failure::Broken(format!(
                "Table {code} has changed the scores of a finished round."
            )));
        }
        let known = self.rounds.len();
        self.rounds.extend(rounds.iter().skip(known).cloned());
        Ok(())
    }

    fn reach(&mut self, rev: u64) {
        if rev > self.newest {
            self.newest = rev;
            self.since = Instant::now();
        }
    }
}
