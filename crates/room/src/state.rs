//! The saved state of a room: the fold of its entries, with the names of people.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sticheln_bots::{Level, Player};
use sticheln_protocol::ActedFor;
use sticheln_rules::{Event, Seat, Seed, Sheet, State, Status};
use thiserror::Error;

use crate::chair::{BOT_FOR_PERSON_LEVEL, Bot, Chair, Person, Sitter};
use crate::command_id::CommandId;
use crate::continuation::Continuation;
use crate::current_game::{CurrentGame, Pause};
use crate::entry::Decider;
use crate::game_header::GameHeader;
use crate::generations::Generations;
use crate::hand_seat::{HandSeats, MAX_WATCHERS};
use crate::host_decisions::HostDecisions;
use crate::seat_requests::SeatRequests;
use crate::{
    Actor, Change, Entry, Name, Owner, PasswordHash, PersonId, Phase, ReplayId, RoomSettings,
    Shuffle, Timestamp,
};

/// The most command ids of one owner that are kept, for commands that have led to entries and for others. A command that is sent again
/// after as many others can be executed twice.
pub const MAX_IDS_PER_OWNER: usize = 64;
/// The most owners whose command ids or absences are kept. With more, the room forgets those of owners without a seat. It keeps
/// the absences and the unlogged answers of connected owners.
pub(crate) const MAX_REMEMBERED_OWNERS: usize = 64;

/// The most entries of a segment in the lobby: the next entry begins a new one.
const MAX_LOBBY_SEGMENT: u64 = 200;

/// The state of a room. It depends on the room log and the names of people alone, and not on who is connected.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RoomState<G: Player> {
    /// The room code.
    pub(crate) code: String,
    /// The number of the last entry: see [`Room::entry_number`](crate::Room::entry_number).
    pub(crate) entry_number: u64,
    pub(crate) log: LogCounters,
    pub(crate) settings: RoomSettings<G>,
    pub(crate) chairs: Vec<Chair>,
    pub(crate) host: Option<Seat>,
    /// Whether anybody has ever sat down, or the game comes from a file.
    pub(crate) used: bool,
    pub(crate) game: Option<CurrentGame<G>>,
    /// The game that is played on when the next game begins; `None` in most rooms.
    pub(crate) continuation: Option<Box<Continuation<G>>>,
    /// The ids of the commands of each owner that have led to entries.
    pub(crate) applied_ids: BTreeMap<Owner, AppliedIds>,
    pub(crate) host_decisions: HostDecisions,
    pub(crate) generations: Generations,
}

/// Counters of the entries of a room log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogCounters {
    /// The number of entries that are private ([`Change::is_private`]).
    pub(crate) private_entries: u64,
    /// The shown revision at the last snapshot, which is 0 before the first one. The room wakes from the entries after it.
    pub(crate) snapshot_rev: u64,
}

/// The ids of the last commands of one owner that have led to entries, the newest last. A snapshot shares them with the room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AppliedIds(Arc<VecDeque<CommandId>>);

impl AppliedIds {
    /// Adds an id. The oldest one is removed if there are too many.
    fn add(&mut self, id: &str) {
        let ids = Arc::make_mut(&mut self.0);
        if ids.len() >= MAX_IDS_PER_OWNER {
            ids.pop_front();
        }
        ids.push_back(CommandId::of(id));
    }

    /// Whether this id is among them.
    pub(crate) fn contains(&self, id: CommandId) -> bool {
        self.0.contains(&id)
    }
}

impl Serialize for AppliedIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        VecDeque::serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for AppliedIds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        VecDeque::deserialize(deserializer).map(|ids| Self(Arc::new(ids)))
    }
}

/// The error of a room log with an entry that does not follow from those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an entry of the room log does not follow from those before it")]
pub struct CorruptLog;

