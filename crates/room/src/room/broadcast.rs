//! What people are told.

use std::collections::BTreeMap;
use std::sync::Arc;

use sticheln_bots::Player;
use sticheln_protocol::{
    self as protocol, ActedFor, Actions, GameEvent, GameMessage, GameView, PresenceState, Raw,
    RoomMessage, ServerMessage, TableState, You,
};
use sticheln_rules::{Seat, Status};

use super::{AWAY, Room};
use crate::chair::{Chair, Sitter};
use crate::outgoing::{Outgoing, OutgoingGame, OutgoingRoom};
use crate::room::Output;
use crate::{By, Change, ConnId, Owner, Refusal, Timestamp, Title};

/// What a `game` message says of the game besides its events.
#[derive(Clone)]
struct GameState {
    view: Raw<GameView>,
    legal: Raw<Actions>,
    deadline: Option<Timestamp>,
}

impl<G: Player> Room<G> {
    /// Sends a message to one connection.
    pub(super) fn send(&mut self, conn: ConnId, message: &ServerMessage<'_>) {
        let outgoing = Outgoing::Text(message.encode());
        self.outputs.push(Output::Send(conn, outgoing));
    }

    /// Sends a line of chat, a reaction or a nudge to everybody who was let in.
    pub(super) fn talk_to_all(&mut self, text: &Arc<str>) {
        let conns: Vec<_> = self.presence.admitted().map(|(conn, _)| conn).collect();
        let talk = |conn| Output::Send(conn, Outgoing::Talk(text.clone()));
        self.outputs.extend(conns.into_iter().map(talk));
    }

    /// Answers a message.
    pub(super) fn answer(&mut self, conn: ConnId, id: Option<&str>, answer: Result<(), Refusal>) {
        let message = match (id, answer) {
            (Some(id), Ok(())) => ServerMessage::Ok { id },
            (id, Err(refusal)) => {
                self.refused = Some(refusal);
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
        }
    }

    /// What is told before the events of a move that a bot has made for a person.
    pub(super) fn acted_for(&self, change: &Change<G>) -> Option<Raw<GameEvent>> {
        let Change::Acted { seat, by, .. } = *change else {
            return None;
        };
        let is_own_move = match by {
            By::Owner => true,
            By::Bot => self.state.chair(seat)?.person().is_none(),
            By::Clock => false,
        };
        (!is_own_move).then(|| Raw::new(&ActedFor { seat, by }))
    }

    /// Tells everybody what has changed, and newcomers everything.
    pub(super) fn tell(&mut self) {
        let is_news = self.look();
        let Some(table) = self.told.clone() else {
            return;
        };
        let newcomers = std::mem::take(&mut self.newcomers);
        if !is_news && !self.changed && newcomers.is_empty() {
            return;
        }
        let is_new = |conn: &ConnId| newcomers.contains(conn);

        let rev = self.state.rev;
        let has_game = self.state.play.is_some();
        let mut outgoing = Vec::new();
        for (conn, owner) in self.presence.admitted() {
            if is_news || is_new(&conn) {
                let message = RoomMessage {
                    rev,
                    you: self.you(owner),
                    table: table.clone(),
                };
                let room = OutgoingRoom { has_game, message };
                outgoing.push((conn, Outgoing::Room(room)));
            }
        }

        let events = std::mem::take(&mut self.events);
        let mut views = BTreeMap::new();
        for (conn, owner) in self.presence.admitted() {
            if !self.changed && !is_new(&conn) {
                continue;
            }
            let seat = self.state.hand_seat(owner);
            let view = views.entry(seat).or_insert_with(|| self.view(seat));
            if let Some(GameState {
                view,
                legal,
                deadline,
            }) = view.clone()
            {
                let events = if is_new(&conn) {
                    Vec::new()
                } else {
                    events.clone()
                };
                let message = GameMessage {
                    rev,
                    events,
                    view,
                    legal,
                    deadline,
                };
                outgoing.push((conn, Outgoing::Game(OutgoingGame(message))));
            }
        }
        for conn in newcomers {
            let lines = self.talk.lines();
            outgoing.extend(lines.map(|line| (conn, Outgoing::Talk(line.clone()))));
        }

        self.changed = false;
        let sent = outgoing.into_iter();
        self.outputs
            .extend(sent.map(|(conn, outgoing)| Output::Send(conn, outgoing)));
    }

    /// Looks at the table, if anything can have changed there; tells whether something has.
    fn look(&mut self) -> bool {
        let is_later = self.away_at.is_some_and(|at| at <= self.now);
        if !self.stale && !is_later {
            return false;
        }
        let away = self.state.people().filter_map(|(_, person)| {
            let at = self.presence.gone_since(person.owner)?.after(AWAY);
            (at > self.now).then_some(at)
        });
        self.away_at = away.min();
        self.stale = false;
        let table = Some(Raw::new(&self.table()));
        let is_news = table != self.told;
        self.told = table;
        is_news
    }

    /// The game as this seat, or a spectator, sees it; `None` if there is no game.
    fn view(&self, seat: Option<Seat>) -> Option<GameState> {
        let play = self.state.play.as_ref()?;
        let view = play.state.view(seat);
        let legal = if play.paused {
            Vec::new()
        } else {
            view.legal()
        };
        Some(GameState {
            view: Raw::new(&view),
            legal: Raw::new(&legal),
            deadline: self.game_deadline(),
        })
    }

    /// When the game goes on by itself: the time of those who are to act is over, or the next
    /// round is dealt. It goes on earlier when all have acted, or all are ready.
    fn game_deadline(&self) -> Option<Timestamp> {
        let play = self.state.play.as_ref().filter(|play| !play.paused)?;
        match play.state.status() {
            Status::Playing => {
                let limit = self.turn_limit()?;
                Some(self.waiting_since(play).after(limit))
            }
            Status::ToDeal => Some(self.next_round_at(play)),
            Status::Over(_) => None,
        }
    }

    fn table(&self) -> TableState<'_, G::Options, G::Score> {
        let state = &self.state;
        let view = state.play.as_ref().map(|play| play.state.view(None));
        TableState {
            game: G::ID,
            title: state.settings.title.as_ref().map(Title::as_str),
            listed: state.settings.listed,
            locked: state.settings.password_hash.is_some(),
            phase: state.phase(),
            chairs: state
                .seats()
                .map(|(seat, chair)| self.seen(seat, chair))
                .collect(),
            host: state.host,
            options: &state.settings.options,
            opening_seat: state.settings.opening_seat,
            turn_seconds: state.settings.turn_seconds,
            spectator_chat: state.settings.spectator_chat,
            fast_bots: state.settings.fast_bots,
            spectators: self.spectators(),
            sheet: view.map(|view| view.sheet()),
            standings: view.map(|view| view.sheet().standings()),
        }
    }

    fn seen<'a>(&self, seat: Seat, chair: &'a Chair) -> protocol::Chair<'a> {
        match &chair.sitter {
            Sitter::Nobody => protocol::Chair::Free,
            Sitter::Person(person) => protocol::Chair::Person {
                name: person.name.as_str(),
                presence: if self.presence.is_here(person.owner) {
                    PresenceState::Here
                } else if self.presence.is_gone_for(person.owner, AWAY, self.now) {
                    PresenceState::Away
                } else {
                    PresenceState::Lost
                },
                ready: chair.ready,
                stood_in: self.state.acting_bot_level(seat).is_some(),
                waits_for_deal: self.state.waits_for_deal(seat),
            },
            Sitter::Bot(bot) => protocol::Chair::Bot {
                name: bot.name.as_str(),
                level: bot.level,
            },
        }
    }
}
