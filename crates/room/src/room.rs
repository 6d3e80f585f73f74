//! The room: its inputs and outputs, and how it handles one.
//!
//! A room consists of its saved state (`state.rs`) and of the components in `room/`, none of which uses another. The
//! documentation of the crate lists them.

mod activity;
mod admission;
mod admission_order;
mod broadcast;
mod claims;
mod commands;
mod deadlines;
mod early_end;
mod guests;
mod handovers;
mod hello;
mod idle;
mod limits;
mod messages;
mod presence;
mod queue;
mod rate_limit;
mod read_requests;
mod recent_events;
mod reference_numbers;
mod rejections;
mod schedule;
mod searches;
mod spectators;
mod stand_in;
mod talk;
mod timers;
mod unlogged_answers;
mod watching;
mod write_budget;

use std::net::IpAddr;
use std::sync::Arc;

use sticheln_bots::Player;
use sticheln_protocol::{GameEvents, MessageText, Phase, Raw, RoomSummary, SheetMessage, Table};
use sticheln_rules::{Card, Seat, Seed, Status, shuffled};

use crate::chair::Chair;
use crate::outgoing::{Eviction, Outgoing};
use crate::snapshot::Snapshot;
use crate::state::{CorruptLog, RoomState};
use crate::{
    Change, ClientRequest, ConnId, Continuation, Entry, GameOutline, Name, Owner, Password,
    PasswordHash, PersonChange, PersonId, ProtocolVersion, Refusal, ReplayId, RoomSettings,
    RoundLogRequest, Summary, Timestamp,
};

use self::admission::Admission;
pub use self::admission_order::AdmissionRecord;
use self::broadcast::Broadcast;
use self::claims::SeatClaims;
use self::handovers::Handovers;
pub use self::limits::RoomLimits;
use self::presence::Presence;
use self::read_requests::ReadRequests;
use self::recent_events::RecentEvents;
pub use self::searches::SearchRequest;
use self::searches::Searches;
pub use self::talk::Notice;
use self::talk::Talk;
use self::timers::Timers;
use self::unlogged_answers::UnloggedAnswers;
pub use self::write_budget::{MAX_GAME_BYTES, RunningGame, WriteBudget, WriteCharge};

/// An input of a room.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain secrets and hidden cards"
)]
pub enum Input<G: Player> {
    /// A new connection from this address, with this version of the protocol.
    Connect(ConnId, IpAddr, ProtocolVersion),
    /// A message of a client.
    Message(ConnId, ClientRequest),
    /// A connection was closed.
    Disconnect(ConnId),
    /// The answer to [`Effect::VerifyPassword`].
    PasswordVerified(ConnId, PasswordVerdict),
    /// The answer to [`Effect::HashPassword`].
    PasswordHashed(ConnId, Result<PasswordHash, NotHashed>),
    /// The answer to [`Effect::ReadRoundLog`] or [`Effect::ListGames`]: the message that was asked for, or why it cannot be made.
    ReadDone(ConnId, Result<MessageText, Refusal>),
    /// The answer to [`Effect::Search`]. Only the first one counts.
    SearchDone(SearchRequest, G::Action),
    /// The room was woken on this timeline of the database. It comes before all other inputs, unless the timeline is as before.
    Timeline(u32),
    /// The operator has planned a restart for this time at the latest, or called it off.
    PlanRestart(Option<Timestamp>),
    /// A line of the operator for everybody.
    Notice(Notice),
    /// The time [`Room::next_tick_at`] has come.
    Tick,
}

/// The result of [`Effect::VerifyPassword`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordVerdict {
    /// The password has the hash.
    Right,
    /// The password has another hash.
    Wrong,
    /// The password was not verified: the address of the connection has sent too many wrong ones.
    NotTried,
    /// The work has failed.
    Failed,
}

/// The reason why [`Effect::HashPassword`] gave no hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotHashed {
    /// The room has got too many new passwords.
    TooMany,
    /// The work has failed.
    Failed,
}

/// The outputs of a room. Its task saves the entries first, and performs the effects only after that.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
#[must_use]
pub struct Outputs<G: Player> {
    /// The entries to write to the room log.
    pub entries: Vec<UnsavedEntry<G>>,
    /// The summary of the room from now on; `None` if it has not changed.
    pub summary: Option<Summary>,
    /// The requests to the task, in this order.
    pub effects: Vec<Effect<G>>,
}