impl<G: Player> RoomState<G> {
    /// The state after the first entry.
    pub(crate) fn opened(code: &str, entry: &Entry<G>) -> Result<Self, CorruptLog> {
        let Change::Opened {
            seats,
            settings,
            continuation,
        } = &entry.change
        else {
            return Err(CorruptLog);
        };
        let imported = continuation.as_ref();
        let imported = imported.and_then(|game| game.imported.as_ref());
        let chairs = match imported {
            None => vec![Chair::FREE; *seats],
            Some(game) => game.bots.iter().cloned().map(Chair::of_bot).collect(),
        };
        if chairs.len() != *seats {
            return Err(CorruptLog);
        }
        Ok(Self {
            code: code.to_owned(),
            entry_number: 0,
            log: LogCounters::default(),
            settings: settings.clone(),
            chairs,
            host: None,
            used: imported.is_some(),
            game: None,
            continuation: continuation.clone(),
            applied_ids: BTreeMap::new(),
            host_decisions: HostDecisions::default(),
            generations: Generations::default(),
        })
    }

    /// Applies an entry. Returns the events of the game. `shuffle` makes the deck of a deal.
    pub(crate) fn apply(
        &mut self,
        entry: &Entry<G>,
        shuffle: &Shuffle,
    ) -> Result<Vec<Event<G>>, CorruptLog> {
        let has_right_decider = match entry.change.properties().decider {
            Decider::Person => entry.command.is_some(),
            Decider::Room => entry.command.is_none(),
            Decider::Either => true,
        };
        if !has_right_decider {
            return Err(CorruptLog);
        }
        if self.begins_segment(&entry.change) {
            self.log.snapshot_rev = self.shown_rev();
            self.forget_ids_of_unseated();
        }
        let events = self.apply_change(entry, shuffle)?;
        if let Some(game) = &mut self.game {
            for event in &events {
                G::remember(&mut game.memory, event);
            }
        }
        self.entry_number += 1;
        self.log.private_entries += u64::from(entry.change.is_private());
        if let Some((owner, id)) = &entry.command {
            self.applied_ids.entry(*owner).or_default().add(id);
            if self.applied_ids.len() > MAX_REMEMBERED_OWNERS {
                self.forget_ids_of_unseated();
            }
        }
        Ok(events)
    }

    /// Counts a private entry without applying it.
    pub(crate) fn skip_private_entry(&mut self) {
        self.entry_number += 1;
        self.log.private_entries += 1;
    }

    /// Keeps the applied ids of people with a seat only.
    fn forget_ids_of_unseated(&mut self) {
        let seated: Vec<_> = self.people().map(|(_, person)| person.owner).collect();
        self.applied_ids.retain(|owner, _| seated.contains(owner));
    }

    /// Whether this change begins a segment of the room log: a deal does, and in the lobby the change after a full segment.
    /// No round is in progress then, so a snapshot of the state before the change contains no hidden data.
    pub(crate) fn begins_segment(&self, change: &Change<G>) -> bool {
        match &self.game {
            Some(game) => {
                matches!(change, Change::Dealt { .. }) && game.state.status() == Status::ToDeal
            }
            None => self.entries_after_snapshot() >= MAX_LOBBY_SEGMENT,
        }
    }

    /// The revision that messages have: the number of entries after the first one, without the private ones. So nobody can
    /// count those.
    pub(crate) fn shown_rev(&self) -> u64 {
        self.entry_number - self.log.private_entries
    }

    /// The number of entries after the last snapshot, without the private ones.
    pub(crate) fn entries_after_snapshot(&self) -> u64 {
        self.shown_rev() - self.log.snapshot_rev
    }

