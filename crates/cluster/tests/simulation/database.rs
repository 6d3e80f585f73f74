//! A model of the database: the rules of its statements, which are in `storage/postgres` of the server, without its speed and its faults.

use std::collections::BTreeMap;
use std::rc::Rc;

use sticheln_cluster::{Leader, NodeId};
use sticheln_room::{Name, Owner, PersonChange, PersonId};

use crate::table::{LogEntry, ShownEvents, shown_rev};
use crate::time::Time;

/// The right to append to the log of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    pub epoch: u64,
    pub claim_id: u64,
    /// The timeline of the database on which it was made.
    pub timeline: u32,
    /// The number of entries in the log.
    pub head: usize,
}

/// The row of a room.
#[derive(Clone)]
pub struct RoomRow {
    epoch: u64,
    claim_id: u64,
    leader: Option<NodeId>,
    /// The number of the last claim, by which the checks know it.
    claim_number: u64,
    head: usize,
    pub log: Vec<Rc<LogEntry>>,
    pub names: BTreeMap<PersonId, Name>,
}

/// A room that was found.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub epoch: u64,
    pub leader: Option<Leader>,
}

/// What the checks know of a room, whatever the rules of the database are.
#[derive(Default)]
pub struct Witness {
    /// The number of claims.
    pub claims: u64,
    /// How often each command is in the log.
    pub commands: BTreeMap<(Owner, String), usize>,
    /// The events after a revision, up to another one.
    pub events: BTreeMap<u64, ShownEvents>,
    /// The rounds with the revisions of their deals.
    pub rounds: Vec<Round>,
    pub seats: BTreeMap<Owner, u8>,
    /// The commands that a failover of the database has lost.
    pub lost: BTreeMap<(Owner, String), usize>,
    /// The last revision that each failover has kept. The first one ends timeline 1.
    pub last_common_revs: Vec<u64>,
    pub refused_appends: usize,
}

/// The cards of a round.
pub struct Round {
    pub rev: u64,
    pub hands: Vec<Vec<String>>,
    pub shown: Vec<String>,
}

/// The database.
pub struct Database {
    leases: BTreeMap<NodeId, Time>,
    pub rooms: Vec<RoomRow>,
    pub witnesses: Vec<Witness>,
    /// An older state of the rooms, which a standby has.
    standby: Vec<RoomRow>,
    /// Each failover begins a new one.
    pub timeline: u32,
    /// How far its clock is ahead.
    pub clock_ahead: Time,
}

/// A request to append entries, by the claim with this number.
pub struct Append {
    pub room: usize,
    pub claim: Claim,
    pub claim_number: u64,
    pub entries: Vec<Rc<LogEntry>>,
    pub events: Vec<ShownEvents>,
}

impl Database {
    pub fn new(first_entries: Vec<LogEntry>) -> Self {
        let rooms: Vec<RoomRow> = first_entries.into_iter().map(RoomRow::new).collect();
        Self {
            leases: BTreeMap::new(),
            witnesses: rooms.iter().map(|_| Witness::default()).collect(),
            standby: rooms.clone(),
            rooms,
            timeline: 1,
            clock_ahead: Time::ZERO,
        }
    }

    /// Renews the lease of a node. Returns the nodes whose leases hold.
    pub fn renew(&mut self, now: Time, node: NodeId, duration: Time) -> Vec<NodeId> {
        let now = now + self.clock_ahead;
        self.leases.insert(node, now + duration);
        self.leases
            .retain(|_, until| *until + Time::from_secs(60) > now);
        let living = self.leases.iter().filter(|(_, until)| **until > now);
        living.map(|(node, _)| *node).collect()
    }

    /// Ends the lease of a node.
    pub fn end_lease(&mut self, node: NodeId) {
        self.leases.remove(&node);
    }

    pub fn find(&self, now: Time, room: usize) -> Found {
        let row = &self.rooms[room];
        let now = now + self.clock_ahead;
        let has_lease = |node| self.leases.get(&node).is_some_and(|until| *until > now);
        Found {
            epoch: row.epoch,
            leader: row.leader.map(|node| Leader {
                node,
                has_lease: has_lease(node),
            }),
        }
    }

    /// Claims a room whose epoch was seen. Returns the claim and its number.
    pub fn claim(
        &mut self,
        room: usize,
        epoch: u64,
        node: NodeId,
        claim_id: u64,
    ) -> Option<(Claim, u64)> {
        let row = &mut self.rooms[room];
        if row.epoch != epoch {
            return None;
        }
        row.epoch += 1;
        row.claim_id = claim_id;
        row.leader = Some(node);
        let witness = &mut self.witnesses[room];
        witness.claims += 1;
        row.claim_number = witness.claims;
        let claim = Claim {
            epoch: row.epoch,
            claim_id,
            timeline: self.timeline,
            head: row.head,
        };
        Some((claim, witness.claims))
    }