/// An entry to write to the room log, and what is saved together with it.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
pub struct UnsavedEntry<G: Player> {
    /// The entry.
    pub entry: Entry<G>,
    /// The snapshot of the room before the entry, if it begins a segment.
    pub snapshot: Option<Box<Snapshot<G>>>,
    /// The changes of persons; most entries have none.
    pub persons: Vec<PersonChange>,
    /// The outline of the game, if the entry finishes a round.
    pub outline: Option<Box<(ReplayId, GameOutline)>>,
    /// The bytes for which an address is charged.
    pub charge: WriteCharge,
}

impl<G: Player> Default for Outputs<G> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            summary: None,
            effects: Vec::new(),
        }
    }
}

/// A request to the task of the room. It is performed after the entries are saved. The effects for one connection keep
/// their order.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
pub enum Effect<G: Player> {
    /// Send a message.
    Send(ConnId, Outgoing),
    /// Close a connection.
    Close(ConnId, Eviction),
    /// Mark a connection whose owner was admitted, with this record. If the server loses the room, the next `hello` of the connection has
    /// it. Each admitted connection is marked again when the password changes.
    MarkAdmitted(ConnId, AdmissionRecord),
    /// Count a message that was refused. The answer to it is sent besides.
    CountRefusal(Refusal),
    /// Verify whether this password has this hash, and answer with [`Input::PasswordVerified`]. A connection has at
    /// most one password that waits; the room ignores an answer for a closed connection.
    VerifyPassword(ConnId, Password, PasswordHash),
    /// Hash this password, and answer with [`Input::PasswordHashed`], likewise.
    HashPassword(ConnId, Password),
    /// Read a round of this room log, make its [`round_log`](crate::round_log()), and answer with [`Input::ReadDone`]. A
    /// connection has at most one read that waits; the room ignores an answer for a closed connection.
    ReadRoundLog(ConnId, RoundLogRequest),
    /// Read the games of this room, make the message `games`, and answer with [`Input::ReadDone`], likewise.
    ListGames(ConnId, Owner),
    /// Search for a move in this position, and answer with [`Input::SearchDone`] as long as the request is open. The
    /// room does not wait for it: without an answer the game goes on too.
    Search(SearchRequest, G::Position),
}

/// A function that makes a deck from a pack and a seed. It is [`shuffled`]. Only tests give another one, to stack a deck or
/// to compare the messages for two decks.
pub type Shuffle = Arc<dyn Fn(Vec<Card>, &Seed) -> Vec<Card> + Send + Sync>;

/// The source of everything random in a room.
#[expect(missing_debug_implementations, reason = "functions cannot be printed")]
pub struct Entropy {
    /// 256 random bits at a time.
    pub bits: Box<dyn FnMut() -> [u8; 32] + Send>,
    /// Makes the deck of a deal.
    pub shuffle: Shuffle,
}

impl Entropy {
    /// Entropy from random bits, with the usual shuffle.
    pub fn new(bits: impl FnMut() -> [u8; 32] + Send + 'static) -> Self {
        Self {
            bits: Box::new(bits),
            shuffle: Arc::new(shuffled),
        }
    }
}

/// A room as a state machine. It reads no clock and does no I/O.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
pub struct Room<G: Player> {
    state: RoomState<G>,
    entropy: Entropy,
    limits: RoomLimits,
    presence: Presence,
    admission: Admission,
    answers: UnloggedAnswers,
    talk: Talk,
    transfers: SeatTransfers,
    broadcast: Broadcast,
    slow_work: SlowWork<G>,
    timers: Timers,
    outputs: Outputs<G>,
}

/// The requests to the task that take a while.
struct SlowWork<G: Player> {
    searches: Searches<G::Action>,
    read_requests: ReadRequests,
}

/// The ways in which a seat can move to another owner.
#[derive(Default)]
struct SeatTransfers {
    handovers: Handovers,
    claims: SeatClaims,
}

impl<G: Player> Room<G> {
    /// Opens a room. Returns its first entry too, which has to be saved.
    ///
    /// # Errors
    /// [`Refusal::WrongSeats`] if the game has no such number of seats.
    pub fn open(
        code: &str,
        now: Timestamp,
        seats: usize,
        settings: RoomSettings<G>,
        entropy: Entropy,
    ) -> Result<(Self, Entry<G>), Refusal> {
        Self::open_with(code, now, seats, settings, None, entropy)
    }

