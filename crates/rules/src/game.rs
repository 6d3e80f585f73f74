//! The trait of a game, and the part that all games share: rounds, totals, the end, and views.
//!
//! A game implements [`Game`]. The data of a round is sorted by who may know it.
//! [`State`] plays rounds until the end. [`View`] is the only way to look into a state.

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

use crate::{
    BySeat, Card, CorruptProgress, End, Event, GameProgress, Hand, Hints, Illegal, Scored, Seat,
    Seats, Sheet, Standings,
};

/// The id of a game: its name on the wire and in room logs.
///
/// An id that was read may belong to no game: a server looks it up in its list of games.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct GameId(Cow<'static, str>);

impl GameId {
    /// The id with this text.
    pub const fn new(id: &'static str) -> Self {
        Self(Cow::Borrowed(id))
    }

    /// The text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for GameId {
    fn from(id: String) -> Self {
        Self(id.into())
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A part of a game: a value that can be copied, compared and sent to another thread.
pub trait GamePart: Clone + Debug + Eq + Send + Sync + 'static {}
impl<T: Clone + Debug + Eq + Send + Sync + 'static> GamePart for T {}

/// A value that may leave the process: it can be serialised and read back.
pub trait Wire: GamePart + Serialize + DeserializeOwned {}
impl<T: GamePart + Serialize + DeserializeOwned> Wire for T {}

/// The rules of a game; its methods are about one round.
///
/// A round is split by who knows it ([`Round`]). The rules are split too: the actions to try
/// ([`Game::candidates`]), the legality of an action ([`Game::check`]), and its effect
/// ([`Game::act_unchecked`]). The first two get only what the acting seat knows, so neither a list
/// of legal actions nor a refusal can reveal more. Nothing here is random, reads a clock, or fails:
/// the deck is shuffled outside, and only checked actions are played.
pub trait Game: Copy + Debug + Eq + Send + Sync + 'static {
    /// The id of the game. No two games have the same one.
    const ID: GameId;
    /// The allowed numbers of seats.
    const SEATS: RangeInclusive<usize>;
    /// The refusals of this game besides those that games share ([`Illegal::SHARED`]).
    const ILLEGAL: &'static [Illegal] = &[];
    /// The names of the characters of which each player may choose one, at most 255. A game without characters has none.
    const CHARACTERS: &'static [&'static str] = &[];

    /// The options of the game. Each value that can be deserialised is valid for each number of
    /// seats. The default is how the game is usually played.
    type Options: Wire + Default;
    /// An action of a seat.
    type Action: Wire;
    /// A public fact, with enough detail to animate it and to log it.
    type Fact: Wire;
    /// The public compartment of a round.
    type Table: Wire;
    /// The compartment of a round that one seat knows besides.
    type Own: Wire;
    /// The compartment of a round that no seat is shown. Unlike the other two it need not be a [`Wire`]
    /// value, so code that is generic over games cannot serialise it:
    ///
    /// ```compile_fail,E0277
    /// # use sticheln_rules::Game;
    /// fn serialise<G: Game>(hidden: &G::Hidden) -> impl serde::Serialize + '_ {
    ///     hidden
    /// }
    /// ```
    type Hidden: GamePart;
    /// The score of a seat in a round.
    type Score: Wire + Scored;

    /// The end of a game with these options.
    fn end(options: &Self::Options, seats: Seats) -> End;

    /// The options of a game whose seats have chosen these of [`Game::CHARACTERS`], by index. The choices differ. The seats
    /// without a choice, or all seats in a game without characters, keep what the options say.
    fn with_characters(options: &Self::Options, _chosen: &[Option<u8>]) -> Self::Options {
        options.clone()
    }

    /// All cards of the game with this number of seats, in a fixed order. The caller shuffles them.
    fn pack(options: &Self::Options, seats: Seats) -> Vec<Card>;

    /// The number of cards that each seat is dealt.
    fn hand_size(seats: Seats) -> usize;

