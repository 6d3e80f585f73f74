//! Replays: finished rounds and lists of games, read from the database. Rounds are read without a claim of the room; the list of
//! games needs one.

use std::collections::BTreeSet;
use std::time::Duration;

use sticheln_bots::Player;
use sticheln_protocol::{
    GameListMessage, GameReplay, MessageText, ReplayAccess, RoundReplay, ServerMessage,
};
use sticheln_room::{
    Continuation, Entry, FinishedRoundReplay, Format, GameOutline, Names, Owner, PersonId, Refusal,
    ReplayId, Shuffle, Snapshot, game_record, round_replay,
};
use sticheln_rules::GameId;
use thiserror::Error;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::room_code::RoomCode;
use crate::rooms::game_list::{GameDescriptor, GameList};
use crate::rooms::room_unavailable::RoomUnavailable;
use crate::rooms::services::Services;
use crate::storage::{Claim, DatabaseError, FoundGame, RoomKey, RoundReadPermit, StoredRound};

/// The time limit for reading a round.
const ROUND_TIMEOUT: Duration = Duration::from_secs(8);
/// The time limit for reading all rounds of a game. The control socket waits longer.
const RECORD_TIMEOUT: Duration = Duration::from_secs(20);

/// The reason why a replay cannot be sent. It names no contents.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// No game has this replay id.
    #[error("no game has this replay id")]
    NoSuchGame,
    /// The option of the room does not allow this reader.
    #[error("the replay may not be seen by this reader")]
    Forbidden,
    /// The round is not finished, or the database no longer has it.
    #[error("the round is not finished, or not kept any more")]
    NoRound,
    /// The game is not over, or was cleared before a round was scored.
    #[error("the game has no record")]
    NoRecord,
    /// The database cannot be read.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The server does not have the game that is played.
    #[error("the server does not have the game")]
    UnknownGame,
    /// The rows are not those of a game.
    #[error("the rows of the game are invalid")]
    Invalid,
    /// It was not read in time.
    #[error("it was not read in time")]
    TimedOut,
    /// The task that read the game has panicked.
    #[error("the task that read the game panicked")]
    Panicked,
}

/// The texts of a round are not those of a round of this game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the entries of a round are invalid")]
pub struct InvalidRound;

/// A game with its outline, as it is stored.
#[derive(Debug)]
pub struct StoredGame {
    id: ReplayId,
    found: FoundGame,
    outline: GameOutline,
}

impl StoredGame {
    /// The game with this replay id, if the owner of this token may see it.
    ///
    /// # Errors
    /// [`ReplayError::NoSuchGame`], [`ReplayError::Forbidden`], or the reason why it cannot be read.
    pub async fn find(
        services: &Services,
        id: ReplayId,
        owner: Option<Owner>,
    ) -> Result<Self, ReplayError> {
        let game = Self::find_for_operator(services, id).await?;
        let access = game.found.summary.replays;
        let may_be_seen = game.outline.may_be_seen(access, owner);
        may_be_seen.then_some(game).ok_or(ReplayError::Forbidden)
    }

    /// The game with this id, for the operator, who can read the database anyway.
    ///
    /// # Errors
    /// [`ReplayError::NoSuchGame`], or the reason why it cannot be read.
    pub async fn find_for_operator(services: &Services, id: ReplayId) -> Result<Self, ReplayError> {
        let found = services.store.find_game(&id).await?;
        let found = found.ok_or(ReplayError::NoSuchGame)?;
        let outline = serde_json::from_str(&found.outline);
        let outline = outline.map_err(|_| ReplayError::Invalid)?;
        Ok(Self { id, found, outline })
    }

