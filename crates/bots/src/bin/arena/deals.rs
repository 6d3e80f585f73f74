//! The deals of a match, played in one thread or in several.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Deserialize;
use serde_json::{Value, json};
use sticheln_bots::Player;
use sticheln_rules::{BySeat, Card, Seat, State};

use crate::Match;
use crate::error::ArenaError;
use crate::player::{ArenaPlayer, PlayerKind};
use crate::tally::Tally;

/// Plays all deals of a match.
///
/// # Errors
/// If the settings of the match do not fit together, or if a program violates the
/// protocol.
pub fn play<G: Player>(settings: &Match) -> Result<Tally, ArenaError> {
    let options = one_round_options::<G>(&settings.options)?;
    State::<G>::new(options.clone(), settings.seats, Seat::new(0)).map_err(|_| {
        ArenaError::Seats {
            game: G::ID,
            seats: settings.seats,
        }
    })?;
    let setup = MatchSetup::<G> {
        options,
        seats: settings.seats,
        kinds: kinds_by_seat(settings)?,
        seed: settings.seed,
        has_failed: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        let parts: Vec<_> = (0..settings.threads)
            .map(|part| {
                let deals = (part..settings.deals).step_by(settings.threads as usize);
                scope.spawn(|| {
                    let played = setup.play(deals);
                    if played.is_err() {
                        setup.has_failed.store(true, Ordering::Relaxed);
                    }
                    played
                })
            })
            .collect();
        let mut tally = Tally::new(&setup.kinds);
        for part in parts {
            tally.add(part.join().map_err(|_| ArenaError::Panicked)??);
        }
        Ok(tally)
    })
}

/// The options for a game that is over after one round.
fn one_round_options<G: Player>(options: &str) -> Result<G::Options, ArenaError> {
    let mut options: Value = serde_json::from_str(options)?;
    let fields = options
        .as_object_mut()
        .ok_or(ArenaError::OptionsAreNoObject)?;
    if fields.contains_key("end") {
        return Err(ArenaError::EndGiven);
    }
    fields.insert("end".to_owned(), json!({"type": "rounds", "rounds": 1}));
    Ok(G::Options::deserialize(&options)?)
}

/// The kinds of players by their seats in the first round of a deal.
fn kinds_by_seat(settings: &Match) -> Result<Vec<PlayerKind>, ArenaError> {
    let last = settings.players.last().ok_or(ArenaError::NoPlayers)?;
    if settings.players.len() > settings.seats {
        return Err(ArenaError::TooManyPlayers);
    }
    let mut kinds = settings.players.clone();
    kinds.resize(settings.seats, last.clone());
    Ok(kinds)
}

/// The settings and state that all threads of a match share.
struct MatchSetup<G: Player> {
    options: G::Options,
    seats: usize,
    /// The kind of the player in each seat in the first round of a deal.
    kinds: Vec<PlayerKind>,
    seed: u64,
    /// Whether a deal has failed, so that all threads must end.
    has_failed: AtomicBool,
}

impl<G: Player> MatchSetup<G> {
    /// Plays these deals, each with every player in every seat.
    fn play(&self, deals: impl Iterator<Item = u64>) -> Result<Tally, ArenaError> {
        let players = self.kinds.iter().map(ArenaPlayer::new);
        let mut players = players.collect::<Result<Vec<_>, _>>()?;
        let mut tally = Tally::new(&self.kinds);
        for deal in deals {
            if self.has_failed.load(Ordering::Relaxed) {
                break;
            }
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed.rotate_left(32) ^ deal);
            let opening = Seat::new((deal % self.seats as u64) as u8);
            let mut state = self.state(opening);
            let mut deck = state.pack();
            deck.shuffle(&mut rng);
            for rotation in 0..self.seats {
                state = self.state(opening);
                let rng = Xoshiro256PlusPlus::seed_from_u64(rng.random());
                let points =
                    self.round(&mut state, &deck, rotation, &mut players, rng, &mut tally)?;
                let of_player = (0..self.seats).map(|player| points[self.seat(player, rotation)]);
                tally.add_round(of_player.collect());
            }
            tally.end_deal();
        }
        Ok(tally)
    }

    /// A game before its deal.
    fn state(&self, opening: Seat) -> State<G> {
        State::new(self.options.clone(), self.seats, opening).expect("the settings were checked")
    }

    /// The seat of a player after this rotation.
    fn seat(&self, player: usize, rotation: usize) -> Seat {
        Seat::new(((player + rotation) % self.seats) as u8)
    }

    /// Plays a round, and returns the points of each seat.
    fn round(
        &self,
        state: &mut State<G>,
        deck: &[Card],
        rotation: usize,
        players: &mut [ArenaPlayer],
        mut rng: Xoshiro256PlusPlus,
        tally: &mut Tally,
    ) -> Result<BySeat<i32>, ArenaError> {
        for (index, player) in players.iter_mut().enumerate() {
            player.start_game::<G>(self.seat(index, rotation), self.seats, &self.options)?;
        }
        let mut memory = G::Memory::default();
        let mut events = state.deal(deck).expect("a deck is the pack, shuffled");
        loop {
            for event in &events {
                G::remember(&mut memory, event);
            }
            for player in players.iter_mut() {
                player.queue_events(&events);
            }
            let Some(seat) = state.view(None).to_act().first().copied() else {
                break;
            };
            let player = (seat.index() + self.seats - rotation) % self.seats;
            let begun = Instant::now();
            let action = players[player].act(state.view(Some(seat)), &memory, &mut rng)?;
            tally.add_time(player, begun.elapsed());
            let done = state.act(seat, action.clone());
            events = done.map_err(|illegal| ArenaError::Refused {
                player: self.kinds[player].to_string(),
                action: json!(action).to_string(),
                code: illegal.code(),
            })?;
        }
        for (index, player) in players.iter_mut().enumerate() {
            player.end_game(state.view(Some(self.seat(index, rotation))))?;
        }
        Ok(state.view(None).sheet().totals().clone())
    }
}
