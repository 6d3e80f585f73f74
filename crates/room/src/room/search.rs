//! What bots ponder while they seem to think.
//!
//! An expert that is to act is asked once, and its answer is kept until its pause is over. If none
//! has come by then, or none that is legal, it does what comes to its mind at once. Nothing of it
//! is written down or told before it is done.

use std::sync::{Arc, Weak};

use sticheln_bots::{Level, Player};
use sticheln_rules::{Seat, Status};

use super::{Output, Room};
use crate::chair::Sitter;
use crate::entry::EndedSearches;
use crate::state::Play;

/// What an expert was asked: whoever ponders it gives it back with the answer.
#[derive(Clone, Debug)]
pub struct SearchRequest(Weak<()>);

impl SearchRequest {
    /// Whether the table still waits for an answer: nobody has acted for the seat since, the game
    /// goes on, the same bot sits there, and the room is in memory.
    pub fn is_open(&self) -> bool {
        self.0.strong_count() > 0
    }
}

/// A question that is open, and the first answer to it.
pub(super) struct PendingSearch<G: Player> {
    question: Arc<()>,
    answer: Option<G::Action>,
}

impl<G: Player> Room<G> {
    /// Asks the experts that are to act and were not asked yet. Where nobody looks on, nobody acts.
    pub(super) fn request_searches(&mut self) {
        let Some(play) = self.state.play.as_ref().filter(|play| !play.paused) else {
            return;
        };
        if play.state.status() != Status::Playing || !self.is_attended() {
            return;
        }
        for seat in play.state.view(None).to_act() {
            if !self.is_expert(seat) || self.searches.contains_key(&seat) {
                continue;
            }
            if let Some(position) = G::position(play.state.view(Some(seat)), &play.memory) {
                let question = Arc::new(());
                let asked = SearchRequest(Arc::downgrade(&question));
                let answer = None;
                self.searches
                    .insert(seat, PendingSearch { question, answer });
                self.outputs.push(Output::Search(asked, position));
            }
        }
    }

    /// Whether an expert sits there on a chair of its own.
    fn is_expert(&self, seat: Seat) -> bool {
        match self.state.chair(seat).map(|chair| &chair.sitter) {
            Some(Sitter::Bot(bot)) => bot.level == Level::Expert,
            Some(Sitter::Person(_) | Sitter::Nobody) | None => false,
        }
    }

    /// Keeps an answer, if the question is still open.
    pub(super) fn advised(&mut self, question: &SearchRequest, action: G::Action) {
        let mut searches = self.searches.values_mut();
        let asked = |search: &&mut PendingSearch<G>| {
            std::ptr::eq(Arc::as_ptr(&search.question), question.0.as_ptr())
        };
        if let Some(search) = searches.find(asked) {
            search.answer.get_or_insert(action);
        }
    }

    /// What the expert on this seat has found, if it is something that it may do.
    pub(super) fn searched(&self, play: &Play<G>, seat: Seat) -> Option<G::Action> {
        let action = self.searches.get(&seat)?.answer.as_ref()?;
        let view = play.state.view(Some(seat));
        view.check(action).is_ok().then(|| action.clone())
    }

    /// Closes the questions that a change has answered or made pointless.
    pub(super) fn close_searches(&mut self, ended: EndedSearches) {
        match ended {
            EndedSearches::None => {}
            EndedSearches::OfSeat(seat) => drop(self.searches.remove(&seat)),
            EndedSearches::All => self.searches.clear(),
        }
    }
}
