//! The outline of a game: the data of its replay besides the rounds. The database keeps it in one row for each game.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sticheln_bots::{Level, Player};
use sticheln_protocol::{
    FinishedRound, GameOptions, GameReplay, GameStatus, ListedGame, PlayedOn, Raw, ReplayAccess,
    ReplayFormat, ReplayOrigin, ReplayPlayer,
};
use sticheln_rules::{BySeat, GameId, Scored, Status};

use crate::chair::{Chair, Sitter};
use crate::current_game::CurrentGame;
use crate::state::RoomState;
use crate::{Change, Name, Owner, PersonId, ReplayId, Timestamp};

/// The outline of a game with its finished rounds. It has no names of people: they are kept apart, so that they can be erased.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameOutline {
    began_at: Timestamp,
    options: Raw<GameOptions>,
    status: GameStatus,
    seats: Vec<SeatPlayer>,
    /// The owners of all seats in the game.
    owners: Vec<Owner>,
    rounds: Vec<RoundOutline>,
    totals: BySeat<i32>,
    ranks: BySeat<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    played_on: Option<PlayedOn>,
    /// Whether the game was imported from a file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    imported: bool,
}

/// The player of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatPlayer {
    /// A person.
    Person(PersonId),
    /// A bot.
    Bot {
        /// Its name.
        name: Name,
        /// Its level.
        level: Level,
    },
}

/// A finished round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RoundOutline {
    /// The number of the round, from 1.
    round: u8,
    /// The entry number of its deal.
    deal_entry: u64,
    /// The points of each seat; `None` if it was abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    points: Option<BySeat<i32>>,
}

/// The names of people by their ids. A person has no name here if the name was erased, or left out of an imported record.
pub type Names = BTreeMap<PersonId, String>;

impl SeatPlayer {
    /// The player of a chair; `None` if it is free.
    pub(crate) fn of(chair: &Chair) -> Option<Self> {
        match &chair.sitter {
            Sitter::Free => None,
            Sitter::Person(person) => Some(Self::Person(person.id)),
            Sitter::Bot(bot) => Some(Self::Bot {
                name: bot.name.clone(),
                level: bot.level,
            }),
        }
    }

    /// The id of the person; `None` for a bot.
    pub fn person(&self) -> Option<PersonId> {
        match self {
            Self::Person(person) => Some(*person),
            Self::Bot { .. } => None,
        }
    }

    /// The player with their name.
    pub fn player(&self, names: &Names) -> ReplayPlayer {
        match self {
            Self::Person(person) => ReplayPlayer::Person {
                name: names.get(person).cloned(),
            },
            Self::Bot { name, level } => ReplayPlayer::Bot {
                name: name.as_str().to_owned(),
                level: *level,
            },
        }
    }
}

impl GameOutline {
    /// The outline of a game with its finished rounds.
    pub(crate) fn of<G: Player>(
        game: &CurrentGame<G>,
        seats: Vec<SeatPlayer>,
        status: GameStatus,
    ) -> Self {
        let view = game.state.view(None);
        let sheet = view.sheet();
        let earlier = game.header.earlier_rounds();
        let scored = sheet.rounds().len().saturating_sub(earlier);
        // A game that is ended early between two rounds has none. Then there is no deal after those of the scored rounds.
        let may_have_abandoned_round =
            matches!(status, GameStatus::EndedEarly | GameStatus::Cleared);
        let finished = scored + usize::from(may_have_abandoned_round);
        let points = sheet.rounds().iter().skip(earlier);
        let points = points.map(|scores| Some(scores.map(Scored::points)));
        let deals = game.header.deal_entries.iter().zip(earlier + 1..);
        let rounds = deals.zip(points.chain([None])).take(finished);
        let rounds = rounds.map(|((deal_entry, round), points)| RoundOutline {
            round: u8::try_from(round).unwrap_or(u8::MAX),
            deal_entry: *deal_entry,
            points,
        });
        let standings = sheet.standings();
        Self {
            began_at: game.header.began_at,
            options: Raw::new(view.options()),
            status,
            seats,
            owners: game.header.owners().collect(),
            rounds: rounds.collect(),
            totals: standings.totals,
            ranks: standings.ranks,
            played_on: game.header.played_on.as_deref().cloned(),
            imported: game.header.players_of_file.is_some(),
        }
    }

    /// Whether the owner may see the replay. `None` is a reader without a token.
    pub fn may_be_seen(&self, access: ReplayAccess, owner: Option<Owner>) -> bool {
        match access {
            ReplayAccess::Nobody => false,
            ReplayAccess::Players => owner.is_some_and(|owner| self.owners.contains(&owner)),
            ReplayAccess::Everybody => true,
        }
    }

    /// The ids of the people whose names the outline needs.
    pub fn persons(&self) -> impl Iterator<Item = PersonId> {
        self.seats.iter().filter_map(SeatPlayer::person)
    }

    /// The player of each seat in the newest finished round. An imported game has the players of its file; a cleared game has
    /// those at the table then.
    pub(crate) fn players(&self) -> &[SeatPlayer] {
        &self.seats
    }