    /// A new round, numbered from 1. `opening` is the seat with the rotating role (dealer or first
    /// leader) in this round; `hands` are the dealt cards.
    fn deal(options: &Self::Options, round: u8, opening: Seat, hands: BySeat<Hand>) -> Round<Self>;

    /// The seats that can act now. Empty if and only if the round is over.
    fn to_act(table: &Self::Table) -> Vec<Seat>;

    /// The seats that have made a hidden choice and may still replace it, because another seat has yet to choose. None of
    /// them is to act. A choice that is replaced has no event, and changes nothing but [`Game::Own`] of the seat.
    fn chosen(_table: &Self::Table) -> Vec<Seat> {
        Vec::new()
    }

    /// The score of each seat, once the round is over.
    fn scores(table: &Self::Table) -> Option<&BySeat<Self::Score>>;

    /// Actions to check, for a seat that is to act or has chosen. They include each legal action; of actions with the same
    /// effect, such as two cards to lay aside in either order, one is enough.
    fn candidates(knowledge: SeatKnowledge<'_, Self>) -> Vec<Self::Action>;

    /// Checks that this seat may do this now, in a round that is not over. A seat that has chosen may make another choice,
    /// but not the same one again.
    ///
    /// # Errors
    /// The first violated rule, in the order of the rules document.
    fn check(knowledge: SeatKnowledge<'_, Self>, action: &Self::Action) -> Result<(), Illegal>;

    /// Does an action that [`Game::check`] has allowed, and adds its facts to `events`
    /// ([`Event::Fact`]).
    fn act_unchecked(
        options: &Self::Options,
        round: &mut Round<Self>,
        seat: Seat,
        action: Self::Action,
        events: &mut Vec<Event<Self>>,
    );

    /// The part of a trick that a fact tells; `None` if it tells of no trick.
    fn trick_part(fact: &Self::Fact) -> Option<TrickPart<'_>>;

    /// How many finished tricks of a running round these options show, counted from the last one. The facts of the others
    /// are not told again ([`shown_events`](crate::shown_events())).
    fn shown_tricks(options: &Self::Options) -> usize;

    /// The effect of each card of the hand on the trick on the table, for a seat that is to play a
    /// card.
    fn hints(_knowledge: SeatKnowledge<'_, Self>) -> Option<Hints> {
        None
    }
}

/// A round in progress or just over, in three compartments. The compartment of a field decides who
/// may know it; when a rule turns a card up, the card moves.
///
/// Only the rules of a game hold a round. All other code has a [`State`].
#[derive(Clone, PartialEq, Eq)]
pub struct Round<G: Game> {
    /// The public compartment.
    pub table: G::Table,
    /// The compartment of each seat.
    pub own: BySeat<G::Own>,
    /// The part that no seat is shown.
    pub hidden: G::Hidden,
}

/// The knowledge of a seat in a running round. It is the argument of all rules that judge an
/// action.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain what one seat knows"
)]
pub struct SeatKnowledge<'a, G: Game> {
    /// The options of the game.
    pub options: &'a G::Options,
    /// The public part of the round.
    pub table: &'a G::Table,
    /// The seat.
    pub seat: Seat,
    /// The part of the round that the seat knows besides.
    pub own: &'a G::Own,
}

impl<G: Game> Clone for SeatKnowledge<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for SeatKnowledge<'_, G> {}

/// Whether a game is to be dealt, is played, or is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// The next round is to be dealt.
    ToDeal,
    /// A round is being played.
    Playing,
    /// The game is over.
    Over(Standings),
}

/// The part of a trick that a fact tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrickPart<'a> {
    /// A card that was played to it.
    Card,
    /// Its end.
    End {
        /// The seat that led.
        leader: Seat,
        /// The cards in playing order.
        cards: &'a [Card],
        /// The seat that took the cards; `None`: they were set aside.
        taker: Option<Seat>,
    },
}

impl TrickPart<'_> {
    /// Whether it is the end of the trick.
    pub fn is_end(self) -> bool {
        match self {
            Self::Card => false,
            Self::End { .. } => true,
        }
    }
}

