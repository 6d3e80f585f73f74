//! The messages of a room: to one connection, and to everybody after a change.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use sticheln_bots::Player;
use sticheln_protocol::{
    self as protocol, GameBody, GameEvents, GameTable, GameText, MessageText, PresenceState, Raw,
    ReplayAccess, RoomMessage, ServerMessage, TableState, You,
};
use sticheln_rules::Seat;

use super::broadcast::Update;
use super::recent_events::MissedEvents;
use super::{Effect, Room};
use crate::chair::{Chair, Sitter};
use crate::outgoing::{Outgoing, OutgoingGame, OutgoingRoom};
use crate::seat_requests::SeatRequests;
use crate::{ConnId, Name, Owner, Refusal, Timestamp, Title};

/// The text in the place of a name that was erased.
const ERASED_NAME: &str = "?";

/// An observer of the game. Connections of one observer are sent the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Observer {
    /// The owner of a seat who sees its hand.
    Seat(Seat),
    /// An owner without a hand in this round.
    NoHand,
    /// A spectator who sees all hands.
    AllHands,
}

// To one connection, or the same to all.
impl<G: Player> Room<G> {
    /// Sends a message to one connection.
    pub(super) fn send(&mut self, conn: ConnId, message: &ServerMessage<'_>) {
        self.send_text(conn, message.encode());
    }

    /// Sends a message that is encoded already.
    pub(super) fn send_text(&mut self, conn: ConnId, text: MessageText) {
        let send = Effect::Send(conn, Outgoing::Reliable(text));
        self.outputs.effects.push(send);
    }

    /// Sends a line of chat, a reaction or a nudge to everybody who was admitted.
    pub(super) fn send_talk(&mut self, text: &MessageText) {
        let conns = self.presence.admitted();
        let talk = conns.map(|(conn, _)| Effect::Send(conn, Outgoing::Talk(text.clone())));
        self.outputs.effects.extend(talk);
    }

    /// Answers a message.
    pub(super) fn answer(&mut self, conn: ConnId, id: Option<&str>, answer: Result<(), Refusal>) {
        let message = match (id, answer) {
            (Some(id), Ok(())) => ServerMessage::Ok { id },
            (id, Err(refusal)) => {
                self.outputs.effects.push(Effect::CountRefusal(refusal));
                let code = refusal.code();
                ServerMessage::Refused { id, code }
            }
            // Nothing was asked for.
            (None, Ok(())) => return,
        };
        self.send(conn, &message);
    }

    pub(super) fn you(&self, owner: Owner) -> You {
        You {
            seat: self.state.seat_of(owner),
            host: self.state.host_owner() == Some(owner),
            claims: self.claimed_seat(owner),
            spectator: self.spectator_number(owner),
        }
    }

    /// The number of an owner as a spectator.
    fn spectator_number(&self, owner: Owner) -> Option<u64> {
        let spectator = self.presence.spectators.of(owner)?;
        let is_seated = self.state.seat_of(owner).is_some();
        (!is_seated).then_some(spectator.number)
    }

    /// The seat that an owner claims.
    fn claimed_seat(&self, owner: Owner) -> Option<Seat> {
        let person = self.transfers.claims.of(owner)?;
        let mut people = self.state.people();
        people.find_map(|(seat, other)| (other.id == person).then_some(seat))
    }
}

// To everybody after a change.
impl<G: Player> Room<G> {
    /// Sends everybody what has changed for them, and newcomers everything.
    pub(super) fn send_update(&mut self) {
        if self.broadcast.is_table_stale() || self.timers.is_table_change_due() {
            self.number_spectators();
            self.timers.set_table_changes_at(self.next_table_change());
            self.broadcast.set_table(self.table());
            // The summary changes only together with the `room` message. `used` is not in that message, but
            // changes only when somebody sits down.
            self.outputs.summary = Some(self.summary());
        }
        self.timers.set_idle_change_at(self.next_idle_change());
        if self.admission.guests.take_change()
            && let Some(host) = self.state.host_owner()
            && let Some(conn) = self.presence.newest_connection_of(host)
        {
            self.broadcast.mark_room_changed(conn);
        }
        let Some(update) = self.broadcast.take_update(self.state.sheet()) else {
            return;
        };
        let mut effects = std::mem::take(&mut self.outputs.effects);
        effects.extend(self.sheet_messages(&update));
        effects.extend(self.room_messages(&update));
        effects.extend(self.game_messages(&update));
        for conn in update.newcomers() {
            let lines = self.talk.lines();
            effects.extend(lines.map(|line| Effect::Send(*conn, Outgoing::Talk(line.clone()))));
        }
        self.outputs.effects = effects;
    }