    /// The numbers of the finished rounds, the first one first.
    pub fn rounds(&self) -> impl Iterator<Item = u8> {
        self.rounds.iter().map(|outline| outline.round)
    }

    /// Whether the game has a record: it is over, and was not cleared before a round was scored.
    pub fn has_record(&self) -> bool {
        matches!(self.status, GameStatus::Over | GameStatus::EndedEarly)
    }

    /// The entry number of the deal of a finished round; `None` if the game has no such finished round.
    pub fn deal_entry(&self, round: u8) -> Option<u64> {
        let mut rounds = self.rounds.iter();
        Some(rounds.find(|outline| outline.round == round)?.deal_entry)
    }

    /// The replay of the game, without its steps.
    pub fn replay<'a>(
        &'a self,
        id: ReplayId,
        game: &'a GameId,
        title: Option<&'a str>,
        names: &Names,
    ) -> GameReplay<'a> {
        let rounds = self.rounds.iter().map(|outline| FinishedRound {
            round: outline.round,
            points: outline.points.clone(),
        });
        GameReplay {
            format: ReplayFormat::V1,
            id: id.to_string(),
            game,
            title,
            options: &self.options,
            began_at: self.began_at.to_second(),
            status: self.status,
            players: self.named_players(names),
            rounds: rounds.collect(),
            totals: self.totals.clone(),
            ranks: self.ranks.clone(),
            origin: ReplayOrigin {
                played_on: self.played_on.clone(),
                imported: self.imported,
            },
        }
    }

    /// The game in the list of a room.
    pub fn listed(&self, replay: ReplayId, names: &Names) -> ListedGame {
        ListedGame {
            replay: replay.to_string(),
            began_at: self.began_at.to_second(),
            status: self.status,
            players: self.named_players(names),
            rounds: self.rounds.len(),
            totals: self.totals.clone(),
        }
    }

    fn named_players(&self, names: &Names) -> Vec<ReplayPlayer> {
        self.seats.iter().map(|seat| seat.player(names)).collect()
    }
}

impl<G: Player> RoomState<G> {
    /// The id of the replay of the game, once it has a finished round and somebody may see it.
    pub(crate) fn shown_replay(&self) -> Option<ReplayId> {
        let game = self.game.as_ref()?;
        let is_shown = self.settings.replay_access() != ReplayAccess::Nobody;
        (has_finished_round(game) && is_shown).then_some(game.header.replay)
    }

    /// The position from which the game, or the next one in the lobby, is played on.
    pub(crate) fn played_on(&self) -> Option<&PlayedOn> {
        let next = self.continuation.as_ref();
        let next = next.and_then(|game| game.played_on.as_ref());
        let game = self.game.as_ref();
        next.or_else(|| game?.header.played_on.as_deref())
    }

    /// The outline of the game after a change, if it has finished a round or has given a seat to another owner.
    pub(crate) fn outline_after(&self, change: &Change<G>) -> Option<Box<(ReplayId, GameOutline)>> {
        let game = self.game.as_ref()?;
        let changes_outline = match change {
            Change::Acted { .. } => game.state.status() != Status::Playing,
            Change::EndedEarly => true,
            // Another owner may see the replay as a player from now on.
            Change::HandedOver { .. } | Change::Claimed { .. } | Change::Restored { .. } => {
                has_finished_round(game)
            }
            Change::Sat { .. } => {
                let is_over = matches!(game.state.status(), Status::Over(_));
                has_finished_round(game) && !is_over
            }
            _ => false,
        };
        let status = match game.state.status() {
            Status::Over(_) if game.state.view(None).ended_early() => GameStatus::EndedEarly,
            Status::Over(_) => GameStatus::Over,
            Status::ToDeal | Status::Playing => GameStatus::Playing,
        };
        changes_outline.then(|| outline(game, game.header.outline_players(), status))
    }

    /// The outline of the game that `change` will clear; call it before applying the change. `None` if it clears no game in a
    /// round.
    pub(crate) fn outline_of_cleared(
        &self,
        change: &Change<G>,
    ) -> Option<Box<(ReplayId, GameOutline)>> {
        let game = self.game.as_ref()?;
        let clears_round =
            matches!(change, Change::Ended) && game.state.status() == Status::Playing;
        let seats = game.header.players(&self.chairs);
        clears_round.then(|| outline(game, seats, GameStatus::Cleared))
    }
}

/// Whether a round of a game was scored here or abandoned.
fn has_finished_round<G: Player>(game: &CurrentGame<G>) -> bool {
    let view = game.state.view(None);
    let scored_here = view.sheet().rounds().len() > game.header.earlier_rounds();
    scored_here || view.ended_early()
}

fn outline<G: Player>(
    game: &CurrentGame<G>,
    seats: Vec<SeatPlayer>,
    status: GameStatus,
) -> Box<(ReplayId, GameOutline)> {
    Box::new((game.header.replay, GameOutline::of(game, seats, status)))
}