/// The reason why a game cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    /// The game is not played with this number of seats.
    #[error("the game is not played with this number of seats")]
    Seats,
    /// The opening seat is not a seat of the game.
    #[error("the game has no such opening seat")]
    OpeningSeat,
}

/// The reason why a deck cannot be dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DealError {
    /// A round is being played, or the game is over.
    #[error("a round is being played, or the game is over")]
    NotNow,
    /// The deck is not the pack of this game, shuffled.
    #[error("the deck is not the pack of this game, shuffled")]
    WrongDeck,
}

/// The reason why a game cannot be ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EndEarlyError {
    /// No round has been scored, so there are no standings.
    #[error("no round has been scored")]
    NoRound,
    /// The game is over.
    #[error("the game is over")]
    Over,
}

/// The most points of a seat in a round that are read back, gained or lost. So the sum of all rounds fits into an `i32`.
const MAX_POINTS: u32 = 1_000_000;

/// A game in progress: the scores, and the round on the table.
///
/// It is a fold of its [`Record`](crate::Record): the same options, decks and actions give an equal
/// state. [`State::view`] is the only way to look into it. It cannot be serialised, and its `Debug`
/// prints the public part.
#[derive(Clone, PartialEq, Eq)]
pub struct State<G: Game> {
    options: G::Options,
    end: End,
    opening: Seat,
    sheet: Sheet<G::Score>,
    round: Option<Round<G>>,
    ended_early: bool,
}

impl<G: Game> State<G> {
    /// A game before its first deal. `opening` is the seat with the rotating role in the first
    /// round; the role moves one seat to the left with each round.
    ///
    /// # Errors
    /// [`SetupError`] if the game cannot begin with these seats.
    pub fn new(options: G::Options, seats: usize, opening: Seat) -> Result<Self, SetupError> {
        let seats = Seats::new(seats)
            .filter(|seats| G::SEATS.contains(&seats.count()))
            .ok_or(SetupError::Seats)?;
        if !seats.contains(opening) {
            return Err(SetupError::OpeningSeat);
        }
        Ok(Self {
            end: G::end(&options, seats),
            options,
            opening,
            sheet: Sheet::new(seats),
            round: None,
            ended_early: false,
        })
    }

    /// The game as it is before the next deal, without the finished round on the table; `None` if no deal is next.
    pub fn progress(&self) -> Option<GameProgress<G>> {
        (self.status() == Status::ToDeal).then(|| GameProgress {
            options: self.options.clone(),
            seats: self.seats().count(),
            opening: self.opening,
            rounds: self.sheet.rounds().to_vec(),
        })
    }

    /// A game before its next deal, with no round on the table.
    ///
    /// # Errors
    /// [`CorruptProgress`] if no game can reach this.
    pub fn from_progress(progress: GameProgress<G>) -> Result<Self, CorruptProgress> {
        let GameProgress {
            options,
            seats,
            opening,
            rounds,
        } = progress;
        let mut state = Self::new(options, seats, opening).map_err(|_| CorruptProgress)?;
        for scores in rounds {
            let fits = scores.seats() == state.seats()
                && (scores.iter()).all(|score| score.points().unsigned_abs() <= MAX_POINTS);
            if !fits || state.status() != Status::ToDeal {
                return Err(CorruptProgress);
            }
            state.sheet.enter(scores);
        }
        match state.status() {
            Status::ToDeal => Ok(state),
            Status::Playing | Status::Over(_) => Err(CorruptProgress),
        }
    }

    /// The seats of the game.
    pub fn seats(&self) -> Seats {
        self.sheet.totals().seats()
    }

    /// The status of the game.
    pub fn status(&self) -> Status {
        self.view(None).status()
    }

    /// The cards of this game in a fixed order. A deck is these cards, shuffled.
    pub fn pack(&self) -> Vec<Card> {
        G::pack(&self.options, self.seats())
    }

