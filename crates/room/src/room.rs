//! The room: whoever is connected, and what is due. What people ask for is in `room/hear.rs`, what
//! they are told in `room/tell.rs`.

mod hear;
mod tell;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use sticheln_bots::Player;
use sticheln_rules::{Event, Seat, Status};

use crate::chair::{Chair, Person, STAND_IN, Sitter};
use crate::kept::{Damaged, Kept, OWNERS, Phase, Play};
use crate::letter::{Letter, Reason};
use crate::shuffle::below;
use crate::{By, Change, ConnId, Entry, Owner, Refusal, Seed, Settings, Timestamp};

/// A connection that is lost for less is not worth a word.
const AWAY: Duration = Duration::from_secs(5);
/// How long the table keeps a host who is gone.
const HOST_KEPT: Duration = Duration::from_secs(30);
/// How long an absent person is waited for before a bot may stand in.
const GRACE: Duration = Duration::from_secs(30);
/// How long an absent person's chair is kept in the lobby if somebody wants it.
const CHAIR_KEPT: Duration = Duration::from_secs(120);
/// How long a scored round stays on the table if not all are ready before.
const NEXT_ROUND: Duration = Duration::from_secs(30);
/// How long nobody can be nudged again.
const NUDGE: Duration = Duration::from_secs(20);
/// How long a code for moving a seat can be used.
const HANDOVER: Duration = Duration::from_secs(120);
/// How long a bot seems to think: at least, and how much longer at most.
const PACE: (u64, u32) = (600, 900);
/// The most people who watch.
const SPECTATORS: usize = 16;

/// What comes to a room.
#[derive(Clone, Copy)]
#[expect(
    missing_debug_implementations,
    reason = "a log must not name secrets and hidden cards"
)]
pub enum Input<'a> {
    /// A new connection.
    Connect(ConnId),
    /// A text of a client.
    Text(ConnId, &'a str),
    /// A connection is gone.
    Disconnect(ConnId),
    /// The deadline has come.
    Tick,
}

/// What a room wants to be done, in this order: what is to be saved has to be saved before
/// anything that follows it is sent.
#[expect(
    missing_debug_implementations,
    reason = "a log must not name cards that are hidden"
)]
pub enum Output<G: Player> {
    /// Write down an entry.
    Save(Entry<G>),
    /// Send a message.
    Send(ConnId, Letter),
    /// Close a connection.
    Close(ConnId, Reason),
}

/// Where a room gets its chance from: 256 random bits at a time.
pub type Chance = Box<dyn FnMut() -> [u8; 32] + Send>;

/// A table with everything that belongs to it, as a state machine: it reads no clock, waits for
/// nothing and writes nothing by itself.
#[expect(
    missing_debug_implementations,
    reason = "a log must not name cards that are hidden"
)]
pub struct Room<G: Player> {
    /// What the room is called outside.
    code: String,
    kept: Kept<G>,
    chance: Chance,
    now: Timestamp,
    /// Since when this room has been in memory: who was not connected since then is gone since then.
    woken: Timestamp,
    /// Since when somebody has been here again: until then nothing was waited for.
    attended: Timestamp,
    /// Everybody's connections, with the owner once he has said who he is.
    connections: BTreeMap<ConnId, Option<Owner>>,
    /// The connections that have just said who they are, and have been told nothing yet.
    newcomers: Vec<ConnId>,
    /// Since when an owner without a connection has been gone.
    gone: BTreeMap<Owner, Timestamp>,
    /// What each owner was answered that is not in the log.
    answers: BTreeMap<Owner, VecDeque<Answer>>,
    chat: VecDeque<Arc<str>>,
    nudged: Option<Timestamp>,
    /// The codes that the owners of seats have asked for.
    handovers: BTreeMap<Owner, Handover>,
    /// What everybody was last told of the table.
    told: Arc<str>,
    /// What has happened in the game and was not told yet.
    events: Vec<Event<G>>,
    /// Whether views have changed since they were told.
    changed: bool,
    outputs: Vec<Output<G>>,
}

/// The id of a message, and what it was answered.
type Answer = (String, Result<(), Refusal>);

/// A code by which a seat can be moved to another device.
struct Handover {
    code: String,
    until: Timestamp,
}

