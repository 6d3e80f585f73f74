//! What people are told.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use sticheln_bots::{Level, Player};
use sticheln_protocol::{
    ActedFor, Actions, GameEvent, GameMessage, GameView, Raw, ServerMessage, You,
};
use sticheln_rules::{Game, Kind, Seat, Sheet, Standings, Status};

use super::{AWAY, Room};
use crate::Phase;
use crate::chair::{Chair, Sitter};
use crate::letter::{GameLetter, Letter, RoomLetter};
use crate::room::Output;
use crate::{By, Change, ConnId, Name, Owner, Refusal, Timestamp, Title, TurnSeconds};

/// What seldom changes: the same for everybody.
#[derive(Serialize)]
struct Table<'a, G: Game> {
    game: Kind,
    title: &'a Option<Title>,
    listed: bool,
    locked: bool,
    phase: Phase,
    chairs: Vec<Seen<'a>>,
    host: Option<Seat>,
    options: &'a G::Options,
    opening_seat: Option<Seat>,
    turn_seconds: Option<TurnSeconds>,
    spectator_chat: bool,
    fast_bots: bool,
    spectators: usize,
    sheet: Option<&'a Sheet<G::Score>>,
    standings: Option<Standings>,
}

/// A chair as everybody sees it.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Seen<'a> {
    Free,
    Person {
        name: &'a Name,
        presence: Presence,
        ready: bool,
        /// Whether a bot plays for them now.
        stood_in: bool,
        /// Whether they see a hand from the next deal on; left out if not.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        waits_for_deal: bool,
    },
    Bot {
        name: &'a Name,
        level: Level,
    },
}

/// Whether a person is here.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Presence {
    /// Connected.
    Here,
    /// Not connected since a moment ago.
    Lost,
    /// Not connected for longer.
    Away,
}

/// What a `game` message says of the game besides its events.
#[derive(Clone)]
struct GameState {
    view: Raw<GameView>,
    legal: Raw<Actions>,
    deadline: Option<Timestamp>,
}

/// A value as JSON.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("what is told has a text form")
}

impl<G: Player> Room<G> {
    /// Sends a message to one connection.
    pub(super) fn send(&mut self, conn: ConnId, message: &ServerMessage<'_>) {
        let letter = Letter::Text(message.encode());
        self.outputs.push(Output::Send(conn, letter));
    }