    /// The time when the table next changes without an input; `None` while nobody is connected. A person who is lost becomes away, an
    /// absent one need not agree any more to an early end, or the offer of a free seat ends.
    fn next_table_change(&self) -> Option<Timestamp> {
        let owners = self.state.people().map(|(_, person)| person.owner);
        let away = self.presence.next_away(owners, self.timers.now());
        let changes = away.into_iter().chain(self.next_agreement_change());
        let changes = changes.chain(self.next_end_of_offer());
        changes.min().filter(|_| self.presence.is_occupied())
    }

    /// The `sheet` messages. All share one text.
    fn sheet_messages(&self, update: &Update) -> impl Iterator<Item = Effect<G>> {
        self.presence.admitted().filter_map(move |(conn, _)| {
            let text = update.sheet_for(conn)?;
            Some(Effect::Send(conn, Outgoing::Sheet(text.clone())))
        })
    }

    /// The `room` messages. Connections with the same content share one message.
    fn room_messages(&self, update: &Update) -> impl Iterator<Item = Effect<G>> {
        let mut messages = BTreeMap::new();
        self.presence.admitted().filter_map(move |(conn, owner)| {
            let table = update.table_for(conn)?;
            let you = self.you(owner);
            let message = messages.entry(you).or_insert_with(|| {
                let message = RoomMessage {
                    rev: self.state.shown_rev(),
                    you,
                    guests: match you.host {
                        true => self.admission.guests.list(),
                        false => Vec::new(),
                    },
                    table: table.clone(),
                };
                OutgoingRoom::new(self.broadcast.game_sequence(), message)
            });
            Some(Effect::Send(conn, Outgoing::Room(message.clone())))
        })
    }

    /// The `game` messages. Connections with the same content share one message.
    fn game_messages(&self, update: &Update) -> impl Iterator<Item = Effect<G>> {
        let table = OnceCell::new();
        let mut messages = BTreeMap::new();
        self.presence.admitted().filter_map(move |(conn, owner)| {
            let events = update.events_for(conn)?;
            let observer = self.observer(owner);
            if let Some(rev) = update.seen_by(conn) {
                let MissedEvents { events, has_gap } = self.missed_events(rev);
                let message = self.game_message(observer, &events, has_gap, &table)?;
                return Some(Effect::Send(conn, Outgoing::Game(message)));
            }
            // All other connections that get events get the same ones.
            let message = messages
                .entry((observer, events.is_empty()))
                .or_insert_with(|| self.game_message(observer, events, false, &table));
            Some(Effect::Send(conn, Outgoing::Game(message.clone()?)))
        })
    }

    /// The events for a client that has seen this revision. A revision that the room does not have yet comes from another
    /// state of its log, such as a restored backup: then nothing is known of what the client has seen.
    fn missed_events(&self, rev: u64) -> MissedEvents {
        match &self.state.game {
            Some(game) if rev <= self.state.shown_rev() => {
                let shown_tricks = G::shown_tricks(game.state.view(None).options());
                self.broadcast.recent_events.after(rev, shown_tricks)
            }
            Some(_) | None => MissedEvents::unknown(),
        }
    }

    /// What an owner is shown of the game.
    fn observer(&self, owner: Owner) -> Observer {
        if self.state.sees_all_hands(owner) {
            return Observer::AllHands;
        }
        let seat = self.state.hand_seat(owner);
        seat.map_or(Observer::NoHand, Observer::Seat)
    }

    /// The game as an observer sees it, with these events; `None` if there is no game. With `has_gap` it says that events are
    /// missing. `table` is the same for all observers, and is encoded for the first one.
    fn game_message(
        &self,
        observer: Observer,
        events: &GameEvents,
        has_gap: bool,
        table: &OnceCell<Raw<GameTable>>,
    ) -> Option<OutgoingGame> {
        let game = self.state.game.as_ref()?;
        let seat = match observer {
            Observer::Seat(seat) => Some(seat),
            Observer::NoHand | Observer::AllHands => None,
        };
        let view = game.state.view(seat);
        let (legal, changes) = if game.is_paused() {
            (Vec::new(), Vec::new())
        } else {
            (view.legal(), self.choice_replacements(&view))
        };
        let table = table.get_or_init(|| Raw::new(&view.table()));
        let body = GameBody {
            view: match observer {
                Observer::Seat(_) | Observer::NoHand => view.with_table(table),
                Observer::AllHands => game.state.view_of_all().with_table(table),
            },
            legal,
            changes: Some(changes).filter(|changes| !changes.is_empty()),
            deadline: self.game_deadline(),
        };
        let message = GameText::new(self.state.shown_rev(), has_gap, events, &body);
        Some(OutgoingGame::new(self.broadcast.game_sequence(), message))
    }