/// What the table does by itself.
enum Plan {
    PassHost(Seat),
    Deal,
    Rematch,
    Act(Seat, By),
}

impl<G: Player> Room<G> {
    /// Opens a table, and gives its first entry, which is to be saved.
    ///
    /// # Errors
    /// [`Refusal::WrongSeats`] if the game has no such number of seats.
    pub fn open(
        code: &str,
        now: Timestamp,
        seats: usize,
        settings: Settings<G>,
        chance: Chance,
    ) -> Result<(Self, Entry<G>), Refusal> {
        if !G::SEATS.contains(&seats) {
            return Err(Refusal::WrongSeats);
        }
        let entry = Entry {
            at: now,
            asked: None,
            change: Change::Opened { seats, settings },
        };
        let kept = Kept::opened(&entry).expect("it is a first entry");
        Ok((Self::with(code, now, kept, chance), entry))
    }

    /// Reads a room back from its entries, with nobody connected.
    ///
    /// # Errors
    /// [`Damaged`] if they are not those of a room.
    pub fn wake<'a>(
        code: &str,
        now: Timestamp,
        entries: impl IntoIterator<Item = &'a Entry<G>>,
        chance: Chance,
    ) -> Result<Self, Damaged> {
        let mut entries = entries.into_iter();
        let mut kept = Kept::opened(entries.next().ok_or(Damaged)?)?;
        for entry in entries {
            kept.add(entry)?;
        }
        Ok(Self::with(code, now, kept, chance))
    }

    fn with(code: &str, now: Timestamp, mut kept: Kept<G>, chance: Chance) -> Self {
        if let Some(play) = &mut kept.play {
            // A clock that was ahead when the log was written must not hold the table up.
            play.since = play.since.min(now);
        }
        Self {
            code: code.to_owned(),
            kept,
            chance,
            now,
            woken: now,
            attended: now,
            connections: BTreeMap::new(),
            newcomers: Vec::new(),
            gone: BTreeMap::new(),
            answers: BTreeMap::new(),
            chat: VecDeque::new(),
            nudged: None,
            handovers: BTreeMap::new(),
            told: "".into(),
            events: Vec::new(),
            changed: false,
            outputs: Vec::new(),
        }
    }

    /// Takes in what has come, does what is due, and tells what follows from it. Time that goes
    /// back counts as time that stands still.
    pub fn handle(&mut self, now: Timestamp, input: Input<'_>) -> Vec<Output<G>> {
        self.now = now.max(self.now);
        match input {
            Input::Connect(conn) => {
                self.connections.insert(conn, None);
            }
            Input::Text(conn, text) => self.hear(conn, text),
            Input::Disconnect(conn) => self.lose(conn),
            Input::Tick => {}
        }
        self.do_what_is_due();
        self.tell();
        std::mem::take(&mut self.outputs)
    }

    /// When the next thing is due; `None` as long as nothing comes. It is a matter of everything
    /// that [`Room::handle`] has been given, and only of that.
    pub fn deadline(&self) -> Option<Timestamp> {
        let plan = self.plan().map(|(at, _)| at);
        let away = self.kept.people().filter_map(|(_, person)| {
            let at = self.gone_since(person.owner)?.after(AWAY);
            (at > self.now).then_some(at)
        });
        // Presence matters only to those who are here.
        let away = away.min().filter(|_| self.is_attended());
        plan.into_iter().chain(away).min()
    }

    /// The number of entries after the first.
    pub fn rev(&self) -> u64 {
        self.kept.rev
    }

    /// What the table does.
    pub fn phase(&self) -> Phase {
        self.kept.phase()
    }

    /// Whether anybody is connected: a room without anybody can be put to sleep.
    pub fn is_attended(&self) -> bool {
        self.connections.values().any(Option::is_some)
    }
}

/// Two rooms are equal if their logs tell the same of them, whoever is connected.
impl<G: Player> PartialEq for Room<G> {
    fn eq(&self, other: &Self) -> bool {
        self.kept == other.kept
    }
}

// Who is here.
impl<G: Player> Room<G> {
    fn is_here(&self, owner: Owner) -> bool {
        self.connections.values().any(|other| *other == Some(owner))
    }

