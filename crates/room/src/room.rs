//! The room: its inputs and outputs, and what is due by itself.
//!
//! Its machines lie in `room/`: `presence.rs` (connections and absences), `admission.rs` (admitting people, passwords),
//! `commands.rs` (messages of clients), `replies.rs` (answers to ids), `talk.rs` (chat, reactions, nudges),
//! `handovers.rs` (codes for another device), `broadcast.rs` (messages to clients), `search.rs` (searches of bots).

mod admission;
mod broadcast;
mod commands;
mod handovers;
mod limits;
mod presence;
mod replies;
mod search;
mod talk;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use sticheln_bots::Player;
use sticheln_protocol::{GameEvent, Incoming, Phase, Raw, RoomSummary, Table};
use sticheln_rules::{Seat, Status};

use crate::chair::{Chair, Person, STAND_IN, Sitter};
use crate::outgoing::{Eviction, Outgoing};
use crate::shuffle::{below, shuffled};
use crate::state::{CorruptLog, Play, RoomState};
use crate::{
    By, Change, ConnId, Entry, Owner, Password, PasswordHash, Refusal, Seed, Settings, Shuffle,
    Summary, Timestamp,
};

use self::handovers::Handovers;
pub use self::limits::RoomLimits;
use self::presence::Presence;
use self::replies::Replies;
use self::search::PendingSearch;
pub use self::search::SearchRequest;
use self::talk::Talk;

/// A person whose connection is lost for less is not shown as away.
const AWAY: Duration = Duration::from_secs(5);
/// How long a host who is gone stays host.
const HOST_KEPT: Duration = Duration::from_secs(30);
/// How long an absent person is waited for before a bot may stand in.
const GRACE: Duration = Duration::from_secs(30);
/// How long an absent person's chair is kept in the lobby if somebody wants it.
const CHAIR_KEPT: Duration = Duration::from_secs(120);
/// How long a scored round stays on the table if not all are ready before.
const NEXT_ROUND: Duration = Duration::from_secs(30);
/// How long the table waits for somebody who is here and does nothing, before a bot may stand in.
const SILENT: Duration = Duration::from_secs(180);
/// The pause of a bot before it acts, in milliseconds: the least, and how much more at most.
const PACE: (u64, u32) = (600, 900);
/// The same for fast bots. People can still follow the moves.
const FAST_PACE: (u64, u32) = (150, 150);

/// An input of a room.
#[expect(
    missing_debug_implementations,
    reason = "a log must not name secrets and hidden cards"
)]
pub enum Input<G: Player> {
    /// A new connection, and where it comes from.
    Connect(ConnId, IpAddr),
    /// A message of a client.
    Message(ConnId, Incoming),
    /// A connection is gone.
    Disconnect(ConnId),
    /// The answer to [`Output::VerifyPassword`]: whether the password is the right one.
    PasswordVerified(ConnId, bool),
    /// The other answer to [`Output::VerifyPassword`]: the password is not looked at, as too many wrong ones
    /// have come from there.
    PasswordNotTried(ConnId),
    /// The answer to [`Output::HashPassword`].
    PasswordHashed(ConnId, PasswordHash),
    /// The answer to [`Output::Search`]. Only the first one counts.
    SearchDone(SearchRequest, G::Action),
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
    Send(ConnId, Outgoing),
    /// Close a connection.
    Close(ConnId, Eviction),
    /// Find out whether this password opens this lock, and answer with [`Input::PasswordVerified`]. There
    /// is one under way for a connection at a time; if it is gone, an answer does no harm.
    VerifyPassword(ConnId, Password, PasswordHash),
    /// Make a lock of this password, and answer with [`Input::PasswordHashed`], likewise.
    HashPassword(ConnId, Password),
    /// Have an expert ponder this, and answer with [`Input::SearchDone`] as long as the question is
    /// open. Nobody waits for it: without an answer the table goes on too.
    Search(SearchRequest, G::Position),
}