    fn apply_change(
        &mut self,
        entry: &Entry<G>,
        shuffle: &Shuffle,
    ) -> Result<Vec<Event<G>>, CorruptLog> {
        let at = entry.at;
        let sender = entry.command.as_ref().map(|(owner, _)| *owner);
        match &entry.change {
            Change::Opened { .. } => return Err(CorruptLog),
            Change::Sat { seat, person } => {
                self.sit(at, sender.ok_or(CorruptLog)?, *seat, *person)?
            }
            Change::Left { seat, replacement } => {
                self.leave(*seat, replacement.as_ref(), sender)?;
            }
            Change::SpectatorRemoved { owner } => {
                if self.seat_of(*owner).is_some() {
                    return Err(CorruptLog);
                }
                self.begin_waiting_room(*owner);
                if let Some(game) = &mut self.game {
                    game.hand_seats.hide_all_hands(*owner);
                }
            }
            Change::GuestAdmitted { owner } => self.host_decisions.admit(*owner),
            // The name is not part of the entry.
            Change::Renamed { seat } => _ = self.person_mut(*seat)?,
            Change::Ready { seat, ready } => self.chair_mut(*seat)?.ready = *ready,
            Change::CharacterChosen { seat, character } => {
                self.choose_character(*seat, *character)?
            }
            Change::Configured { seats, settings } => self.configure(at, *seats, settings),
            Change::BotSeated { seat, level, name } => {
                self.chair_mut(*seat)?.sitter = Sitter::Bot(Bot {
                    level: *level,
                    name: name.clone(),
                });
            }
            Change::HostPassed { seat } => self.host = *seat,
            Change::Swapped { a, b } => self.swap(*a, *b)?,
            Change::Started { opening, replay } => self.start(*opening, *replay, at)?,
            Change::Dealt { seed, watchers } => return self.deal(at, seed, watchers, shuffle),
            Change::Acted { seat, by, action } => return self.act(at, *seat, *by, action),
            Change::ChoiceReplaced { seat, action } => self.replace_choice(*seat, action)?,
            Change::StoodIn { seat } => self.person_mut(*seat)?.has_stand_in = true,
            Change::Returned { seat } => self.person_mut(*seat)?.has_stand_in = false,
            Change::Paused { seat } => self.pause(*seat, at)?,
            Change::Resumed => self.resume(at)?,
            Change::MoreTime { seat } => self.requests_mut(*seat)?.has_more_time = true,
            Change::Held { seat } => self.requests_mut(*seat)?.holds = true,
            Change::EndAgreed { seat, agrees } => {
                self.requests_mut(*seat)?.agrees_to_end = *agrees;
            }
            Change::EndedEarly => return self.end_early(at),
            Change::Ended => {
                self.clear_ready();
                self.game = None;
            }
            Change::HandedOver { seat } => self.hand_over(*seat, sender.ok_or(CorruptLog)?)?,
            Change::Claimed { seat, owner } => self.claim(at, *seat, *owner)?,
            Change::Restored { seat } => self.restore(*seat)?,
            Change::GenerationBegun { timeline } => {
                self.generations.begin(*timeline, self.shown_rev())?;
            }
        }
        Ok(Vec::new())
    }

    fn sit(
        &mut self,
        at: Timestamp,
        owner: Owner,
        seat: Seat,
        id: PersonId,
    ) -> Result<(), CorruptLog> {
        if id != self.next_person() || self.has_seen_all_hands(owner) {
            return Err(CorruptLog);
        }
        let person = Person {
            id,
            owner,
            former_owner: None,
            name: None,
            since: at,
            has_stand_in: false,
        };
        *self.chair_mut(seat)? = Chair {
            sitter: Sitter::Person(person),
            ready: false,
            character: None,
        };
        self.withdraw_agreement(seat);
        self.host_decisions.sit(owner);
        self.used = true;
        let seated = self.seated_owners();
        if let Some(game) = &mut self.game
            && !matches!(game.state.status(), Status::Over(_))
        {
            game.header.add_owner(owner, &seated);
        }
        Ok(())
    }

    /// The id of a person who sits down with the next entry.
    pub(crate) fn next_person(&self) -> PersonId {
        PersonId(self.entry_number + 1)
    }

    /// The person who leaves their chair by this change: they go, or another person takes the chair.
    pub(crate) fn leaving(&self, change: &Change<G>) -> Option<PersonId> {
        let (Change::Sat { seat, .. } | Change::Left { seat, .. }) = change else {
            return None;
        };
        Some(self.chair(*seat)?.person()?.id)
    }

    /// Sets the names of people. Those who have no chair any more are ignored.
    pub(crate) fn set_names(&mut self, names: impl IntoIterator<Item = (PersonId, Name)>) {
        let mut names: BTreeMap<_, _> = names.into_iter().collect();
        for chair in &mut self.chairs {
            if let Sitter::Person(person) = &mut chair.sitter
                && let Some(name) = names.remove(&person.id)
            {
                person.name = Some(name);
            }
        }
    }

