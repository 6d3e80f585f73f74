//! Bots of games that have none of their own.

use std::hash::{DefaultHasher, Hasher};

use sticheln_rules::{Game, View};

/// A legal action of the observer's seat, chosen at random; `None` if the seat has nothing to do. The
/// choice is a hash of the view, so equal views get the same one.
pub fn action<G: Game>(view: View<'_, G>) -> Option<G::Action> {
    let mut legal = view.legal();
    let count = u64::try_from(legal.len()).ok().filter(|count| *count > 0)?;
    let mut hasher = DefaultHasher::new();
    hasher.write(&serde_json::to_vec(&view).expect("a view has a text form"));
    let at = hasher.finish() % count;
    Some(legal.swap_remove(at as usize))
}
