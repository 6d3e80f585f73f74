//! The actions of a room by itself: how they are planned, and how they are carried out.

use sticheln_bots::{Level, Player};
use sticheln_rules::{Seat, Status};

use super::presence::AWAY;
use super::timers::{Plan, Wait};
use super::{Output, Room};
use crate::chair::{Person, STAND_IN, Sitter};
use crate::shuffle::below;
use crate::state::Play;
use crate::{By, Change, Owner, Seed, Timestamp};

// Plans.
impl<G: Player> Room<G> {
    /// The most plans that are carried out at once: more than a deal and a move of each bot.
    const STEPS_AT_ONCE: usize = 32;

    /// Carries out all plans that are due, and makes the next one.
    pub(super) fn do_what_is_due(&mut self) {
        for _ in 0..Self::STEPS_AT_ONCE {
            self.plan();
            match self.timers.take_due() {
                Some(plan) => self.carry_out(plan),
                None => return,
            }
        }
        self.plan();
    }

    /// Makes the next plan. A room without connections has none.
    pub(super) fn plan(&mut self) {
        self.timers.clear();
        if !self.presence.is_attended() {
            return;
        }
        if let Some((at, seat)) = self.next_host() {
            self.timers.set(at, Plan::PassHost(seat));
        }
        if let Some((at, plan)) = self.plan_of_game() {
            self.timers.set(at, plan);
        }
    }

    /// The seat whose person becomes the host, and when: at once if there is no host.
    fn next_host(&self) -> Option<(Timestamp, Seat)> {
        let at = match self.state.host_owner() {
            Some(host) => {
                let gone = self.presence.gone_since(host)?;
                let since = gone.max(self.presence.attended_since());
                self.timers.end_of(Wait::Host, since)
            }
            None => self.timers.now(),
        };
        let (seat, _) = *self.present().first()?;
        Some((at, seat))
    }

    fn plan_of_game(&self) -> Option<(Timestamp, Plan)> {
        let play = self.state.play.as_ref().filter(|play| !play.paused)?;
        match play.state.status() {
            Status::Over(_) => {
                let at = self.all_ready_at()?;
                let can_begin = self.begins_with_enough() && !self.is_log_full();
                can_begin.then_some((at, Plan::Rematch))
            }
            Status::ToDeal if play.state.view(None).sheet().rounds().is_empty() => {
                Some((self.timers.now(), Plan::Deal))
            }
            Status::ToDeal => {
                let latest = self.next_round_at(play);
                let at = self.all_ready_at().map_or(latest, |at| at.min(latest));
                Some((at, Plan::Deal))
            }
            Status::Playing => {
                let seats = play.state.view(None).to_act().into_iter();
                seats
                    .filter_map(|seat| self.plan_of_seat(play, seat))
                    .min_by_key(|(at, _)| *at)
            }
        }
    }

    /// When something will be done for a seat that is to act.
    fn plan_of_seat(&self, play: &Play<G>, seat: Seat) -> Option<(Timestamp, Plan)> {
        if self.state.acting_bot_level(seat).is_some() {
            let is_fast = self.state.settings.fast_bots && self.state.people().count() == 1;
            let since = self.waiting_since(play);
            let at = self
                .timers
                .end_of_pause(is_fast, self.state.rev, seat, since);
            return Some((at, Plan::Act(seat, By::Bot)));
        }
        Some((self.turn_ends_at(play)?, Plan::Act(seat, By::Clock)))
    }

    /// When all people who are present are ready, at least one. A person whose connection was lost a moment ago counts as
    /// present.
    fn all_ready_at(&self) -> Option<Timestamp> {
        let mut at = None;
        for (seat, person) in self.state.people() {
            let is_ready = self.state.chair(seat).is_some_and(|chair| chair.ready);
            match self.presence.gone_since(person.owner) {
                None if is_ready => at = at.max(Some(self.timers.now())),
                None => return None,
                Some(_) if is_ready => {}
                Some(since) => {
                    at = at.max(Some(since.max(self.presence.attended_since()).after(AWAY)))
                }
            }
        }
        at.filter(|_| !self.present().is_empty())
    }

    /// When the game goes on by itself: the time limit ends, or the next round is dealt. It goes on earlier when all have
    /// acted, or all are ready.
    pub(super) fn game_deadline(&self) -> Option<Timestamp> {
        let play = self.state.play.as_ref().filter(|play| !play.paused)?;
        match play.state.status() {
            Status::Playing => self.turn_ends_at(play),
            Status::ToDeal => Some(self.next_round_at(play)),
            Status::Over(_) => None,
        }
    }

    /// When the next round is dealt although not all are ready.
    fn next_round_at(&self, play: &Play<G>) -> Timestamp {
        let since = self.waiting_since(play);
        self.timers.end_of(Wait::NextRound, since)
    }

    /// When the time of the seats that are to act is over; `None` if it is not limited.
    fn turn_ends_at(&self, play: &Play<G>) -> Option<Timestamp> {
        let wait = Wait::Turn(self.state.settings.turn_seconds?);
        Some(self.timers.end_of(wait, self.waiting_since(play)))
    }