    /// A person or a bot leaves a chair. A removed person must not come back under another token, so newcomers wait from then
    /// on.
    fn leave(
        &mut self,
        seat: Seat,
        replacement: Option<&Name>,
        sender: Option<Owner>,
    ) -> Result<(), CorruptLog> {
        let person = self.chair(seat).and_then(Chair::person);
        let removed = person.map(|person| person.owner);
        let removed = removed.filter(|owner| Some(*owner) != sender);
        self.withdraw_agreement(seat);
        let replacement = replacement.map(|name| Bot {
            level: BOT_FOR_PERSON_LEVEL,
            name: name.clone(),
        });
        *self.chair_mut(seat)? = Chair {
            sitter: replacement.map_or(Sitter::Free, Sitter::Bot),
            ready: false,
            character: None,
        };
        self.host = self.host.filter(|host| *host != seat);
        if let Some(owner) = removed {
            self.begin_waiting_room(owner);
        }
        Ok(())
    }

    /// From now on newcomers wait for the host, who has removed this owner.
    fn begin_waiting_room(&mut self, removed: Owner) {
        self.settings.waiting_room = true;
        self.host_decisions.remove(removed);
    }

    fn choose_character(&mut self, seat: Seat, character: Option<u8>) -> Result<(), CorruptLog> {
        self.person_mut(seat)?;
        let exists = character.is_none_or(|at| usize::from(at) < G::CHARACTERS.len());
        if !exists || self.is_character_taken(character, seat) {
            return Err(CorruptLog);
        }
        self.chair_mut(seat)?.character = character;
        Ok(())
    }

    /// Whether a person on another chair than this one has chosen the character.
    pub(crate) fn is_character_taken(&self, character: Option<u8>, except: Seat) -> bool {
        let mut others = self.seats().filter(|(seat, _)| *seat != except);
        character.is_some() && others.any(|(_, chair)| chair.character == character)
    }

    fn configure(&mut self, at: Timestamp, seats: usize, settings: &RoomSettings<G>) {
        self.chairs.resize(seats, Chair::FREE);
        if let Some(game) = &mut self.game
            && self.settings.turn_seconds != settings.turn_seconds
        {
            // The time limit begins again, and the waits for idle people go on.
            game.limit_set_at = Some(at);
        }
        self.settings = settings.clone();
        if !self.settings.waiting_room {
            self.host_decisions.clear();
        }
    }

    fn swap(&mut self, a: Seat, b: Seat) -> Result<(), CorruptLog> {
        self.chair_mut(a)?;
        self.chair_mut(b)?;
        self.chairs.swap(a.index(), b.index());
        let swap = |seat| match seat {
            seat if seat == a => b,
            seat if seat == b => a,
            seat => seat,
        };
        self.host = self.host.map(swap);
        self.settings.opening_seat = self.settings.opening_seat.map(swap);
        Ok(())
    }

    fn deal(
        &mut self,
        at: Timestamp,
        seed: &Seed,
        watchers: &[Owner],
        shuffle: &Shuffle,
    ) -> Result<Vec<Event<G>>, CorruptLog> {
        if watchers.len() > MAX_WATCHERS || watchers.iter().any(|owner| self.has_place(*owner)) {
            return Err(CorruptLog);
        }
        self.clear_ready();
        let people = self.people();
        let hands = people.map(|(seat, person)| (person.owner, seat));
        let hand_seats = HandSeats::dealt(hands, watchers);
        let deal = self.entry_number + 1;
        let game = self.game_mut()?;
        // Without spare capacity: most rooms are idle.
        game.header.deal_entries.reserve_exact(1);
        game.header.deal_entries.push(deal);
        game.hand_seats = hand_seats;
        for requests in &mut game.requests {
            *requests = requests.after_deal();
        }
        game.replacement_counts.clear();
        let deck = game.next_deck(seed, shuffle);
        let events = game.state.deal(&deck).map_err(|_| CorruptLog)?;
        game.drop_repeated();
        game.wait_from(at);
        Ok(events)
    }

    /// Pauses the game. People can become ready to end the pause.
    fn pause(&mut self, seat: Seat, at: Timestamp) -> Result<(), CorruptLog> {
        self.requests_mut(seat)?.pauses += 1;
        self.game_mut()?.pause = Some(Pause { by: seat, at });
        self.clear_ready();
        Ok(())
    }

    /// Ends the pause. Waits go on where they were.
    fn resume(&mut self, at: Timestamp) -> Result<(), CorruptLog> {
        let game = self.game_mut()?;
        let pause = game.pause.take().ok_or(CorruptLog)?;
        game.since = game.since.after(at.since(pause.at)).min(at);
        game.resumed_at = Some(at);
        if game.state.status() == Status::Playing {
            self.clear_ready();
        }
        Ok(())
    }

