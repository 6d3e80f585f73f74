//! The searches that bots of level `expert` have requested.
//!
//! An expert that is to act requests one search, and the first result is kept until its pause is over. Without a legal
//! result by then, it makes the move that needs no search. A result is not saved or shown before it is played.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use sticheln_rules::Seat;

use crate::entry::EndedSearches;

/// Names a search that a room has requested. It is given back with the result.
#[derive(Clone, Debug)]
pub struct SearchRequest(Weak<()>);

impl SearchRequest {
    /// Whether the room still waits for the result. Nobody has acted for the seat since, the game goes on, the same bot
    /// sits there, and the room is in memory.
    pub fn is_open(&self) -> bool {
        self.0.strong_count() > 0
    }
}

/// The open searches of one room for actions of its game, at most one for each seat.
pub(super) struct Searches<Action>(BTreeMap<Seat, OpenSearch<Action>>);

/// A search that is open, and its first result.
struct OpenSearch<Action> {
    /// [`SearchRequest`] points to it.
    id: Arc<()>,
    result: Option<Action>,
}

impl<Action> Searches<Action> {
    /// No search is open.
    pub(super) fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Whether a search for this seat is open.
    pub(super) fn is_open(&self, seat: Seat) -> bool {
        self.0.contains_key(&seat)
    }

    /// Opens a search for this seat.
    pub(super) fn open(&mut self, seat: Seat) -> SearchRequest {
        let id = Arc::new(());
        let request = SearchRequest(Arc::downgrade(&id));
        self.0.insert(seat, OpenSearch { id, result: None });
        request
    }

    /// Keeps a result, if the search is open and has none.
    pub(super) fn set_result(&mut self, request: &SearchRequest, action: Action) {
        let mut searches = self.0.values_mut();
        let is_answered = |search: &&mut OpenSearch<Action>| {
            std::ptr::eq(Arc::as_ptr(&search.id), request.0.as_ptr())
        };
        if let Some(search) = searches.find(is_answered) {
            search.result.get_or_insert(action);
        }
    }

    /// The result of the search for this seat.
    pub(super) fn result(&self, seat: Seat) -> Option<&Action> {
        self.0.get(&seat)?.result.as_ref()
    }

    /// Closes the searches that a change ends.
    pub(super) fn close(&mut self, ended: EndedSearches) {
        match ended {
            EndedSearches::None => {}
            EndedSearches::OfSeat(seat) => drop(self.0.remove(&seat)),
            EndedSearches::All => self.0.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_result_is_kept() {
        let mut searches = Searches::new();
        let seat = Seat::new(0);
        let request = searches.open(seat);
        assert!(searches.is_open(seat) && request.is_open());
        assert_eq!(searches.result(seat), None);
        searches.set_result(&request, "the first action");
        searches.set_result(&request, "the second action");
        assert_eq!(searches.result(seat), Some(&"the first action"));
        assert_eq!(searches.result(Seat::new(1)), None);
    }

    #[test]
    fn a_late_result_is_dropped() {
        let mut searches = Searches::new();
        let seat = Seat::new(0);
        let old = searches.open(seat);
        searches.close(EndedSearches::OfSeat(seat));
        assert!(!old.is_open());
        let new = searches.open(seat);
        searches.set_result(&old, "the first action");
        assert_eq!(searches.result(seat), None);
        assert!(new.is_open());
    }

    #[test]
    fn a_change_ends_one_search_or_all() {
        let mut searches = Searches::<()>::new();
        let requests = [0, 1, 2].map(|seat| searches.open(Seat::new(seat)));
        let are_open = || [0, 1, 2].map(|seat| requests[seat].is_open());
        searches.close(EndedSearches::None);
        assert_eq!(are_open(), [true, true, true]);
        searches.close(EndedSearches::OfSeat(Seat::new(1)));
        assert_eq!(are_open(), [true, false, true]);
        searches.close(EndedSearches::All);
        assert_eq!(are_open(), [false, false, false]);
        assert!(!searches.is_open(Seat::new(0)));
    }
}