    /// Since when the room has waited for the next move. Time in which nobody was here does not count.
    fn waiting_since(&self, play: &Play<G>) -> Timestamp {
        play.since.max(self.presence.attended_since())
    }

    /// Whether a bot may stand in for the person on this seat: they have been away or silent for too long. The time begins
    /// when the room waits for them. During their turn only a message of theirs ends it: otherwise a client that
    /// reconnects again and again would stop the game.
    pub(super) fn is_missed(&self, seat: Seat, owner: Owner) -> bool {
        let play = self.state.play.as_ref().filter(|play| !play.paused);
        let play = play.filter(|play| play.state.view(None).to_act().contains(&seat));
        let waiting_since = play.map(|play| self.waiting_since(play));
        let Some(gone) = self.presence.gone_since(owner) else {
            return waiting_since.is_some_and(|since| self.timers.is_over(Wait::Silent, since));
        };
        let silent_since = self.presence.silent_since(owner);
        let silent = waiting_since.zip(silent_since);
        let since = silent.map_or(gone, |(waiting, silent)| waiting.max(silent).min(gone));
        self.timers.is_over(Wait::Absent, since)
    }

    /// The people who sit here and are connected, the one who has sat longest first.
    pub(super) fn present(&self) -> Vec<(Seat, &Person)> {
        let mut present: Vec<_> = self.state.people().collect();
        present.retain(|(_, person)| self.presence.is_here(person.owner));
        present.sort_by_key(|(_, person)| person.since);
        present
    }
}

// Their execution.
impl<G: Player> Room<G> {
    fn carry_out(&mut self, plan: Plan) {
        let change = match plan {
            Plan::PassHost(seat) => Change::HostPassed { seat: Some(seat) },
            Plan::Deal => Change::Dealt {
                seed: Seed((self.entropy.bits)()),
            },
            Plan::Rematch => self.start_with_all(),
            Plan::Act(seat, by) => {
                let action = self.action_for(seat, by);
                Change::Acted { seat, by, action }
            }
        };
        self.enter(None, change);
    }

    /// The move of a bot for this seat: the result of its search, else one that needs no search.
    fn action_for(&self, seat: Seat, by: By) -> G::Action {
        let play = self.state.play.as_ref().expect("a game is planned for");
        let view = play.state.view(Some(seat));
        let level = match by {
            By::Bot => self.state.acting_bot_level(seat),
            By::Owner | By::Clock => None,
        };
        let is_legal = |action: &&G::Action| view.check(action).is_ok();
        let searched = self.searches.result(seat).filter(is_legal).cloned();
        let advice = || G::advice(view, &play.memory, level.unwrap_or(STAND_IN));
        // A bot without advice must not stop the game.
        let anything = || view.legal().into_iter().next();
        let action = searched.or_else(advice).or_else(anything);
        action.expect("the seat is to act, so there is something to do")
    }

    /// The number of people and bots that are seated.
    pub(super) fn sitters(&self) -> usize {
        let chairs = self.state.chairs.iter();
        chairs
            .filter(|chair| chair.sitter != Sitter::Nobody)
            .count()
    }

    /// Whether a game can be played with this number of people and bots.
    pub(super) fn begins_with_enough(&self) -> bool {
        G::SEATS.contains(&self.sitters())
    }

    /// The start of a game with all who are seated. The chosen chair is the opening seat, or a random one.
    pub(super) fn start_with_all(&mut self) -> Change<G> {
        let sitters = self.sitters() as u32;
        let chosen = self.state.opening_among_sitters();
        let opening = chosen.unwrap_or_else(|| {
            let word = || {
                let [one, two, three, four, ..] = (self.entropy.bits)();
                u32::from_le_bytes([one, two, three, four])
            };
            Seat::new(below(sitters, word) as u8)
        });
        Change::Started { opening }
    }

    /// Requests a search for each expert that is to act and has none, as long as somebody is connected.
    pub(super) fn request_searches(&mut self) {
        let Some(play) = self.state.play.as_ref().filter(|play| !play.paused) else {
            return;
        };
        if play.state.status() != Status::Playing || !self.presence.is_attended() {
            return;
        }
        for seat in play.state.view(None).to_act() {
            if !self.is_expert(seat) || self.searches.is_open(seat) {
                continue;
            }
            if let Some(position) = G::position(play.state.view(Some(seat)), &play.memory) {
                let request = self.searches.open(seat);
                self.outputs.push(Output::Search(request, position));
            }
        }
    }

    /// Whether the chair belongs to a bot of level `expert`.
    fn is_expert(&self, seat: Seat) -> bool {
        match self.state.chair(seat).map(|chair| &chair.sitter) {
            Some(Sitter::Bot(bot)) => bot.level == Level::Expert,
            Some(Sitter::Person(_) | Sitter::Nobody) | None => false,
        }
    }
}