/// Where a room gets its chance from.
#[expect(
    missing_debug_implementations,
    reason = "what it consists of can only be called"
)]
pub struct Entropy {
    /// 256 random bits at a time.
    pub bits: Box<dyn FnMut() -> [u8; 32] + Send>,
    /// What makes a deck of a seed. Only tests give another one than the usual.
    pub shuffle: Shuffle,
}

impl Entropy {
    /// Chance out of random bits, with the usual shuffle.
    pub fn new(bits: impl FnMut() -> [u8; 32] + Send + 'static) -> Self {
        Self {
            bits: Box::new(bits),
            shuffle: Arc::new(shuffled),
        }
    }
}

/// A table with everything that belongs to it, as a state machine: it reads no clock, waits for
/// nothing and writes nothing by itself.
#[expect(
    missing_debug_implementations,
    reason = "a log must not name cards that are hidden"
)]
pub struct Room<G: Player> {
    /// What the room is called outside.
    code: String,
    state: RoomState<G>,
    entropy: Entropy,
    now: Timestamp,
    presence: Presence,
    /// The people who were admitted, the newest last. They need no password again.
    admitted: VecDeque<Owner>,
    /// The connections that were admitted and have received nothing yet.
    newcomers: Vec<ConnId>,
    replies: Replies,
    talk: Talk,
    handovers: Handovers,
    limits: RoomLimits,
    /// Why the last message was refused.
    refused: Option<Refusal>,
    /// The table as it was last sent.
    told: Option<Raw<Table>>,
    /// Whether the table may have changed since then.
    stale: bool,
    /// When it changes if no input comes: a person who is lost becomes away.
    away_at: Option<Timestamp>,
    /// The events of the game that were not sent yet.
    events: Vec<Raw<GameEvent>>,
    /// Whether views have changed since they were sent.
    changed: bool,
    /// The open searches of bots whose turn it is.
    searches: BTreeMap<Seat, PendingSearch<G>>,
    outputs: Vec<Output<G>>,
}