    /// Opens a room whose first game is played on from a position.
    ///
    /// # Errors
    /// [`Refusal::WrongSeats`] if the game has no such number of seats.
    pub fn open_continuation(
        code: &str,
        now: Timestamp,
        settings: RoomSettings<G>,
        continuation: Continuation<G>,
        entropy: Entropy,
    ) -> Result<(Self, Entry<G>), Refusal> {
        let seats = continuation.seats();
        let settings = RoomSettings {
            options: continuation.progress.options().clone(),
            ..settings
        };
        let continuation = Some(Box::new(continuation));
        Self::open_with(code, now, seats, settings, continuation, entropy)
    }

    fn open_with(
        code: &str,
        now: Timestamp,
        seats: usize,
        settings: RoomSettings<G>,
        continuation: Option<Box<Continuation<G>>>,
        entropy: Entropy,
    ) -> Result<(Self, Entry<G>), Refusal> {
        if !G::SEATS.contains(&seats) {
            return Err(Refusal::WrongSeats);
        }
        let entry = Entry {
            at: now,
            command: None,
            change: Change::Opened {
                seats,
                settings,
                continuation,
            },
        };
        let state = RoomState::opened(code, &entry).expect("it is a first entry");
        let recent_events = RecentEvents::empty_after(0);
        let room = Self::from_state(now, state, recent_events, entropy);
        Ok((room, entry))
    }

    /// Reads a room back, with nobody connected: from all of its entries, or from a snapshot and the entries that follow
    /// it. At least one entry follows a snapshot. After a snapshot of a game the first one is a deal. `names` are the
    /// newest names of the people with a chair. A person without a name there has none until they choose one.
    ///
    /// # Errors
    /// [`CorruptLog`] if they are not those of a room.
    pub fn wake(
        code: &str,
        now: Timestamp,
        snapshot: Option<Snapshot<G>>,
        entries: impl IntoIterator<Item = Entry<G>>,
        names: impl IntoIterator<Item = (PersonId, Name)>,
        entropy: Entropy,
    ) -> Result<Self, CorruptLog> {
        let mut entries = entries.into_iter();
        let first = entries.next().ok_or(CorruptLog)?;
        let (mut state, first) = match snapshot {
            None => (RoomState::opened(code, &first)?, None),
            Some(snapshot) => {
                let is_deal = matches!(first.change, Change::Dealt { .. });
                if snapshot.is_before_deal() != is_deal {
                    return Err(CorruptLog);
                }
                (RoomState::from_snapshot(code, snapshot)?, Some(first))
            }
        };
        let mut recent_events = RecentEvents::empty_after(state.shown_rev());
        for entry in first.into_iter().chain(entries) {
            let events = state.apply(&entry, &entropy.shuffle)?;
            if entry.change.begins_or_clears_game() {
                recent_events.clear();
            }
            let acted_for = state.acted_for(&entry.change);
            let (rev, mut unsent) = (state.shown_rev(), GameEvents::default());
            recent_events.add(rev, acted_for.as_ref(), &events, &mut unsent);
        }
        state.set_names(names);
        Ok(Self::from_state(now, state, recent_events, entropy))
    }

    /// The snapshot that has to be saved with this change; `None` if the change begins no segment of the room log.
    pub fn snapshot_before(&self, change: &Change<G>) -> Option<Snapshot<G>> {
        let begins_segment = self.state.begins_segment(change);
        begins_segment.then(|| self.state.snapshot()).flatten()
    }

    fn from_state(
        now: Timestamp,
        mut state: RoomState<G>,
        recent_events: RecentEvents,
        entropy: Entropy,
    ) -> Self {
        if let Some(game) = &mut state.game {
            // If the clock was ahead when the room log was written, the room must not wait longer.
            game.since = game.since.min(now);
            game.resumed_at = game.resumed_at.min(Some(now));
            game.limit_set_at = game.limit_set_at.min(Some(now));
            if let Some(pause) = &mut game.pause {
                pause.at = pause.at.min(now);
            }
        }
        let limits = RoomLimits::default();
        Self {
            state,
            entropy,
            presence: Presence::new(now),
            admission: Admission::default(),
            answers: UnloggedAnswers::default(),
            talk: Talk::default(),
            transfers: SeatTransfers::default(),
            broadcast: Broadcast::new(recent_events),
            slow_work: SlowWork {
                searches: Searches::new(),
                read_requests: ReadRequests::default(),
            },
            timers: Timers::new(now, &limits),
            limits,
            outputs: Outputs::default(),
        }
    }

