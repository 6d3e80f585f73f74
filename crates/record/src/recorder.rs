//! Makes the record of a game while it is played or replayed.

use sticheln_rules::{
    BySeat, Card, DealError, EndEarlyError, Event, Game, GameProgress, Hand, Illegal, Seat,
    SetupError, Standings, State, Status,
};

use crate::file::{
    ContinuedFrom, RecordFile, RecordFormat, RecordedActor, RecordedMove, RecordedPlayer,
    RecordedRound,
};
use crate::verify::{continued_state, finished_trick};

/// A game with the record of its steps so far.
///
/// Hidden choices may be made in any order and replaced, as in the game. The record has the last choice of each seat, in the
/// order of seats, with the time of its first one. So the order in which seats choose does not change the record, apart from
/// times, and a replaced choice looks like any other.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
pub struct Recorder<G: Game> {
    state: State<G>,
    file: RecordFile<G>,
}

impl<G: Game> Recorder<G> {
    /// A game before its first deal, with a player for each seat.
    ///
    /// # Errors
    /// [`SetupError`] if the game cannot begin so.
    pub fn new(
        options: G::Options,
        players: BySeat<RecordedPlayer>,
        opening: Seat,
    ) -> Result<Self, SetupError> {
        let state = State::new(options.clone(), players.seats().count(), opening)?;
        Ok(Self::of_state(state, options, players, opening, None))
    }

    /// A game that is played on from another one, before the deal of its first round.
    ///
    /// `None` if no game can be in this position.
    pub fn continued(
        options: G::Options,
        players: BySeat<RecordedPlayer>,
        opening: Seat,
        from: ContinuedFrom<G>,
    ) -> Option<Self> {
        let progress = GameProgress::new(
            options.clone(),
            players.seats().count(),
            opening,
            from.scores.clone(),
        );
        let state = continued_state(progress, &from)?;
        Some(Self::of_state(state, options, players, opening, Some(from)))
    }

    fn of_state(
        state: State<G>,
        options: G::Options,
        players: BySeat<RecordedPlayer>,
        opening: Seat,
        continued_from: Option<ContinuedFrom<G>>,
    ) -> Self {
        let file = RecordFile {
            format: RecordFormat::V1,
            game: G::ID,
            options,
            seats: players.seats().count() as u8,
            opening,
            standings: Standings {
                totals: BySeat::all(players.seats(), 0),
                ranks: BySeat::all(players.seats(), 1),
            },
            players,
            continued_from,
            rounds: Vec::new(),
            ended_early: false,
        };
        Self { state, file }
    }

    /// The game as it is now.
    pub fn state(&self) -> &State<G> {
        &self.state
    }

    /// Deals a round at this time, in Unix seconds.
    ///
    /// # Errors
    /// [`DealError`]; nothing is changed.
    pub fn deal(&mut self, at: u64, deck: &[Card]) -> Result<Vec<Event<G>>, DealError> {
        let events = self.state.deal(deck)?;
        let seats = self.state.seats();
        let size = G::hand_size(seats);
        let hands = deck.chunks(size).take(seats.count());
        let hands = hands.map(|cards| cards.iter().copied().collect::<Hand>());
        self.file.rounds.push(RecordedRound {
            round: self.state.view(None).sheet().rounds().len() as u8 + 1,
            at,
            hands: BySeat::new(hands.collect()).expect("the deck has a hand for each seat"),
            undealt: deck[size * seats.count()..].to_vec().into(),
            moves: Vec::new(),
            tricks: Vec::new(),
            scores: None,
            totals: None,
        });
        Ok(events)
    }

    /// Does `action` for `seat` at this time, in Unix seconds. A replaced choice keeps the time and the actor
    /// of the first choice.
    ///
    /// # Errors
    /// [`Illegal`]; nothing is changed.
    pub fn act(
        &mut self,
        at: u64,
        seat: Seat,
        by: RecordedActor,
        action: G::Action,
    ) -> Result<Vec<Event<G>>, Illegal> {
        let chosen = self.state.view(None).chosen();
        let events = self.state.act(seat, action.clone())?;
        let round = self.file.rounds.last_mut();
        let round = round.expect("an action is legal only after a deal");
        // The choices of this phase are the last moves of the round.
        let first = round.moves.len() - chosen.len();
        let index = first + chosen.iter().filter(|other| **other < seat).count();
        // A later time or another actor would show that the choice was replaced.
        let (at, by) = match chosen.contains(&seat) {
            true => {
                let first = round.moves.remove(index);
                (first.at, first.by)
            }
            false => (at, by),
        };
        let recorded_move = RecordedMove {
            at,
            seat,
            by,
            action,
        };
        round.moves.insert(index, recorded_move);
        for event in &events {
            add_event(round, event);
        }
        Ok(events)
    }

    /// Ends the game before its usual end.
    ///
    /// # Errors
    /// [`EndEarlyError`]; nothing is changed.
    pub fn end_early(&mut self) -> Result<Vec<Event<G>>, EndEarlyError> {
        let events = self.state.end_early()?;
        self.file.ended_early = true;
        Ok(events)
    }

    /// The record; `None` if the game is not over.
    pub fn finish(mut self) -> Option<RecordFile<G>> {
        match self.state.status() {
            Status::Over(standings) => {
                self.file.standings = standings;
                Some(self.file)
            }
            Status::ToDeal | Status::Playing => None,
        }
    }
}

/// Adds to a round what an event tells about its tricks and scores.
fn add_event<G: Game>(round: &mut RecordedRound<G>, event: &Event<G>) {
    round.tricks.extend(finished_trick(event));
    if let Event::RoundScored { scores, totals, .. } = event {
        round.scores = Some(scores.clone());
        round.totals = Some(totals.clone());
    }
}
