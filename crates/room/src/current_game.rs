//! The game in a room: the rules' state, and what the room knows besides.

use std::collections::BTreeMap;

use sticheln_bots::Player;
use sticheln_rules::{Card, Seat, Seed, State, Status};

use crate::continuation::Continuation;
use crate::game_header::GameHeader;
use crate::hand_seat::HandSeats;
use crate::seat_requests::SeatRequests;
use crate::state::CorruptLog;
use crate::{Actor, Shuffle, Timestamp};

/// The game in a room.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CurrentGame<G: Player> {
    pub(crate) state: State<G>,
    /// The events as the bots remember them.
    pub(crate) memory: G::Memory,
    /// The pause, if the game is paused.
    pub(crate) pause: Option<Pause>,
    /// The time when the last pause ended, if it was in this turn or this break.
    pub(crate) resumed_at: Option<Timestamp>,
    /// The time when the room began to wait for the next move or the next deal. A pause moves it by its duration.
    pub(crate) since: Timestamp,
    /// The requests of each seat.
    pub(crate) requests: Vec<SeatRequests>,
    /// Its replay, its beginning, and the people who have played it.
    pub(crate) header: Box<GameHeader>,
    /// The time when the time limit of turns was changed, if it was in this turn or this break.
    pub(crate) limit_set_at: Option<Timestamp>,
    /// The seat whose hand each owner may see in this round.
    pub(crate) hand_seats: HandSeats,
    /// How often each seat has replaced its choice in this round.
    pub(crate) replacement_counts: BTreeMap<Seat, u32>,
    /// The deals and moves that are repeated before people play on; `None` in most games.
    pub(crate) continuation: Option<Box<Continuation<G>>>,
}

/// A pause of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pause {
    /// The seat that has paused the game.
    pub(crate) by: Seat,
    /// The time when it began.
    pub(crate) at: Timestamp,
}

impl<G: Player> CurrentGame<G> {
    /// A game that begins or goes on with a deal. `requests` has one element for each seat.
    pub(crate) fn before_deal(
        state: State<G>,
        since: Timestamp,
        requests: Vec<SeatRequests>,
        header: Box<GameHeader>,
    ) -> Self {
        Self {
            state,
            memory: G::Memory::default(),
            pause: None,
            resumed_at: None,
            since,
            requests,
            header,
            limit_set_at: None,
            hand_seats: HandSeats::default(),
            replacement_counts: BTreeMap::new(),
            continuation: None,
        }
    }

    /// The move that the room repeats now.
    pub(crate) fn repeated_move(&self) -> Option<&(Seat, G::Action)> {
        let is_playing = self.state.status() == Status::Playing;
        let continuation = self.continuation.as_ref().filter(|_| is_playing);
        continuation.and_then(|game| game.next_move())
    }

    /// Removes a move from the continuation, which must be the one that the room repeats now.
    ///
    /// # Errors
    /// [`CorruptLog`] if it is another one.
    pub(crate) fn take_repeated_move(
        &mut self,
        seat: Seat,
        by: Actor,
        action: &G::Action,
    ) -> Result<(), CorruptLog> {
        let next = self.repeated_move();
        let is_next = next.is_some_and(|next| (next.0, &next.1) == (seat, action));
        if by != Actor::Continuation || !is_next {
            return Err(CorruptLog);
        }
        if let Some(continuation) = &mut self.continuation {
            continuation.remove_repeated_move();
        }
        Ok(())
    }

    /// The deck of the next deal: that of the continuation, or a shuffled one.
    pub(crate) fn next_deck(&self, seed: &Seed, shuffle: &Shuffle) -> Vec<Card> {
        let repeated = self.continuation.as_ref().and_then(|game| game.next_deck());
        let repeated = repeated.map(<[Card]>::to_vec);
        repeated.unwrap_or_else(|| shuffle(self.state.pack(), seed))
    }

    /// Drops the repeated parts of the continuation, after a deal or a move.
    pub(crate) fn drop_repeated(&mut self) {
        if let Some(continuation) = &mut self.continuation {
            continuation.drop_repeated_round();
        }
        self.continuation.take_if(|game| game.is_finished());
    }

    /// Begins the next wait.
    pub(crate) fn wait_from(&mut self, at: Timestamp) {
        self.since = at;
        self.resumed_at = None;
        self.limit_set_at = None;
    }

    /// Whether the game is paused.
    pub(crate) fn is_paused(&self) -> bool {
        self.pause.is_some()
    }

    /// The requests of this seat.
    pub(crate) fn requests_of(&self, seat: Seat) -> SeatRequests {
        let requests = self.requests.get(seat.index());
        requests.copied().unwrap_or_default()
    }

    /// Whether a round has been scored.
    pub(crate) fn has_scored_round(&self) -> bool {
        !self.state.view(None).sheet().rounds().is_empty()
    }
}