    /// Since when an owner has not been connected.
    fn gone_since(&self, owner: Owner) -> Option<Timestamp> {
        let since = self.gone.get(&owner).copied().unwrap_or(self.woken);
        (!self.is_here(owner)).then_some(since)
    }

    fn is_gone_for(&self, owner: Owner, time: Duration) -> bool {
        self.gone_since(owner)
            .is_some_and(|since| since.after(time) <= self.now)
    }

    /// The people who sit here and are connected, the one who has sat longest first.
    fn present(&self) -> Vec<(Seat, &Person)> {
        let mut present: Vec<_> = self.kept.people().collect();
        present.retain(|(_, person)| self.is_here(person.owner));
        present.sort_by_key(|(_, person)| person.since);
        present
    }

    /// How many people watch, on however many connections.
    fn spectators(&self) -> usize {
        let seated = |owner: &&Owner| self.kept.seat_of(**owner).is_some();
        let owners: BTreeSet<_> = self.connections.values().flatten().collect();
        owners.into_iter().filter(|owner| !seated(owner)).count()
    }

    fn lose(&mut self, conn: ConnId) {
        self.newcomers.retain(|newcomer| *newcomer != conn);
        if let Some(Some(owner)) = self.connections.remove(&conn)
            && !self.is_here(owner)
        {
            self.gone.insert(owner, self.now);
            if self.gone.len() > OWNERS {
                let (kept, here) = (&self.kept, &self.connections);
                let matters = |owner: &Owner| {
                    kept.seat_of(*owner).is_some()
                        || here.values().any(|other| *other == Some(*owner))
                };
                self.gone.retain(|owner, _| matters(owner));
                self.answers.retain(|owner, _| matters(owner));
            }
        }
    }
}

// What is due.
impl<G: Player> Room<G> {
    /// More than a table can ever do at one moment: a deal, and a bot on each seat.
    const STEPS_AT_ONCE: usize = 32;

    fn do_what_is_due(&mut self) {
        for _ in 0..Self::STEPS_AT_ONCE {
            match self.plan() {
                Some((at, plan)) if at <= self.now => self.carry_out(plan),
                _ => return,
            }
        }
    }

    /// What the table will do by itself next, and when. A table that nobody sees does nothing.
    fn plan(&self) -> Option<(Timestamp, Plan)> {
        if !self.is_attended() {
            return None;
        }
        let of_play = self.kept.play.as_ref().and_then(|play| self.plan_of(play));
        let plans = self.plan_of_host().into_iter().chain(of_play);
        plans.min_by_key(|(at, _)| *at)
    }

    fn plan_of_host(&self) -> Option<(Timestamp, Plan)> {
        let at = match self.kept.host_owner() {
            Some(host) => self.gone_since(host)?.max(self.attended).after(HOST_KEPT),
            None => self.now,
        };
        let (seat, _) = *self.present().first()?;
        Some((at, Plan::PassHost(seat)))
    }

    fn plan_of(&self, play: &Play<G>) -> Option<(Timestamp, Plan)> {
        match play.state.status() {
            _ if play.paused => None,
            Status::Over(_) => {
                let at = self.all_ready_at()?;
                self.begins_with_enough().then_some((at, Plan::Rematch))
            }
            Status::ToDeal if play.state.view(None).sheet().rounds().is_empty() => {
                Some((self.now, Plan::Deal))
            }
            Status::ToDeal => {
                let latest = self.waiting_since(play).after(NEXT_ROUND);
                let at = self.all_ready_at().map_or(latest, |at| at.min(latest));
                Some((at, Plan::Deal))
            }
            Status::Playing => {
                let seats = play.state.view(None).to_act().into_iter();
                seats
                    .filter_map(|seat| self.plan_of_seat(play, seat))
                    .min_by_key(|(at, _)| *at)
            }
        }
    }

    /// From when on all who are present are ready, at least one; somebody whose connection was
    /// lost a moment ago is still present.
    fn all_ready_at(&self) -> Option<Timestamp> {
        let mut at = None;
        for (seat, person) in self.kept.people() {
            let is_ready = self.kept.chair(seat).is_some_and(|chair| chair.ready);
            match self.gone_since(person.owner) {
                None if is_ready => at = at.max(Some(self.now)),
                None => return None,
                Some(_) if is_ready => {}
                Some(since) => at = at.max(Some(since.max(self.attended).after(AWAY))),
            }
        }
        at.filter(|_| !self.present().is_empty())
    }

