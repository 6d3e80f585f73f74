//! The plans of a room: what it does by itself, and the execution. `deadlines.rs` has the times, `timers.rs` keeps the next
//! plan.

use sticheln_bots::{Level, Player};
use sticheln_rules::{Seat, Seed, Status, uniform_below};

use super::timers::{AutomaticActor, Plan};
use super::{Effect, Room};
use crate::chair::{BOT_FOR_PERSON_LEVEL, Person, Sitter};
use crate::current_game::CurrentGame;
use crate::{Actor, Change, ReplayId, Timestamp};

// Plans.
impl<G: Player> Room<G> {
    /// The most plans that are carried out at once: more than a deal and a move of each bot.
    const MAX_PLANS_AT_ONCE: usize = 32;

    /// Carries out all plans that are due, and makes the next one.
    pub(super) fn do_what_is_due(&mut self) {
        for _ in 0..Self::MAX_PLANS_AT_ONCE {
            self.plan();
            match self.timers.take_due() {
                Some(plan) => self.carry_out(plan),
                None => return,
            }
        }
        self.plan();
    }

    /// Makes the next plan. A room without connections has none, unless its game comes from a file.
    pub(super) fn plan(&mut self) {
        self.timers.drop_plan();
        if let Some(plan) = self.plan_of_imported_game() {
            // Nothing else comes before the end of this game, and it needs nobody here.
            self.timers.propose(self.timers.now(), plan);
            return;
        }
        if !self.presence.is_occupied() {
            return;
        }
        if let Some((at, seat)) = self.next_host() {
            self.timers.propose(at, Plan::PassHost(seat));
        }
        if let Some(at) = self.early_end_at() {
            self.timers.propose(at, Plan::EndEarly);
        }
        if let Some((at, plan)) = self.plan_of_game() {
            self.timers.propose(at, plan);
        }
    }

    fn plan_of_game(&self) -> Option<(Timestamp, Plan)> {
        let game = self.state.game.as_ref()?;
        if let Some(pause) = game.pause {
            // A pause does not end for spectators alone.
            let is_anybody_here = !self.connected_people().is_empty();
            let at = self.all_ready_or(self.pause_ends_at(pause));
            return is_anybody_here.then_some((at, Plan::Resume));
        }
        match game.state.status() {
            // After the restart the room makes these plans again.
            Status::Over(_) | Status::ToDeal if self.timers.restart_at().is_some() => None,
            Status::Over(_) => {
                let at = self.all_ready_at()?;
                let may_start = self.has_enough_for_a_game() && self.has_bytes_for_a_rematch();
                may_start.then_some((at, Plan::Start))
            }
            Status::ToDeal if !game.has_scored_round() || game.continuation.is_some() => {
                Some((self.timers.now(), Plan::Deal))
            }
            Status::ToDeal => Some((self.all_ready_or(self.next_round_at(game)), Plan::Deal)),
            Status::Playing if game.repeated_move().is_some() => {
                Some((self.timers.now(), Plan::Repeat))
            }
            Status::Playing => {
                let seats = game.state.view(None).to_act().into_iter();
                seats
                    .filter_map(|seat| self.plan_of_seat(game, seat))
                    .min_by_key(|(at, _)| *at)
            }
        }
    }

    /// The next step of a game from a file; `None` without such a game, and once it has ended.
    fn plan_of_imported_game(&self) -> Option<Plan> {
        let Some(game) = &self.state.game else {
            let next = self.state.continuation.as_ref()?;
            return next.imported.is_some().then_some(Plan::Start);
        };
        let continuation = game.continuation.as_ref()?;
        continuation.imported.as_ref()?;
        match game.state.status() {
            Status::Over(_) => None,
            _ if continuation.ends_early() => Some(Plan::EndEarly),
            Status::ToDeal => Some(Plan::Deal),
            Status::Playing => Some(Plan::Repeat),
        }
    }

    /// The plan of the move for a seat that is to act, and its time.
    fn plan_of_seat(&self, game: &CurrentGame<G>, seat: Seat) -> Option<(Timestamp, Plan)> {
        if self.state.acting_bot_level(seat).is_some() {
            let is_fast = self.state.settings.fast_bots && self.state.people().count() == 1;
            let since = self.waiting_since(game);
            let at = self
                .timers
                .end_of_bot_delay(is_fast, self.state.shown_rev(), seat, since);
            return Some((at, Plan::Act(seat, AutomaticActor::Bot)));
        }
        Some((
            self.turn_deadline(game)?,
            Plan::Act(seat, AutomaticActor::Clock),
        ))
    }