    /// Deals a round: the first cards of the deck to seat 0, the next ones to seat 1, and so on.
    /// A game that needs the rest of the deck finds it from the hands: it is the pack without them.
    ///
    /// # Errors
    /// [`DealError`]; the state is unchanged.
    pub fn deal(&mut self, deck: &[Card]) -> Result<Vec<Event<G>>, DealError> {
        if self.status() != Status::ToDeal {
            return Err(DealError::NotNow);
        }
        let mut pack = self.pack();
        let mut cards = deck.to_vec();
        pack.sort_unstable();
        cards.sort_unstable();
        if cards != pack {
            return Err(DealError::WrongDeck);
        }

        let seats = self.seats();
        let size = G::hand_size(seats);
        let hands = BySeat::from_fn(seats, |seat| {
            let dealt = deck.iter().skip(seat.index() * size).take(size);
            dealt.copied().collect()
        });
        let rounds = self.sheet.rounds().len();
        let opening = seats.clockwise(self.opening, rounds);
        let number = rounds as u8 + 1;
        self.round = Some(G::deal(&self.options, number, opening, hands));
        Ok(vec![Event::Dealt {
            round: number,
            opening,
            cards: size as u8,
        }])
    }

    /// Does `action` for `seat`.
    ///
    /// # Errors
    /// [`Illegal`], judged by what the seat knows; the state is unchanged.
    pub fn act(&mut self, seat: Seat, action: G::Action) -> Result<Vec<Event<G>>, Illegal> {
        self.view(Some(seat)).check(&action)?;
        let round = self
            .round
            .as_mut()
            .expect("an action passes the check only while a round is played");

        let mut events = Vec::with_capacity(4);
        G::act_unchecked(&self.options, round, seat, action, &mut events);
        if let Some(scores) = G::scores(&round.table) {
            self.sheet.enter(scores.clone());
            events.push(Event::RoundScored {
                round: self.sheet.rounds().len() as u8,
                scores: scores.clone(),
                totals: self.sheet.totals().clone(),
            });
            if let Status::Over(standings) = self.status() {
                events.push(Event::GameOver(standings));
            }
        }
        Ok(events)
    }

    /// Ends the game before its usual end. The rounds that have been scored count. A round that is being played is
    /// abandoned: it stays on the table as it is.
    ///
    /// # Errors
    /// [`EndEarlyError`]; the state is unchanged.
    pub fn end_early(&mut self) -> Result<Vec<Event<G>>, EndEarlyError> {
        if matches!(self.status(), Status::Over(_)) {
            return Err(EndEarlyError::Over);
        }
        if self.sheet.rounds().is_empty() {
            return Err(EndEarlyError::NoRound);
        }
        self.ended_early = true;
        Ok(vec![Event::GameOver(self.sheet.standings())])
    }

    /// The view of `observer`: what the seat knows; for any other observer the public part.
    pub fn view(&self, observer: Option<Seat>) -> View<'_, G> {
        let seat = observer.filter(|seat| self.seats().contains(*seat));
        View {
            options: &self.options,
            end: self.end,
            sheet: &self.sheet,
            ended_early: self.ended_early,
            seat,
            table: self.round.as_ref().map(|round| &round.table),
            own: match (&self.round, seat) {
                (Some(round), Some(seat)) => Some(&round.own[seat]),
                _ => None,
            },
        }
    }
}

impl<G: Game> State<G> {
    /// The view of a spectator whom all seats show what they know. It has no seat, and no legal actions.
    pub fn view_of_all(&self) -> ViewOfAll<'_, G> {
        let seats = self.seats().iter();
        let own = seats.filter_map(|seat| self.view(Some(seat)).own());
        ViewOfAll {
            view: self.view(None),
            hands: own.collect(),
        }
    }
}

impl<G: Game> Debug for State<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view(None).fmt(f)
    }
}

impl<G: Game> Debug for Round<G> {
    /// Prints the public part.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Round")
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}