    /// Handles an input, does what is due, and returns what follows from both. `now` is clamped, so
    /// that the time of the room never decreases.
    pub fn handle(&mut self, now: Timestamp, input: Input<G>) -> Outputs<G> {
        self.timers.advance(now);
        // An answer and a message to each connection: the list need not grow step by step.
        let effects = 1 + self.presence.connection_count();
        self.outputs.effects.reserve(effects);
        match input {
            Input::Connect(conn, address, protocol) => {
                self.presence.connect(conn, address, protocol);
            }
            Input::Message(conn, message) => self.handle_message(conn, message),
            Input::Disconnect(conn) => self.disconnect(conn),
            Input::PasswordVerified(conn, verdict) => self.password_verified(conn, verdict),
            Input::PasswordHashed(conn, password_hash) => self.password_hashed(conn, password_hash),
            Input::ReadDone(conn, read) => self.read_done(conn, read),
            Input::SearchDone(request, action) => {
                self.slow_work.searches.set_result(&request, action);
            }
            Input::Timeline(timeline) => self.set_timeline(timeline),
            Input::PlanRestart(at) => self.plan_restart(at),
            Input::Notice(notice) => self.post_notice(&notice),
            Input::Tick => {}
        }
        self.admit_guests_if_open();
        self.record_wait_for_host();
        self.do_what_is_due();
        self.offer_free_seats();
        self.send_update();
        self.request_searches();
        std::mem::take(&mut self.outputs)
    }

    /// The time of the next tick: the next plan is due, or the table changes, as when a person becomes idle. `None`: nothing happens without
    /// another input. It changes only in [`Room::handle`] and [`Room::set_limits`].
    pub fn next_tick_at(&self) -> Option<Timestamp> {
        self.timers.next_tick_at()
    }

    /// The number of the last entry; the first one has 0. Messages have a revision instead, which does not count private changes
    /// ([`Change::is_private`]).
    pub fn entry_number(&self) -> u64 {
        self.state.entry_number
    }

    /// The number of the current generation of the room log. Within one, the revisions of messages never go back.
    pub fn generation(&self) -> u32 {
        self.state.generations.current()
    }

    /// The timeline of the database on which the current generation has begun.
    pub fn timeline(&self) -> u32 {
        self.state.generations.timeline()
    }

    /// The oldest connection of somebody with a seat. Its address is charged for the changes that the room makes by itself.
    pub fn oldest_seated_conn(&self) -> Option<ConnId> {
        let mut admitted = self.presence.admitted();
        let seated = admitted.find(|(_, owner)| self.state.seat_of(*owner).is_some());
        seated.map(|(conn, _)| conn)
    }

    /// The code of the room.
    pub fn code(&self) -> &str {
        &self.state.code
    }

    /// The phase of the room. Only tests call it.
    pub fn phase(&self) -> Phase {
        self.state.phase()
    }

    /// Sets the epoch of the claim under which a server runs this room, if several servers can. A later server has a higher one. Without
    /// it admissions have no numbers.
    pub fn set_epoch(&mut self, epoch: u64) {
        self.presence.admission_order.begin(epoch);
    }

    /// Sets the limits of this room. The room log does not contain them: set them again after [`Room::wake`].
    /// Spectators who are here already may stay.
    pub fn set_limits(&mut self, limits: RoomLimits) {
        self.limits = limits;
        self.timers.scale(&limits);
        self.plan();
    }

    /// The summary of the room, for people outside of it. It changes only in [`Room::handle`], which then returns it in
    /// [`Outputs::summary`].
    pub fn summary(&self) -> Summary {
        let settings = &self.state.settings;
        let title = settings.title.as_ref();
        Summary {
            public: RoomSummary {
                room: self.state.code.clone(),
                game: G::ID,
                title: title.map(|title| title.as_str().to_owned()),
                seats: self.state.chairs.len(),
                taken: self.sitter_count(),
                phase: self.state.phase(),
                spectators: self.spectator_count(),
                locked: settings.password_hash.is_some(),
                replays: settings.replay_access(),
            },
            listed: settings.listed,
            used: self.state.used,
        }
    }