    /// Sends a line of chat, a reaction or a nudge to everybody who was let in.
    pub(super) fn talk_to_all(&mut self, text: &Arc<str>) {
        let conns: Vec<_> = self.greeted().map(|(conn, _)| conn).collect();
        let talk = |conn| Output::Send(conn, Letter::Talk(text.clone()));
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

    fn greeted(&self) -> impl Iterator<Item = (ConnId, Owner)> {
        let connections = self.connections.iter();
        connections.filter_map(|(conn, guest)| Some((*conn, guest.owner()?)))
    }

    pub(super) fn you(&self, owner: Owner) -> You {
        You {
            seat: self.kept.seat_of(owner),
            host: self.kept.host_owner() == Some(owner),
        }
    }

    /// What is told before the events of a move that a bot has made for a person.
    pub(super) fn acted_for(&self, change: &Change<G>) -> Option<Raw<GameEvent>> {
        let Change::Acted { seat, by, .. } = *change else {
            return None;
        };
        let is_own_move = match by {
            By::Owner => true,
            By::Bot => self.kept.chair(seat)?.person().is_none(),
            By::Clock => false,
        };
        (!is_own_move).then(|| Raw::new(&ActedFor { seat, by }))
    }

    /// Tells everybody what has changed, and newcomers everything.
    pub(super) fn tell(&mut self) {
        let is_news = self.look();
        let newcomers = std::mem::take(&mut self.newcomers);
        if !is_news && !self.changed && newcomers.is_empty() {
            return;
        }
        let table = self.told.clone();
        let is_new = |conn: &ConnId| newcomers.contains(conn);

        let fields = table.strip_prefix('{').unwrap_or(&table);
        let rev = self.kept.rev;
        let has_game = self.kept.play.is_some();
        let mut letters = Vec::new();
        for (conn, owner) in self.greeted() {
            if is_news || is_new(&conn) {
                let you = json(&self.you(owner));
                let text = format!(r#"{{"type":"room","rev":{rev},"you":{you},{fields}"#);
                let text = text.into();
                let letter = RoomLetter {
                    rev,
                    has_game,
                    text,
                };
                letters.push((conn, Letter::Room(letter)));
            }
        }

        let events = std::mem::take(&mut self.events);
        let mut views = BTreeMap::new();
        for (conn, owner) in self.greeted() {
            if !self.changed && !is_new(&conn) {
                continue;
            }
            let seat = self.kept.hand_seat(owner);
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
                letters.push((conn, Letter::Game(GameLetter(message))));
            }
        }
        for conn in newcomers {
            letters.extend(
                self.chat
                    .iter()
                    .map(|line| (conn, Letter::Talk(line.clone()))),
            );
        }

        self.changed = false;
        let letters = letters.into_iter();
        self.outputs
            .extend(letters.map(|(conn, letter)| Output::Send(conn, letter)));
    }

    /// Looks at the table, if anything can have changed there; tells whether something has.
    fn look(&mut self) -> bool {
        let is_later = self.away_at.is_some_and(|at| at <= self.now);
        if !self.stale && !is_later {
            return false;
        }
        let away = self.kept.people().filter_map(|(_, person)| {
            let at = self.gone_since(person.owner)?.after(AWAY);
            (at > self.now).then_some(at)
        });
        self.away_at = away.min();
        self.stale = false;
        let table: Arc<str> = json(&self.table()).into();
        let is_news = table != self.told;
        self.told = table;
        is_news
    }

    /// The game as this seat, or a spectator, sees it; `None` if there is no game.
    fn view(&self, seat: Option<Seat>) -> Option<GameState> {
        let play = self.kept.play.as_ref()?;
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
        let play = self.kept.play.as_ref().filter(|play| !play.paused)?;
        match play.state.status() {
            Status::Playing => {
                let limit = self.turn_limit()?;
                Some(self.waiting_since(play).after(limit))
            }
            Status::ToDeal => Some(self.next_round_at(play)),
            Status::Over(_) => None,
        }
    }

    fn table(&self) -> Table<'_, G> {
        let kept = &self.kept;
        let view = kept.play.as_ref().map(|play| play.state.view(None));
        Table {
            game: G::KIND,
            title: &kept.settings.title,
            listed: kept.settings.listed,
            locked: kept.settings.lock.is_some(),
            phase: kept.phase(),
            chairs: kept
                .seats()
                .map(|(seat, chair)| self.seen(seat, chair))
                .collect(),
            host: kept.host,
            options: &kept.settings.options,
            opening_seat: kept.settings.opening_seat,
            turn_seconds: kept.settings.turn_seconds,
            spectator_chat: kept.settings.spectator_chat,
            fast_bots: kept.settings.fast_bots,
            spectators: self.spectators(),
            sheet: view.map(|view| view.sheet()),
            standings: view.map(|view| view.sheet().standings()),
        }
    }

    fn seen<'a>(&self, seat: Seat, chair: &'a Chair) -> Seen<'a> {
        match &chair.sitter {
            Sitter::Nobody => Seen::Free,
            Sitter::Person(person) => Seen::Person {
                name: &person.name,
                presence: if self.is_here(person.owner) {
                    Presence::Here
                } else if self.is_gone_for(person.owner, AWAY) {
                    Presence::Away
                } else {
                    Presence::Lost
                },
                ready: chair.ready,
                stood_in: self.kept.acting_bot_level(seat).is_some(),
                waits_for_deal: self.kept.waits_for_deal(seat),
            },
            Sitter::Bot(bot) => Seen::Bot {
                name: &bot.name,
                level: bot.level,
            },
        }
    }
}