    pub(super) fn table_state(&self) -> TableState<'_, G::Options> {
        let state = &self.state;
        let game = state.game.as_ref();
        TableState {
            game: G::ID,
            title: state.settings.title.as_ref().map(Title::as_str),
            listed: state.settings.listed,
            locked: state.settings.password_hash.is_some(),
            phase: state.phase(),
            chairs: state
                .seats()
                .map(|(seat, chair)| self.chair_message(seat, chair))
                .collect(),
            host: state.host,
            options: &state.settings.options,
            opening_seat: state.settings.opening_seat,
            turn_seconds: state.settings.turn_seconds,
            spectator_chat: state.settings.spectator_chat,
            fast_bots: state.settings.fast_bots,
            waiting_room: state.settings.waiting_room,
            replays: Some(state.settings.replay_access())
                .filter(|access| *access != ReplayAccess::Everybody),
            played_on: self.state.played_on(),
            replay: self.state.shown_replay().map(|replay| replay.to_string()),
            spectators: self.spectators_message(),
            pause: game
                .and_then(|game| game.pause)
                .map(|pause| protocol::Pause {
                    by: pause.by,
                    ends_at: self.pause_ends_at(pause),
                }),
            host_passes_at: state.host.and_then(|_| Some(self.next_host()?.0)),
            agreements_needed: self.agreements_needed(),
            ended_early: game.is_some_and(|game| game.state.view(None).ended_early()),
            restart_at: self.timers.restart_at(),
            claims: self.claims_message(),
        }
    }

    fn claims_message(&self) -> Vec<protocol::Claim> {
        let claims = self.state.people().filter_map(|(seat, person)| {
            let claim = self.transfers.claims.to(person.id)?;
            let agreed = self.state.people();
            let agreed = agreed.filter(|(_, other)| claim.is_agreed_by(other.owner));
            let agreed = agreed.map(|(seat, _)| seat).collect();
            Some(protocol::Claim {
                claim: claim.number,
                seat,
                agreed,
            })
        });
        claims.collect()
    }

    fn chair_message<'a>(&self, seat: Seat, chair: &'a Chair) -> protocol::Chair<'a> {
        match &chair.sitter {
            Sitter::Free => protocol::Chair::Free,
            Sitter::Person(person) => {
                let presence = self.presence.state_of(person.owner, self.timers.now());
                let stood_in = self.state.acting_bot_level(seat).is_some();
                let idle = self.idle(seat, person.owner);
                let is_missing = presence != PresenceState::Here
                    || idle.is_some_and(|idle| idle.warn_at.is_some());
                let may_stand_in = self.is_game_on() && is_missing && !stood_in;
                let stand_in_from = may_stand_in.then(|| self.stand_in_from(seat, person.owner));
                let requests = self.state.game.as_ref().map(|game| game.requests_of(seat));
                let game_requests = requests.filter(|_| self.is_game_on());
                let requests = game_requests.unwrap_or_default();
                protocol::Chair::Person {
                    name: person.name.as_ref().map_or(ERASED_NAME, Name::as_str),
                    presence,
                    ready: chair.ready,
                    character: chair
                        .character
                        .and_then(|at| G::CHARACTERS.get(usize::from(at)).copied()),
                    stood_in,
                    waits_for_deal: self.state.waits_for_deal(seat),
                    stand_in_from: stand_in_from.flatten(),
                    idle,
                    has_more_time: requests.has_more_time,
                    pauses_left: game_requests.map(SeatRequests::pauses_left),
                    holds: requests.holds,
                    agrees_to_end: requests.agrees_to_end,
                }
            }
            Sitter::Bot(bot) => protocol::Chair::Bot {
                name: bot.name.as_str(),
                level: bot.level,
            },
        }
    }
}