    /// The field `table` of the message `room`, encoded from the present state. After [`Room::handle`] it is the newest one
    /// that each admitted connection was sent.
    pub fn table(&self) -> Raw<Table> {
        Raw::new(&self.table_state())
    }

    /// The message `sheet` from the present state; `None` without a game. After [`Room::handle`] it is the newest one that
    /// each admitted connection was sent. Only tests call it.
    pub fn sheet(&self) -> Option<SheetMessage> {
        self.state.sheet().map(SheetMessage::new)
    }

    /// Whether an admitted person is connected. Only tests call it.
    pub fn is_occupied(&self) -> bool {
        self.presence.is_occupied()
    }
}

/// Two rooms are equal if their logs and the names of their people give the same state. Connections do not matter.
impl<G: Player> PartialEq for Room<G> {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

// Steps that several inputs share.
impl<G: Player> Room<G> {
    fn disconnect(&mut self, conn: ConnId) {
        self.admission.forget(conn);
        self.broadcast.forget(conn);
        self.slow_work.read_requests.forget(conn);
        let state = &self.state;
        let is_seated = |owner| state.seat_of(owner).is_some();
        let now = self.timers.now();
        if self.presence.disconnect(conn, now, is_seated).is_none() {
            return;
        }
        self.broadcast.invalidate_table();
        self.drop_void_claims();
        self.forget_absent();
    }

    /// Forgets the absences of people who have neither a seat nor a connection, the answers kept for them, and their numbers and
    /// names as spectators, if there are too many.
    fn forget_absent(&mut self) {
        if self.presence.remembers_too_many() || self.presence.spectators.are_too_many() {
            let state = &self.state;
            let is_seated = |owner| state.seat_of(owner).is_some();
            let here = self.presence.owners();
            let watchers = state.watchers();
            let matters =
                |owner| is_seated(owner) || here.contains(&owner) || watchers.contains(&owner);
            self.presence.retain_absences(matters);
            self.presence.spectators.retain(matters);
            self.answers.retain(matters);
        }
    }

    /// Makes an entry from a change, applies it to the state, and gives it out for saving.
    /// `name` is the one that it gives to the person who sent the command.
    fn add_entry(
        &mut self,
        command: Option<(Owner, String)>,
        change: Change<G>,
        name: Option<Name>,
    ) {
        let entry = Entry {
            at: self.timers.now(),
            command,
            change,
        };
        let properties = entry.change.properties();
        let has_new_password = matches!(&entry.change, Change::Configured { settings, .. }
            if settings.password_hash != self.state.settings.password_hash);
        let keeps_table_unchanged = self.keeps_table_unchanged(&entry.change);
        let snapshot = self.snapshot_before(&entry.change).map(Box::new);
        let left = self.state.leaving(&entry.change);
        let charge = self.write_charge(&entry.change);
        let cleared = self.state.outline_of_cleared(&entry.change);
        let applied = self.state.apply(&entry, &self.entropy.shuffle);
        let events = applied.expect("a change that was decided can be applied");
        if has_new_password {
            // Only people who are connected stay admitted.
            let presence = &self.presence;
            self.admission.retain(|owner| presence.is_here(owner));
            let password = self.state.settings.password_hash.as_ref();
            let renewed = self.presence.renew_admissions(password).into_iter();
            let renewed = renewed.map(|(conn, record)| Effect::MarkAdmitted(conn, record));
            self.outputs.effects.extend(renewed);
            if self.state.settings.password_hash.is_some() {
                // They have given the old one.
                for guest in self.admission.guests.take_all() {
                    self.answer_guest(&guest, Err(Refusal::WrongPassword));
                }
            }
        }
        self.drop_void_claims();
        if matches!(entry.change, Change::Dealt { .. }) {
            // Permissions to see all hands last one round.
            self.presence.spectators.watch_requests.clear();
        }
        if entry.change.begins_or_clears_game() {
            self.broadcast.advance_game_sequence();
        }
        self.slow_work.searches.close(properties.ended_searches);
        // A move within a round changes views only: the table is not encoded again. Exception: the move may begin the
        // turn of a person with an interrupted absence. Then `stand_in_from` changes, which the table contains. The tests
        // compare `Room::table` after each input with the table that was sent.
        let changes_views_only = keeps_table_unchanged
            && self.is_in_round()
            && !self.presence.has_interrupted_absences();
        if !changes_views_only && !properties.is_private {
            self.broadcast.invalidate_table();
        }
        if let Change::ChoiceReplaced { seat, .. } = entry.change {
            self.mark_choice_replaced(seat);
        }
        if properties.changes_views {
            self.broadcast.mark_views_changed();
        }
        let acted_for = self.state.acted_for(&entry.change);
        let rev = self.state.shown_rev();
        self.broadcast.add_events(rev, acted_for.as_ref(), &events);
        let persons = self.person_changes(&entry, left, name);
        let outline = cleared.or_else(|| self.state.outline_after(&entry.change));
        self.outputs.entries.push(UnsavedEntry {
            entry,
            snapshot,
            persons,
            outline,
            charge,
        });
    }