/// The part of a game that one observer may know.
///
/// Its JSON has the fields that change with each card: `{"table": .., "to_act": [..], "seat": ..,
/// "own": .., "hints": ..}`. `table` is null before the first deal. For a spectator `seat` is null
/// and `own` is missing. `hints` is there for the seat that is to play a card. Options, scores and
/// standings change seldom and are sent on their own. `Debug` leaves out what only the seat knows,
/// so no log can contain it.
pub struct View<'a, G: Game> {
    options: &'a G::Options,
    end: End,
    sheet: &'a Sheet<G::Score>,
    ended_early: bool,
    seat: Option<Seat>,
    table: Option<&'a G::Table>,
    own: Option<&'a G::Own>,
}

impl<'a, G: Game> View<'a, G> {
    /// The options of the game.
    pub fn options(&self) -> &'a G::Options {
        self.options
    }

    /// The end of the game.
    pub fn end(&self) -> End {
        self.end
    }

    /// The scores of the rounds so far.
    pub fn sheet(&self) -> &'a Sheet<G::Score> {
        self.sheet
    }

    /// Whether the game was ended before its usual end ([`State::end_early`]).
    pub fn ended_early(&self) -> bool {
        self.ended_early
    }

    /// The seat of the observer; `None` for a spectator.
    pub fn seat(&self) -> Option<Seat> {
        self.seat
    }

    /// The public part of the round on the table; `None` before the first deal.
    pub fn table(&self) -> Option<&'a G::Table> {
        self.table
    }

    /// The part of the round that only this seat knows.
    pub fn own(&self) -> Option<&'a G::Own> {
        self.own
    }

    /// The status of the game.
    pub fn status(&self) -> Status {
        if self.is_playing() {
            Status::Playing
        } else if self.ended_early || self.sheet.reaches(self.end) {
            Status::Over(self.sheet.standings())
        } else {
            Status::ToDeal
        }
    }

    /// The seats that can act now; empty unless a round is played.
    pub fn to_act(&self) -> Vec<Seat> {
        let table = self.table.filter(|_| !self.ended_early);
        table.map(G::to_act).unwrap_or_default()
    }

    /// The seats that have made a hidden choice and may still replace it; empty unless a round is played.
    pub fn chosen(&self) -> Vec<Seat> {
        let table = self.table.filter(|_| self.is_playing());
        table.map(G::chosen).unwrap_or_default()
    }

    /// All legal actions of the observer's seat if it is to act; empty for a spectator.
    pub fn legal(&self) -> Vec<G::Action> {
        self.knowledge_to_act().map(allowed).unwrap_or_default()
    }

    /// All actions with which the observer's seat may replace its choice; empty if it may not.
    pub fn changes(&self) -> Vec<G::Action> {
        let knowledge = self.knowledge();
        let knowledge = knowledge.filter(|own| G::chosen(own.table).contains(&own.seat));
        knowledge.map(allowed).unwrap_or_default()
    }

    /// Checks that the observer's seat may do this now.
    ///
    /// # Errors
    /// [`Illegal`]: the first violated rule, in the order of the rules document.
    pub fn check(&self, action: &G::Action) -> Result<(), Illegal> {
        if !self.is_playing() {
            return Err(Illegal::ROUND_OVER);
        }
        G::check(self.knowledge().ok_or(Illegal::NOT_SEATED)?, action)
    }

    /// The effect of each card, for the seat that is to play one.
    pub fn hints(&self) -> Option<Hints> {
        self.knowledge_to_act().and_then(G::hints)
    }

    /// The same view to be serialised with a [`View::table`] that was serialised before. All views of a state have the
    /// same table, and it is the longest part of their JSON.
    pub fn with_table<T: Serialize>(self, table: &'a T) -> ViewWithTable<'a, G, T> {
        ViewWithTable {
            view: self,
            hands: None,
            table,
        }
    }

    fn fields<T>(&self, table: Option<&'a T>) -> ViewFields<'a, G, T> {
        ViewFields {
            table,
            to_act: self.to_act(),
            seat: self.seat,
            own: self.own,
            hands: None,
            hints: self.hints(),
        }
    }

    fn is_playing(&self) -> bool {
        !self.ended_early && self.table.is_some_and(|table| G::scores(table).is_none())
    }

    /// The knowledge of a seat that can act now.
    fn knowledge_to_act(&self) -> Option<SeatKnowledge<'a, G>> {
        let knowledge = self.knowledge()?;
        let is_to_act = G::to_act(knowledge.table).contains(&knowledge.seat);
        is_to_act.then_some(knowledge)
    }

    /// The knowledge of a seat in a running round.
    fn knowledge(&self) -> Option<SeatKnowledge<'a, G>> {
        Some(SeatKnowledge {
            options: self.options,
            table: self.table.filter(|_| self.is_playing())?,
            seat: self.seat?,
            own: self.own?,
        })
    }
}