    /// Whether a claim is the last one.
    pub fn is_valid(&self, room: usize, claim: Claim) -> bool {
        let row = &self.rooms[room];
        row.epoch == claim.epoch
            && row.claim_id == claim.claim_id
            && claim.timeline == self.timeline
    }

    /// Appends entries. Returns the claim from then on; `None` if it is not valid any more.
    pub fn append(&mut self, append: Append) -> Option<Claim> {
        let Append {
            room,
            claim,
            claim_number,
            entries,
            events,
        } = append;
        let row = &mut self.rooms[room];
        let witness = &mut self.witnesses[room];
        if claim.timeline != self.timeline || !row.passes(claim) {
            witness.refused_appends += 1;
            return None;
        }
        assert_eq!(
            claim_number, row.claim_number,
            "only the last claim of a room appends to its log"
        );
        for entry in entries {
            row.add(entry.clone());
            witness.add(&entry, shown_rev(&row.log));
        }
        witness
            .events
            .extend(events.into_iter().map(|events| (events.after, events)));
        Some(Claim {
            head: row.head,
            ..claim
        })
    }

    /// Releases a room.
    pub fn release(&mut self, room: usize, claim: Claim) {
        let row = &mut self.rooms[room];
        if row.epoch == claim.epoch && row.claim_id == claim.claim_id {
            row.leader = None;
        }
    }

    /// The standby has got everything until now.
    pub fn replicate(&mut self) {
        self.standby.clone_from(&self.rooms);
    }

    /// The generation of the log of a room that was claimed since the last failover.
    pub fn generation(&self) -> u32 {
        self.timeline - 1
    }

    /// The standby takes over. Transactions that it has not received are lost.
    pub fn fail_over(&mut self) {
        self.timeline += 1;
        for (room, row) in self.standby.iter().enumerate() {
            let witness = &mut self.witnesses[room];
            let before = std::mem::take(&mut witness.commands);
            witness.rounds.clear();
            witness.events.clear();
            witness.seats.clear();
            for end in 1..=row.log.len() {
                witness.add(&row.log[end - 1], shown_rev(&row.log[..end]));
            }
            witness.lost.extend(before);
            let kept = &witness.commands;
            witness
                .lost
                .retain(|command, _| !kept.contains_key(command));
            witness.last_common_revs.push(shown_rev(&row.log));
        }
        self.rooms.clone_from(&self.standby);
    }

    /// The claims that the standby has not received are lost, and their epochs are used again on the same timeline.
    pub fn lose_claims(&mut self) {
        for (row, older) in self.rooms.iter_mut().zip(&self.standby) {
            row.epoch = older.epoch;
            row.claim_id = older.claim_id;
            row.leader = older.leader;
            row.claim_number = older.claim_number;
        }
    }
}

impl RoomRow {
    fn new(first: LogEntry) -> Self {
        Self {
            epoch: 1,
            claim_id: 0,
            leader: None,
            claim_number: 0,
            head: 1,
            log: vec![Rc::new(first)],
            names: BTreeMap::new(),
        }
    }

    /// The fence.
    fn passes(&self, claim: Claim) -> bool {
        self.epoch == claim.epoch && self.claim_id == claim.claim_id && self.head == claim.head
    }

    fn add(&mut self, entry: Rc<LogEntry>) {
        for change in &entry.persons {
            match change {
                PersonChange::Named(person, name) => {
                    self.names.insert(*person, name.clone());
                }
                PersonChange::Left(person) => {
                    self.names.remove(person);
                }
            }
        }
        self.log.push(entry);
        self.head += 1;
    }
}

impl Witness {
    /// The last revision that a client of one generation and a later one share.
    pub fn last_common_rev(&self, from: u32, to: u32) -> u64 {
        let failovers = from as usize..to as usize;
        let kept = self.last_common_revs[failovers].iter().min();
        kept.copied().unwrap_or(u64::MAX)
    }

    fn add(&mut self, entry: &LogEntry, rev: u64) {
        if let Some(command) = &entry.command {
            let count = self.commands.entry(command.clone()).or_default();
            *count += 1;
            assert_eq!(*count, 1, "command {} is in the log once", command.1);
            if let Some(seat) = entry.sits {
                self.seats.insert(command.0, seat);
            }
        }
        if let Some(hands) = &entry.dealt {
            self.rounds.push(Round {
                rev,
                hands: hands.clone(),
                shown: Vec::new(),
            });
        }
        if let (Some(card), Some(round)) = (&entry.shown, self.rounds.last_mut()) {
            round.shown.push(card.clone());
        }
    }
}