    /// Marks the views that show a replaced choice: those of the seat, and of spectators who see all hands.
    fn mark_choice_replaced(&mut self, seat: Seat) {
        let state = &self.state;
        let conns = self.presence.admitted();
        let own = conns.filter(|(_, owner)| {
            state.hand_seat(*owner) == Some(seat) || state.sees_all_hands(*owner)
        });
        own.for_each(|(conn, _)| self.broadcast.mark_view_changed(conn));
    }

    /// The changes of persons with an entry; most entries have none. A person can have left, and the sender of the command
    /// can get a name.
    fn person_changes(
        &mut self,
        entry: &Entry<G>,
        left: Option<PersonId>,
        name: Option<Name>,
    ) -> Vec<PersonChange> {
        let mut changes = Vec::new();
        if let Some(left) = left {
            changes.push(PersonChange::Left(left));
        }
        if let Some(name) = name {
            changes.extend(self.name_sender(entry, name));
        }
        changes
    }

    /// Gives a name to the person whose command made this entry.
    fn name_sender(&mut self, entry: &Entry<G>, name: Name) -> Option<PersonChange> {
        let (sender, _) = entry.command.as_ref()?;
        let seat = self.state.seat_of(*sender)?;
        let id = self.state.chair(seat)?.person()?.id;
        self.state.set_names([(id, name.clone())]);
        Some(PersonChange::Named(id, name))
    }

    /// Whether a change is a move that leaves the chair of its seat as the table shows it: no stand-in ends with it, and
    /// nobody stops being idle.
    fn keeps_table_unchanged(&self, change: &Change<G>) -> bool {
        let Change::Acted { seat, .. } = change else {
            return false;
        };
        let person = self.state.chair(*seat).and_then(Chair::person);
        let has_stand_in = person.is_some_and(|person| person.has_stand_in);
        let game = self.state.game.as_ref();
        let has_more_time = game.is_some_and(|game| game.requests_of(*seat).has_more_time);
        !has_stand_in && !has_more_time && !self.may_show_idle()
    }

    /// A new generation begins if the last entries may have been lost: the database has another timeline than before.
    fn set_timeline(&mut self, timeline: u32) {
        if timeline != self.timeline() {
            self.add_entry(None, Change::GenerationBegun { timeline }, None);
        }
    }

    /// Whether a planned restart waits for this room: people are connected, and a round is played or paused.
    pub fn delays_restart(&self) -> bool {
        self.presence.is_occupied() && self.is_in_round()
    }

    /// Holds back games and deals until a planned restart, or no longer.
    fn plan_restart(&mut self, at: Option<Timestamp>) {
        self.timers.set_restart_at(at);
        self.broadcast.invalidate_table();
        // The view has the time of the next deal, which a planned restart holds back.
        if self.state.game.is_some() {
            self.broadcast.mark_views_changed();
        }
    }

    /// Whether a round is played now.
    fn is_in_round(&self) -> bool {
        let game = self.state.game.as_ref();
        game.is_some_and(|game| game.state.status() == Status::Playing)
    }

    /// Whether as many entries follow the last snapshot as are allowed. Without a game it is
    /// never full: the lobby takes a snapshot after each 200 entries.
    fn is_log_full(&self) -> bool {
        self.state.game.is_some() && self.state.entries_after_snapshot() >= self.limits.entries
    }
}