    /// Ends the game with the rounds that have been scored.
    fn end_early(&mut self, at: Timestamp) -> Result<Vec<Event<G>>, CorruptLog> {
        self.clear_ready();
        let game = self.game_mut()?;
        game.pause = None;
        game.continuation = None;
        game.wait_from(at);
        let events = game.state.end_early().map_err(|_| CorruptLog)?;
        self.keep_players_of_finished_round();
        Ok(events)
    }

    fn requests_mut(&mut self, seat: Seat) -> Result<&mut SeatRequests, CorruptLog> {
        let requests = self.game_mut()?.requests.get_mut(seat.index());
        requests.ok_or(CorruptLog)
    }

    /// The person who agreed to end the game early is not on this seat any more.
    fn withdraw_agreement(&mut self, seat: Seat) {
        if let Ok(requests) = self.requests_mut(seat) {
            requests.agrees_to_end = false;
        }
    }

    /// Gives a seat to another owner, who is sent its hand if the giver was.
    fn hand_over(&mut self, seat: Seat, receiver: Owner) -> Result<(), CorruptLog> {
        if self.has_seen_all_hands(receiver) {
            return Err(CorruptLog);
        }
        let person = self.person_mut(seat)?;
        let giver = std::mem::replace(&mut person.owner, receiver);
        person.has_stand_in = false;
        let seated = self.seated_owners();
        if let Some(game) = &mut self.game {
            game.hand_seats.hand_over(seat, giver, receiver);
            game.header.transfer_seat(giver, receiver, &seated);
        }
        Ok(())
    }

    /// Gives a seat to the owner who has claimed it. They are sent no hand of this round. The role of the host does not
    /// move with the seat.
    fn claim(&mut self, at: Timestamp, seat: Seat, claimant: Owner) -> Result<(), CorruptLog> {
        if self.seat_of(claimant).is_some() || self.has_seen_all_hands(claimant) {
            return Err(CorruptLog);
        }
        let person = self.person_mut(seat)?;
        let earlier = std::mem::replace(&mut person.owner, claimant);
        // After several claims the first owner is the one who sat down.
        person.former_owner.get_or_insert(earlier);
        person.since = at;
        person.has_stand_in = false;
        let seated = self.seated_owners();
        if let Some(game) = &mut self.game {
            game.header.transfer_seat(earlier, claimant, &seated);
        }
        self.withdraw_agreement(seat);
        self.chair_mut(seat)?.ready = false;
        self.host = self.host.filter(|host| *host != seat);
        Ok(())
    }

    /// Gives a seat back to the owner to whom it belonged before it was claimed. They are sent its hand if it was dealt to
    /// them or to the claimant.
    fn restore(&mut self, seat: Seat) -> Result<(), CorruptLog> {
        let person = self.person_mut(seat)?;
        let former = person.former_owner.take().ok_or(CorruptLog)?;
        let claimant = std::mem::replace(&mut person.owner, former);
        person.has_stand_in = false;
        let seated = self.seated_owners();
        if let Some(game) = &mut self.game {
            game.hand_seats.hand_over(seat, claimant, former);
            game.header.transfer_seat(claimant, former, &seated);
        }
        self.withdraw_agreement(seat);
        Ok(())
    }