    /// When something will be done for a seat that is to act.
    fn plan_of_seat(&self, play: &Play<G>, seat: Seat) -> Option<(Timestamp, Plan)> {
        let since = self.waiting_since(play);
        if self.kept.chair(seat)?.bot_level().is_some() {
            return Some((since.after(self.pace(seat)), Plan::Act(seat, By::Bot)));
        }
        let limit = Duration::from_secs(self.kept.settings.turn_seconds?.get().into());
        Some((since.after(limit), Plan::Act(seat, By::Clock)))
    }

    /// Since when the table has waited in earnest: not while it slept.
    fn waiting_since(&self, play: &Play<G>) -> Timestamp {
        play.since.max(self.attended)
    }

    /// How long the bot on this seat seems to think now: varied, and the same if asked again.
    fn pace(&self, seat: Seat) -> Duration {
        let mixed = (self.kept.rev as u32)
            .wrapping_mul(0x9e37_79b9)
            .wrapping_add(seat.index() as u32)
            .wrapping_mul(0x85eb_ca6b);
        let (least, more) = PACE;
        Duration::from_millis(least + u64::from((mixed >> 16) % more))
    }

    fn carry_out(&mut self, plan: Plan) {
        let change = match plan {
            Plan::PassHost(seat) => Change::HostPassed { seat: Some(seat) },
            Plan::Deal => Change::Dealt {
                seed: Seed((self.chance)()),
            },
            Plan::Rematch => self.start(),
            Plan::Act(seat, by) => {
                let play = self.kept.play.as_ref().expect("a game is planned for");
                let level = match by {
                    By::Bot => self.kept.chair(seat).and_then(Chair::bot_level),
                    By::Owner | By::Clock => None,
                };
                let view = play.state.view(Some(seat));
                let action = G::advice(view, level.unwrap_or(STAND_IN))
                    .expect("the seat is to act, so there is something to do");
                Change::Acted { seat, by, action }
            }
        };
        self.enter(None, change);
    }

    /// How many sit at the table.
    fn sitters(&self) -> usize {
        let chairs = self.kept.chairs.iter();
        chairs
            .filter(|chair| chair.sitter != Sitter::Nobody)
            .count()
    }

    /// Whether a game is played with as many as sit at the table.
    fn begins_with_enough(&self) -> bool {
        G::SEATS.contains(&self.sitters())
    }

    /// Begins a game with all who sit; who sits on the chosen chair opens it, or anybody.
    fn start(&mut self) -> Change<G> {
        let sitters = self.sitters() as u32;
        let chosen = self.kept.opening_among_sitters();
        let opening = chosen.unwrap_or_else(|| {
            let word = || {
                let [one, two, three, four, ..] = (self.chance)();
                u32::from_le_bytes([one, two, three, four])
            };
            Seat::new(below(sitters, word) as u8)
        });
        Change::Started { opening }
    }

    /// Writes down what was decided, and does it.
    fn enter(&mut self, asked: Option<(Owner, String)>, change: Change<G>) {
        let entry = Entry {
            at: self.now,
            asked,
            change,
        };
        let events = self.kept.add(&entry).expect("what was decided can be done");
        self.changed |= !events.is_empty() || changes_views(&entry.change);
        self.events.extend(events);
        self.outputs.push(Output::Save(entry));
    }
}

/// Whether a change that is no move of the game changes what somebody sees of it.
fn changes_views<G: Player>(change: &Change<G>) -> bool {
    match change {
        Change::Sat { .. }
        | Change::Left { .. }
        | Change::Configured { .. }
        | Change::Started { .. }
        | Change::Dealt { .. }
        | Change::Acted { .. }
        | Change::Paused
        | Change::Resumed
        | Change::HandedOver { .. } => true,
        Change::Opened { .. }
        | Change::Renamed { .. }
        | Change::Ready { .. }
        | Change::BotSeated { .. }
        | Change::HostPassed { .. }
        | Change::Swapped { .. }
        | Change::StoodIn { .. }
        | Change::Returned { .. }
        | Change::Ended => false,
    }
}