/// Something that the table does by itself.
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
        entropy: Entropy,
    ) -> Result<(Self, Entry<G>), Refusal> {
        if !G::SEATS.contains(&seats) {
            return Err(Refusal::WrongSeats);
        }
        let entry = Entry {
            at: now,
            asked: None,
            change: Change::Opened { seats, settings },
        };
        let state = RoomState::opened(&entry).expect("it is a first entry");
        Ok((Self::with(code, now, state, entropy), entry))
    }

    /// Reads a room back from its entries, with nobody connected.
    ///
    /// # Errors
    /// [`CorruptLog`] if they are not those of a room.
    pub fn wake<'a>(
        code: &str,
        now: Timestamp,
        entries: impl IntoIterator<Item = &'a Entry<G>>,
        entropy: Entropy,
    ) -> Result<Self, CorruptLog> {
        let mut entries = entries.into_iter();
        let mut state = RoomState::opened(entries.next().ok_or(CorruptLog)?)?;
        for entry in entries {
            state.add(entry, &entropy.shuffle)?;
        }
        Ok(Self::with(code, now, state, entropy))
    }

    fn with(code: &str, now: Timestamp, mut state: RoomState<G>, entropy: Entropy) -> Self {
        if let Some(play) = &mut state.play {
            // A clock that was ahead when the log was written must not hold the table up.
            play.since = play.since.min(now);
        }
        Self {
            code: code.to_owned(),
            state,
            entropy,
            now,
            presence: Presence::new(now),
            admitted: VecDeque::new(),
            newcomers: Vec::new(),
            replies: Replies::default(),
            talk: Talk::default(),
            handovers: Handovers::default(),
            limits: RoomLimits::default(),
            refused: None,
            told: None,
            stale: true,
            away_at: None,
            events: Vec::new(),
            changed: false,
            searches: BTreeMap::new(),
            outputs: Vec::new(),
        }
    }

    /// Takes in what has come, does what is due, and tells what follows from it. Time that goes
    /// back counts as time that stands still.
    pub fn handle(&mut self, now: Timestamp, input: Input<G>) -> Vec<Output<G>> {
        self.now = now.max(self.now);
        self.refused = None;
        match input {
            Input::Connect(conn, address) => {
                self.presence.connect(conn, address);
            }
            Input::Message(conn, message) => self.handle_message(conn, message),
            Input::Disconnect(conn) => self.lose(conn),
            Input::PasswordVerified(conn, is_right) => self.password_verified(conn, is_right),
            Input::PasswordNotTried(conn) => self.password_not_tried(conn),
            Input::PasswordHashed(conn, password_hash) => self.password_hashed(conn, password_hash),
            Input::SearchDone(question, action) => self.advised(&question, action),
            Input::Tick => {}
        }
        self.do_what_is_due();
        self.tell();
        self.request_searches();
        std::mem::take(&mut self.outputs)
    }

    /// When the next thing is due; `None` as long as nothing comes. It is a matter of everything
    /// that [`Room::handle`] has been given, and only of that.
    pub fn deadline(&self) -> Option<Timestamp> {
        let plan = self.plan().map(|(at, _)| at);
        // Presence matters only to those who are here.
        let away = self.away_at.filter(|_| self.is_attended());
        plan.into_iter().chain(away).min()
    }

    /// The number of entries after the first.
    pub fn rev(&self) -> u64 {
        self.state.rev
    }

    /// What the table does.
    pub fn phase(&self) -> Phase {
        self.state.phase()
    }

    /// Sets what the operator permits at this table. The log does not keep it: set it again after [`Room::wake`].
    /// Spectators who are here already may stay.
    pub fn set_limits(&mut self, limits: RoomLimits) {
        self.limits = limits;
    }

    /// What the last message was refused for; `None` if it was not, or if something else has come
    /// since.
    pub fn refused(&self) -> Option<Refusal> {
        self.refused
    }

    /// Whether this connection has said who it is, and was let in.
    pub fn knows(&self, conn: ConnId) -> bool {
        let state = self.presence.state(conn);
        state.is_some_and(|state| state.owner().is_some())
    }

    /// The table as people who are not at it see it.
    pub fn summary(&self) -> Summary {
        let settings = &self.state.settings;
        let title = settings.title.as_ref();
        Summary {
            public: RoomSummary {
                room: self.code.clone(),
                game: G::ID,
                title: title.map(|title| title.as_str().to_owned()),
                seats: self.state.chairs.len(),
                taken: self.sitters(),
                phase: self.state.phase(),
                spectators: self.spectators(),
                locked: settings.password_hash.is_some(),
            },
            listed: settings.listed,
            used: self.state.used,
        }
    }

    /// Whether anybody is connected: a room without anybody can be put to sleep.
    pub fn is_attended(&self) -> bool {
        self.presence.is_attended()
    }
}

/// Two rooms are equal if their logs tell the same of them, whoever is connected.
impl<G: Player> PartialEq for Room<G> {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

// Who is here.
impl<G: Player> Room<G> {
    /// Whether a bot may stand in for the person on this seat: they are away, or do nothing, for too long. The time
    /// begins when the table waits for them. While it is their turn, only a message of theirs ends it: with a
    /// connection that comes and goes they could otherwise hold up the table for ever.
    fn is_missed(&self, seat: Seat, owner: Owner) -> bool {
        let play = self.state.play.as_ref().filter(|play| !play.paused);
        let play = play.filter(|play| play.state.view(None).to_act().contains(&seat));
        let Some(gone) = self.presence.gone_since(owner) else {
            return play.is_some_and(|play| {
                self.waiting_since(play).after(self.patience(SILENT)) <= self.now
            });
        };
        let unheard = play.and_then(|play| {
            let unheard = self.presence.unheard_since(owner)?;
            Some(self.waiting_since(play).max(unheard))
        });
        let since = unheard.map_or(gone, |unheard| unheard.min(gone));
        since.after(self.patience(GRACE)) <= self.now
    }