    /// Begins a game with everybody who is seated. Free chairs are removed, and the others move up. No bot stands in.
    fn start(&mut self, opening: Seat, replay: ReplayId, at: Timestamp) -> Result<(), CorruptLog> {
        let host = self.host_owner();
        self.settings.opening_seat = self.opening_among_sitters();
        self.chairs.retain(|chair| chair.sitter != Sitter::Free);
        self.host = host.and_then(|host| self.seat_of(host));
        self.clear_ready();
        for chair in &mut self.chairs {
            if let Sitter::Person(person) = &mut chair.sitter {
                person.has_stand_in = false;
            }
        }
        let starters = self.people().map(|(_, person)| person.owner).collect();
        let mut header = GameHeader::new(replay, at, starters);
        let characters: Vec<_> = self.chairs.iter().map(|chair| chair.character).collect();
        let continuation = self.continuation.take();
        let state = match &continuation {
            Some(continuation) => continuation.initial_state()?,
            None => {
                let options = G::with_characters(&self.settings.options, &characters);
                State::new(options, self.chairs.len(), opening).map_err(|_| CorruptLog)?
            }
        };
        if state.seats().count() != self.chairs.len() {
            return Err(CorruptLog);
        }
        if let Some(continuation) = &continuation {
            header.played_on = continuation.played_on.clone().map(Box::new);
            let imported = continuation.imported.as_ref();
            header.players_of_file = imported.map(|game| game.players.clone());
        }
        let requests = vec![SeatRequests::default(); self.chairs.len()];
        let mut game = CurrentGame::before_deal(state, at, requests, Box::new(header));
        game.continuation = continuation;
        self.game = Some(game);
        Ok(())
    }

    fn act(
        &mut self,
        at: Timestamp,
        seat: Seat,
        by: Actor,
        action: &G::Action,
    ) -> Result<Vec<Event<G>>, CorruptLog> {
        let game = self.game_mut()?;
        if by == Actor::Continuation || game.continuation.is_some() {
            game.take_repeated_move(seat, by, action)?;
        }
        let acting_before = game.state.view(None).to_act();
        if !acting_before.contains(&seat) {
            return Err(CorruptLog);
        }
        let events = game
            .state
            .act(seat, action.clone())
            .map_err(|_| CorruptLog)?;
        game.drop_repeated();
        let acting = game.state.view(None).to_act();
        // While several seats act in any order, their time does not begin again.
        let is_same_wait = acting.len() < acting_before.len()
            && acting.iter().all(|seat| acting_before.contains(seat));
        if acting.is_empty() || !is_same_wait {
            game.wait_from(at);
        }
        if let Some(requests) = game.requests.get_mut(seat.index()) {
            requests.has_more_time = false;
        }
        if acting.is_empty() {
            // People become ready for what follows this move.
            self.clear_ready();
        }
        if by == Actor::Owner {
            self.person_mut(seat)?.has_stand_in = false;
        }
        self.keep_players_of_finished_round();
        Ok(events)
    }

    /// Keeps the players of a round that is finished now, because others can have their seats before the next deal.
    fn keep_players_of_finished_round(&mut self) {
        if let Some(game) = &mut self.game
            && game.state.status() != Status::Playing
        {
            game.header.keep_players(&self.chairs);
        }
    }

    /// Replaces the action of the move that the room repeats next, for a playback that knows the last choice of its seat.
    pub(crate) fn replace_repeated_action(&mut self, action: &G::Action) {
        let continuation = self
            .game
            .as_mut()
            .and_then(|game| game.continuation.as_mut());
        if let Some(continuation) = continuation {
            continuation.replace_next_action(action);
        }
    }

    /// Replaces the choice of a seat. Nothing else changes: neither the time of the other seats nor a stand-in.
    fn replace_choice(&mut self, seat: Seat, action: &G::Action) -> Result<(), CorruptLog> {
        let game = self.game_mut()?;
        if !game.state.view(None).chosen().contains(&seat) {
            return Err(CorruptLog);
        }
        let events = game.state.act(seat, action.clone());
        let events = events.map_err(|_| CorruptLog)?;
        debug_assert!(events.is_empty(), "a replaced choice has no events");
        *game.replacement_counts.entry(seat).or_default() += 1;
        Ok(())
    }

    fn clear_ready(&mut self) {
        self.chairs.iter_mut().for_each(|chair| chair.ready = false);
    }

    /// Every chair with its seat.
    pub(crate) fn seats(&self) -> impl Iterator<Item = (Seat, &Chair)> {
        (0..).map(Seat::new).zip(&self.chairs)
    }

    /// Every person with their seat.
    pub(crate) fn people(&self) -> impl Iterator<Item = (Seat, &Person)> {
        self.seats()
            .filter_map(|(seat, chair)| Some((seat, chair.person()?)))
    }

    /// The owners of all seats.
    fn seated_owners(&self) -> Vec<Owner> {
        self.people().map(|(_, person)| person.owner).collect()
    }