    fn descriptor<'a>(&self, games: &'a GameList) -> Result<&'a GameDescriptor, ReplayError> {
        games.find(&self.found.game).ok_or(ReplayError::UnknownGame)
    }

    /// The function that makes the decks of the room.
    fn shuffle(&self, services: &Services) -> Result<Shuffle, ReplayError> {
        let code = RoomCode::parse(&self.found.summary.room).ok_or(ReplayError::Invalid)?;
        Ok(services.entropy_for(&code).shuffle)
    }

    /// The id of the game that is played.
    pub fn game_id(&self) -> &GameId {
        &self.found.game
    }

    /// The outline of the game.
    pub fn outline(&self) -> &GameOutline {
        &self.outline
    }

    /// The names of its people.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn names(
        &self,
        services: &Services,
        persons: impl Iterator<Item = PersonId>,
    ) -> Result<Names, DatabaseError> {
        names(services, &self.found.room, persons).await
    }

    /// The game, without the steps of its rounds.
    pub fn replay(&self, names: &Names) -> GameReplay<'_> {
        let title = self.found.summary.title.as_deref();
        self.outline.replay(self.id, &self.found.game, title, names)
    }

    /// A finished round of the game.
    ///
    /// # Errors
    /// [`ReplayError::NoRound`], or the reason why it cannot be read.
    pub async fn round(
        &self,
        services: &Services,
        games: &GameList,
        round: u8,
    ) -> Result<RoundReplay, ReplayError> {
        let read = self.read_round(services, self.descriptor(games)?, round);
        let read = timeout(ROUND_TIMEOUT, read).await;
        let replay = read.unwrap_or(Err(ReplayError::TimedOut))?;
        let names = self.names(services, replay.persons()).await?;
        Ok(replay.with_names(&names))
    }

    /// A position of a finished round: that after the step with this revision.
    ///
    /// # Errors
    /// [`ReplayError::NoRound`], or the reason why it cannot be read.
    pub async fn position(
        &self,
        services: &Services,
        round: u8,
        rev: u64,
    ) -> Result<StoredPosition, ReplayError> {
        let permit = services.store.permit_replay_read().await?;
        let read = self.stored_round(services, permit.clone(), round);
        let read = timeout(ROUND_TIMEOUT, read).await;
        let (stored, shuffle) = read.unwrap_or(Err(ReplayError::TimedOut))?;
        Ok(StoredPosition {
            _permit: permit,
            source: self.id,
            access: self.found.summary.replays,
            round: stored,
            shuffle,
            rev,
        })
    }

    /// A round as it is stored, and the function that makes its deck.
    async fn stored_round(
        &self,
        services: &Services,
        permit: RoundReadPermit,
        round: u8,
    ) -> Result<(StoredRound, Shuffle), ReplayError> {
        let deal_entry = self.outline.deal_entry(round).ok_or(ReplayError::NoRound)?;
        let shuffle = self.shuffle(services)?;
        let store = &services.store;
        let stored = store.round_of_game(permit, &self.found, deal_entry).await?;
        Ok((stored.ok_or(ReplayError::NoRound)?, shuffle))
    }

    /// All rounds as they are stored.
    async fn stored_rounds(
        &self,
        services: &Services,
        permit: &RoundReadPermit,
    ) -> Result<Vec<StoredRound>, ReplayError> {
        let mut rounds = Vec::new();
        for round in self.outline.rounds() {
            let (stored, _) = self.stored_round(services, permit.clone(), round).await?;
            rounds.push(stored);
        }
        Ok(rounds)
    }

    /// The record of the game as JSON, with the names of people or without them.
    ///
    /// # Errors
    /// [`ReplayError::NoRecord`], or the reason why its rounds cannot be read.
    pub async fn record(
        &self,
        services: &Services,
        games: &GameList,
        with_names: bool,
    ) -> Result<String, ReplayError> {
        let record = self.descriptor(games)?.record;
        if !self.outline.has_record() {
            return Err(ReplayError::NoRecord);
        }
        let names = match with_names {
            true => Some(self.names(services, self.outline.persons()).await?),
            false => None,
        };
        // The permit is held for all rounds: the server reads one game at a time.
        let permit = services.store.permit_replay_read().await?;
        let rounds = timeout(RECORD_TIMEOUT, self.stored_rounds(services, &permit)).await;
        let rounds = rounds.unwrap_or(Err(ReplayError::TimedOut))?;
        let shuffle = self.shuffle(services)?;
        let outline = self.outline.clone();
        let record = spawn_blocking(move || {
            let _permit = permit;
            record(&rounds, &outline, names.as_ref(), &shuffle)
        });
        let record = record.await.map_err(|_| ReplayError::Panicked)?;
        let record = record.map_err(|InvalidRound| ReplayError::Invalid)?;
        record.ok_or(ReplayError::NoRecord)
    }

    async fn read_round(
        &self,
        services: &Services,
        game: &GameDescriptor,
        round: u8,
    ) -> Result<FinishedRoundReplay, ReplayError> {
        let permit = services.store.permit_replay_read().await?;
        let (stored, shuffle) = self.stored_round(services, permit.clone(), round).await?;
        let replay = game.replay;
        let replay = spawn_blocking(move || {
            // After the time limit the blocking task continues and keeps its permit.
            let _permit = permit;
            replay(&stored, &shuffle)
        });
        let replay = replay.await.map_err(|_| ReplayError::Panicked)?;
        replay
            .map_err(|InvalidRound| ReplayError::Invalid)?
            .ok_or(ReplayError::NoRound)
    }
}

/// A position of a finished round, as it is stored.
#[expect(missing_debug_implementations, reason = "functions cannot be printed")]
pub struct StoredPosition {
    /// Held until the position is made.
    _permit: RoundReadPermit,
    source: ReplayId,
    /// Those who may see the game of the position.
    access: ReplayAccess,
    round: StoredRound,
    shuffle: Shuffle,
    rev: u64,
}

impl StoredPosition {
    /// The bytes that a room from this position is charged for: those of the round.
    pub fn bytes(&self) -> usize {
        let entries = self.round.entries.iter().map(|entry| entry.len());
        self.round.snapshot.len() + entries.sum::<usize>()
    }