    /// The people who sit here and are connected, the one who has sat longest first.
    fn present(&self) -> Vec<(Seat, &Person)> {
        let mut present: Vec<_> = self.state.people().collect();
        present.retain(|(_, person)| self.presence.is_here(person.owner));
        present.sort_by_key(|(_, person)| person.since);
        present
    }

    /// How many people watch, on however many connections.
    fn spectators(&self) -> usize {
        self.spectators_among(&self.presence.owners())
    }

    /// How many of these have no seat.
    fn spectators_among(&self, owners: &BTreeSet<Owner>) -> usize {
        let is_spectator = |owner: &&Owner| self.state.seat_of(**owner).is_none();
        owners.iter().filter(is_spectator).count()
    }

    fn lose(&mut self, conn: ConnId) {
        self.newcomers.retain(|newcomer| *newcomer != conn);
        let state = &self.state;
        let is_seated = |owner| state.seat_of(owner).is_some();
        if self
            .presence
            .disconnect(conn, self.now, is_seated)
            .is_none()
        {
            return;
        }
        self.stale = true;
        if self.presence.remembers_too_many() {
            let here = self.presence.owners();
            let matters = |owner| is_seated(owner) || here.contains(&owner);
            self.presence.forget(matters);
            self.replies.retain(matters);
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
        let of_play = self.state.play.as_ref().and_then(|play| self.plan_of(play));
        let plans = self.plan_of_host().into_iter().chain(of_play);
        plans.min_by_key(|(at, _)| *at)
    }

    fn plan_of_host(&self) -> Option<(Timestamp, Plan)> {
        let at = match self.state.host_owner() {
            Some(host) => {
                let since = self
                    .presence
                    .gone_since(host)?
                    .max(self.presence.attended_since());
                since.after(self.patience(HOST_KEPT))
            }
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
                let can_begin = self.begins_with_enough() && !self.is_log_full();
                can_begin.then_some((at, Plan::Rematch))
            }
            Status::ToDeal if play.state.view(None).sheet().rounds().is_empty() => {
                Some((self.now, Plan::Deal))
            }
            Status::ToDeal => {
                let latest = self.next_round_at(play);
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

    /// When the next round is dealt, whoever is ready.
    fn next_round_at(&self, play: &Play<G>) -> Timestamp {
        self.waiting_since(play).after(self.patience(NEXT_ROUND))
    }

    /// From when on all who are present are ready, at least one; somebody whose connection was
    /// lost a moment ago is still present.
    fn all_ready_at(&self) -> Option<Timestamp> {
        let mut at = None;
        for (seat, person) in self.state.people() {
            let is_ready = self.state.chair(seat).is_some_and(|chair| chair.ready);
            match self.presence.gone_since(person.owner) {
                None if is_ready => at = at.max(Some(self.now)),
                None => return None,
                Some(_) if is_ready => {}
                Some(since) => {
                    at = at.max(Some(since.max(self.presence.attended_since()).after(AWAY)))
                }
            }
        }
        at.filter(|_| !self.present().is_empty())
    }

    /// When something will be done for a seat that is to act.
    fn plan_of_seat(&self, play: &Play<G>, seat: Seat) -> Option<(Timestamp, Plan)> {
        let since = self.waiting_since(play);
        if self.state.acting_bot_level(seat).is_some() {
            return Some((since.after(self.pace(seat)), Plan::Act(seat, By::Bot)));
        }
        Some((since.after(self.turn_limit()?), Plan::Act(seat, By::Clock)))
    }

    /// How long the table waits for somebody who is to act.
    fn turn_limit(&self) -> Option<Duration> {
        let limit = self.state.settings.turn_seconds?.get().into();
        Some(self.patience(Duration::from_secs(limit)))
    }

    /// A time for which people are waited for, scaled by [`RoomLimits::patience_percent`].
    fn patience(&self, usual: Duration) -> Duration {
        percent(usual, self.limits.patience_percent)
    }

    /// Since when the table has waited in earnest: not while it slept.
    fn waiting_since(&self, play: &Play<G>) -> Timestamp {
        play.since.max(self.presence.attended_since())
    }

    /// How long the bot on this seat seems to think now: varied, and the same if asked again.
    fn pace(&self, seat: Seat) -> Duration {
        let mixed = (self.state.rev as u32)
            .wrapping_mul(0x9e37_79b9)
            .wrapping_add(seat.index() as u32)
            .wrapping_mul(0x85eb_ca6b);
        let is_fast = self.state.settings.fast_bots && self.state.people().count() == 1;
        let (least, more) = if is_fast { FAST_PACE } else { PACE };
        let usual = Duration::from_millis(least + u64::from((mixed >> 16) % more));
        percent(usual, self.limits.bot_pause_percent)
    }

    fn carry_out(&mut self, plan: Plan) {
        let change = match plan {
            Plan::PassHost(seat) => Change::HostPassed { seat: Some(seat) },
            Plan::Deal => Change::Dealt {
                seed: Seed((self.entropy.bits)()),
            },
            Plan::Rematch => self.start(),
            Plan::Act(seat, by) => {
                let play = self.state.play.as_ref().expect("a game is planned for");
                let level = match by {
                    By::Bot => self.state.acting_bot_level(seat),
                    By::Owner | By::Clock => None,
                };
                let at_once = || {
                    let view = play.state.view(Some(seat));
                    G::advice(view, &play.memory, level.unwrap_or(STAND_IN))
                };
                // A bot that knows nothing to do must not hold up the table.
                let anything = || play.state.view(Some(seat)).legal().into_iter().next();
                let action = self.searched(play, seat).or_else(at_once).or_else(anything);
                let action = action.expect("the seat is to act, so there is something to do");
                Change::Acted { seat, by, action }
            }
        };
        self.enter(None, change);
    }

    /// How many people and bots sit at the table.
    fn sitters(&self) -> usize {
        let chairs = self.state.chairs.iter();
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
        let chosen = self.state.opening_among_sitters();
        let opening = chosen.unwrap_or_else(|| {
            let word = || {
                let [one, two, three, four, ..] = (self.entropy.bits)();
                u32::from_le_bytes([one, two, three, four])
            };
            Seat::new(below(sitters, word) as u8)
        });
        Change::Started { opening }
    }

    /// Whether as much is written down as may be.
    fn is_log_full(&self) -> bool {
        self.state.rev >= self.limits.entries
    }

    /// Whether a change is a move of a seat for which no bot stands in: such a move does not end the standing in.
    fn is_move_of_active_seat(&self, change: &Change<G>) -> bool {
        let Change::Acted { seat, .. } = change else {
            return false;
        };
        let person = self.state.chair(*seat).and_then(Chair::person);
        !person.is_some_and(|person| person.stood_in)
    }

    /// Whether a round is played now.
    fn is_in_round(&self) -> bool {
        let play = self.state.play.as_ref();
        play.is_some_and(|play| play.state.status() == Status::Playing)
    }

    /// Writes down what was decided, and does it.
    fn enter(&mut self, asked: Option<(Owner, String)>, change: Change<G>) {
        let entry = Entry {
            at: self.now,
            asked,
            change,
        };
        let effects = entry.change.effects();
        let is_locked_anew = matches!(&entry.change, Change::Configured { settings, .. }
            if settings.password_hash != self.state.settings.password_hash);
        let may_be_plain = self.is_move_of_active_seat(&entry.change);
        let added = self.state.add(&entry, &self.entropy.shuffle);
        let events = added.expect("what was decided can be done");
        if is_locked_anew {
            self.let_in_anew();
        }
        self.close_searches(effects.ended_searches);
        // A move within a round changes views only: the table is not written again.
        self.stale |= !(may_be_plain && self.is_in_round());
        self.changed |= !events.is_empty() || effects.changes_views;
        self.events.extend(self.acted_for(&entry.change));
        self.events.extend(events.iter().map(Raw::new));
        self.outputs.push(Output::Save(entry));
    }
}

/// So many percent of a time.
fn percent(time: Duration, percent: u32) -> Duration {
    time.saturating_mul(percent) / 100
}