    /// The event that comes before those of a move that was made for a person.
    pub(crate) fn acted_for(&self, change: &Change<G>) -> Option<ActedFor> {
        let Change::Acted { seat, by, .. } = *change else {
            return None;
        };
        let is_own_move = match by {
            Actor::Owner | Actor::Continuation => true,
            Actor::Bot => self.chair(seat)?.person().is_none(),
            Actor::Clock => false,
        };
        (!is_own_move).then_some(ActedFor { seat, by })
    }

    /// The game, also if it is over, unless it is paused; `None` without a game.
    pub(crate) fn unpaused_game(&self) -> Option<&CurrentGame<G>> {
        self.game.as_ref().filter(|game| !game.is_paused())
    }

    /// Whether the person on this chair is ready.
    pub(crate) fn is_ready(&self, seat: Seat) -> bool {
        self.chair(seat).is_some_and(|chair| chair.ready)
    }

    /// The chair with this number.
    pub(crate) fn chair(&self, seat: Seat) -> Option<&Chair> {
        self.chairs.get(seat.index())
    }

    fn chair_mut(&mut self, seat: Seat) -> Result<&mut Chair, CorruptLog> {
        self.chairs.get_mut(seat.index()).ok_or(CorruptLog)
    }

    fn person_mut(&mut self, seat: Seat) -> Result<&mut Person, CorruptLog> {
        match &mut self.chair_mut(seat)?.sitter {
            Sitter::Person(person) => Ok(person),
            Sitter::Free | Sitter::Bot(_) => Err(CorruptLog),
        }
    }

    fn game_mut(&mut self) -> Result<&mut CurrentGame<G>, CorruptLog> {
        self.game.as_mut().ok_or(CorruptLog)
    }

    /// The seat of the chosen opening chair once free chairs are removed; `None` if it is free.
    pub(crate) fn opening_among_sitters(&self) -> Option<Seat> {
        let chosen = self.settings.opening_seat?.index();
        let is_taken = |chair: &&Chair| chair.sitter != Sitter::Free;
        self.chairs.get(chosen).filter(is_taken)?;
        let before = self.chairs[..chosen].iter().filter(is_taken).count();
        Some(Seat::new(before as u8))
    }

    /// The seat of an owner.
    pub(crate) fn seat_of(&self, owner: Owner) -> Option<Seat> {
        let mut people = self.people();
        people.find_map(|(seat, person)| (person.owner == owner).then_some(seat))
    }

    /// The seat that belonged to an owner before it was claimed.
    pub(crate) fn former_seat_of(&self, owner: Owner) -> Option<Seat> {
        let mut people = self.people();
        people.find_map(|(seat, person)| (person.former_owner == Some(owner)).then_some(seat))
    }

    /// Whether an owner has a seat, or gets one back when they return.
    pub(crate) fn has_place(&self, owner: Owner) -> bool {
        self.seat_of(owner).is_some() || self.former_seat_of(owner).is_some()
    }

    /// The level of the bot that plays on this chair now, also of one that plays because the person waits for the deal.
    pub(crate) fn acting_bot_level(&self, seat: Seat) -> Option<Level> {
        let level = self.chair(seat)?.seated_bot_level();
        level.or_else(|| self.waits_for_deal(seat).then_some(BOT_FOR_PERSON_LEVEL))
    }

    /// The hash of the password that this owner needs, unless they were admitted before: none if they have a place.
    pub(crate) fn password_hash_for(&self, owner: Owner) -> Option<&PasswordHash> {
        let password_hash = self.settings.password_hash.as_ref();
        password_hash.filter(|_| !self.has_place(owner))
    }

    /// The owner of the host's seat.
    pub(crate) fn host_owner(&self) -> Option<Owner> {
        Some(self.chair(self.host?)?.person()?.owner)
    }

    /// The sheet of the game; `None` without a game.
    pub(crate) fn sheet(&self) -> Option<&Sheet<G::Score>> {
        let game = self.game.as_ref()?;
        Some(game.state.view(None).sheet())
    }

    /// The phase of the room.
    pub(crate) fn phase(&self) -> Phase {
        match &self.game {
            None => Phase::Lobby,
            Some(game) if matches!(game.state.status(), Status::Over(_)) => Phase::Over,
            Some(game) if game.is_paused() => Phase::Paused,
            Some(_) => Phase::Playing,
        }
    }
}