    /// The people who sit here and are connected, the one who has sat longest first.
    pub(super) fn connected_people(&self) -> Vec<(Seat, &Person)> {
        let mut connected: Vec<_> = self.state.people().collect();
        connected.retain(|(_, person)| self.presence.is_here(person.owner));
        connected.sort_by_key(|(_, person)| person.since);
        connected
    }
}

// Their execution.
impl<G: Player> Room<G> {
    fn carry_out(&mut self, plan: Plan) {
        let change = match plan {
            Plan::PassHost(seat) => Change::HostPassed { seat: Some(seat) },
            Plan::Deal => Change::Dealt {
                seed: Seed((self.entropy.bits)()),
                watchers: self.allowed_watchers(),
            },
            Plan::Start => self.start_with_all(),
            Plan::Resume => Change::Resumed,
            Plan::EndEarly => self.early_end(),
            Plan::Repeat => self.repeated_move(),
            Plan::Act(seat, by) => {
                let action = self.action_for(seat, by);
                let by = by.into();
                Change::Acted { seat, by, action }
            }
        };
        let passes_host = matches!(change, Change::HostPassed { .. });
        self.add_entry(None, change, None);
        if passes_host {
            self.record_wait_for_host();
        }
    }

    /// The next move of the game that is played on.
    fn repeated_move(&self) -> Change<G> {
        let game = self.state.game.as_ref().expect("a game is planned for");
        let next = game.repeated_move().expect("a move is planned for");
        let (seat, action) = next.clone();
        let by = Actor::Continuation;
        Change::Acted { seat, by, action }
    }

    /// The move that is made for this seat: the result of its search, else one that needs no search.
    fn action_for(&self, seat: Seat, by: AutomaticActor) -> G::Action {
        let game = self.state.game.as_ref().expect("a game is planned for");
        let view = game.state.view(Some(seat));
        let level = match by {
            AutomaticActor::Bot => self.state.acting_bot_level(seat),
            AutomaticActor::Clock => None,
        };
        let is_legal = |action: &&G::Action| view.check(action).is_ok();
        let searched = self
            .slow_work
            .searches
            .result(seat)
            .filter(is_legal)
            .cloned();
        let advice = || G::advice(view, &game.memory, level.unwrap_or(BOT_FOR_PERSON_LEVEL));
        // A bot without advice must not stop the game.
        let anything = || view.legal().into_iter().next();
        let action = searched.or_else(advice).or_else(anything);
        action.expect("the seat is to act, so there is something to do")
    }

    /// The number of people and bots that are seated.
    pub(super) fn sitter_count(&self) -> usize {
        let chairs = self.state.chairs.iter();
        chairs.filter(|chair| chair.sitter != Sitter::Free).count()
    }

    /// Whether a game can be played with this number of people and bots.
    pub(super) fn has_enough_for_a_game(&self) -> bool {
        match &self.state.continuation {
            Some(continuation) => self.sitter_count() == continuation.seats(),
            None => G::SEATS.contains(&self.sitter_count()),
        }
    }

    /// The start of a game with all who are seated. The chosen chair is the opening seat, or a random one.
    pub(super) fn start_with_all(&mut self) -> Change<G> {
        let sitters = self.sitter_count() as u32;
        let continuation = self.state.continuation.as_ref();
        let given = continuation.map(|game| game.progress.opening());
        let chosen = given.or_else(|| self.state.opening_among_sitters());
        let opening = chosen.unwrap_or_else(|| {
            let word = || {
                let [one, two, three, four, ..] = (self.entropy.bits)();
                u32::from_le_bytes([one, two, three, four])
            };
            Seat::new(uniform_below(sitters, word) as u8)
        });
        let [replay @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = (self.entropy.bits)();
        let replay = ReplayId::from_bits(replay);
        Change::Started { opening, replay }
    }

    /// Requests a search for each expert that is to act and has none, as long as somebody is connected.
    pub(super) fn request_searches(&mut self) {
        let Some(game) = self.state.unpaused_game() else {
            return;
        };
        if game.state.status() != Status::Playing || !self.presence.is_occupied() {
            return;
        }
        for seat in game.state.view(None).to_act() {
            if !self.is_expert(seat) || self.slow_work.searches.is_open(seat) {
                continue;
            }
            if let Some(position) = G::position(game.state.view(Some(seat)), &game.memory) {
                let request = self.slow_work.searches.open(seat);
                let search = Effect::Search(request, position);
                self.outputs.effects.push(search);
            }
        }
    }

    /// Whether the chair belongs to a bot of level `expert`.
    fn is_expert(&self, seat: Seat) -> bool {
        match self.state.chair(seat).map(|chair| &chair.sitter) {
            Some(Sitter::Bot(bot)) => bot.level == Level::Expert,
            Some(Sitter::Person(_) | Sitter::Free) | None => false,
        }
    }
}