/// The candidates that pass the check.
fn allowed<G: Game>(knowledge: SeatKnowledge<'_, G>) -> Vec<G::Action> {
    let mut actions = G::candidates(knowledge);
    actions.retain(|action| G::check(knowledge, action).is_ok());
    actions
}

impl<G: Game> Clone for View<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for View<'_, G> {}

impl<G: Game> Debug for View<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("options", &self.options)
            .field("sheet", &self.sheet)
            .field("seat", &self.seat)
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}

impl<G: Game> Serialize for View<'_, G> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields(self.table).serialize(serializer)
    }
}

/// The view of a spectator whom all seats show what they know ([`State::view_of_all`]).
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain what the seats know"
)]
pub struct ViewOfAll<'a, G: Game> {
    view: View<'a, G>,
    /// What each seat knows besides the table, in the order of the seats.
    hands: Vec<&'a G::Own>,
}

impl<'a, G: Game> ViewOfAll<'a, G> {
    /// This view to be serialised with a [`View::table`] that was serialised before. Its JSON is that of a spectator, and has
    /// `hands` besides.
    pub fn with_table<T: Serialize>(self, table: &'a T) -> ViewWithTable<'a, G, T> {
        ViewWithTable {
            view: self.view,
            hands: Some(self.hands),
            table,
        }
    }
}

/// A view whose table was serialised before ([`View::with_table`]). Its JSON is that of the view.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain what one seat knows"
)]
pub struct ViewWithTable<'a, G: Game, T> {
    view: View<'a, G>,
    hands: Option<Vec<&'a G::Own>>,
    table: &'a T,
}

impl<G: Game, T: Serialize> Serialize for ViewWithTable<'_, G, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = ViewFields {
            hands: self.hands.as_deref(),
            ..self.view.fields(Some(self.table))
        };
        fields.serialize(serializer)
    }
}

/// The view of an observer.
#[derive(Serialize)]
#[serde(bound = "T: Serialize")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "{G}View",
        bound = "G: schemars::JsonSchema, T: schemars::JsonSchema, G::Own: schemars::JsonSchema"
    )
)]
struct ViewFields<'a, G: Game, T> {
    /// The public part of the round; `None` before the first deal.
    table: Option<&'a T>,
    /// The seats that can act now.
    to_act: Vec<Seat>,
    /// The seat of the observer; `None` for a spectator.
    seat: Option<Seat>,
    /// The part of the round that only this seat knows; left out for a spectator.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<&'a G::Own>,
    /// What each seat knows besides, in their order, for a spectator whom all seats allow to see their hands. Left out for
    /// all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    hands: Option<&'a [&'a G::Own]>,
    /// The effect of each card, for the seat that is to play one.
    #[serde(skip_serializing_if = "Option::is_none")]
    hints: Option<Hints>,
}

#[cfg(feature = "schema")]
impl<'a, G: Game> schemars::JsonSchema for View<'a, G>
where
    ViewFields<'a, G, G::Table>: schemars::JsonSchema,
{
    fn schema_name() -> Cow<'static, str> {
        ViewFields::<'a, G, G::Table>::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        ViewFields::<'a, G, G::Table>::json_schema(generator)
    }
}