    /// The option `replays` of a room from this position; `None` if everybody may see it. The room shows the cards of the other game,
    /// so it begins with the same readers.
    pub(super) fn replay_access(&self) -> Option<ReplayAccess> {
        (self.access != ReplayAccess::Everybody).then_some(self.access)
    }

    /// The continuation of the game `G` from this position, for this number of seats.
    ///
    /// # Errors
    /// [`Refusal::NoSuchPosition`] if the round does not have it, or the game is over there; [`Refusal::WrongSeats`];
    /// [`RoomUnavailable::Damaged`] if the texts are not those of a round.
    pub(super) fn continuation<G: Player>(
        self,
        seats: usize,
    ) -> Result<Continuation<G>, RoomUnavailable> {
        let damaged = |_| RoomUnavailable::Damaged;
        let (snapshot, entries) = decode_round::<G>(&self.round).map_err(damaged)?;
        let continuation =
            Continuation::of_round(self.source, snapshot, entries, &self.shuffle, self.rev);
        let continuation = continuation.map_err(|_| RoomUnavailable::Damaged)?;
        let continuation = continuation.ok_or(Refusal::NoSuchPosition)?;
        match continuation.seats() == seats {
            true => Ok(continuation),
            false => Err(Refusal::WrongSeats.into()),
        }
    }
}

/// The replay of a stored round of the game `G`; `None` if the round is not over.
///
/// # Errors
/// [`InvalidRound`] if the texts are not those of a round of this game.
pub(super) fn stored_round_replay<G: Player>(
    round: &StoredRound,
    shuffle: &Shuffle,
) -> Result<Option<FinishedRoundReplay>, InvalidRound> {
    let (snapshot, entries) = decode_round::<G>(round)?;
    round_replay(snapshot, entries, shuffle).map_err(|_| InvalidRound)
}

/// The record of a game `G` as JSON; `None` if the game is not over.
///
/// # Errors
/// [`InvalidRound`] if the texts are not those of the rounds of a game.
pub(super) fn stored_game_record<G: Player>(
    rounds: &[StoredRound],
    outline: &GameOutline,
    names: Option<&Names>,
    shuffle: &Shuffle,
) -> Result<Option<String>, InvalidRound> {
    let rounds = rounds.iter().map(decode_round::<G>);
    let rounds = rounds.collect::<Result<_, _>>()?;
    let record = game_record(rounds, outline, names, shuffle).map_err(|_| InvalidRound)?;
    Ok(record.map(|record| record.json()))
}

/// The snapshot and the entries of a stored round.
///
/// # Errors
/// [`InvalidRound`] if the texts are not those of a round of this game.
pub(super) fn decode_round<G: Player>(
    round: &StoredRound,
) -> Result<(Snapshot<G>, Vec<Entry<G>>), InvalidRound> {
    let snapshot = Format::decode(&round.snapshot).map_err(|_| InvalidRound)?;
    let entries = round.entries.iter().map(|entry| Format::decode(entry));
    let entries: Result<_, _> = entries.collect();
    Ok((snapshot, entries.map_err(|_| InvalidRound)?))
}

/// The message with the games of a room whose replays this owner may see.
///
/// # Errors
/// [`ReplayError::Database`] or [`ReplayError::Invalid`].
pub(super) async fn game_list(
    services: &Services,
    claim: &Claim,
    access: ReplayAccess,
    owner: Owner,
) -> Result<MessageText, ReplayError> {
    let rows = match access {
        ReplayAccess::Nobody => Vec::new(),
        ReplayAccess::Players | ReplayAccess::Everybody => services.store.games(claim).await?,
    };
    let outlines = rows.iter().map(|row| {
        let outline = serde_json::from_str(&row.outline);
        Ok((row.id, outline.map_err(|_| ReplayError::Invalid)?))
    });
    let outlines: Vec<(ReplayId, GameOutline)> = outlines.collect::<Result<_, ReplayError>>()?;
    let is_seen = |game: &(_, GameOutline)| game.1.may_be_seen(access, Some(owner));
    let outlines: Vec<_> = outlines.into_iter().filter(is_seen).collect();
    let persons = outlines.iter().flat_map(|(_, outline)| outline.persons());
    let names = names(services, &claim.room(), persons).await?;
    let games = outlines
        .iter()
        .map(|(id, outline)| outline.listed(*id, &names));
    let games = games.collect();
    Ok(ServerMessage::Games(&GameListMessage { games }).encode())
}

/// The names of these people of a room.
async fn names(
    services: &Services,
    room: &RoomKey,
    persons: impl Iterator<Item = PersonId>,
) -> Result<Names, DatabaseError> {
    let persons: BTreeSet<_> = persons.collect();
    let names = services.store.names(room, persons.into_iter().collect());
    let names = names.await?.into_iter();
    Ok(names
        .map(|(person, name)| (person, name.as_str().to_owned()))
        .collect())
}
