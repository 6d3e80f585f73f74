//! Bots of games without bots of their own.

use std::hash::{DefaultHasher, Hasher};

use sticheln_rules::{Game, View};

/// A random legal action of the observer's seat; `None` if the seat is not on turn. The choice is a
/// hash of the view, so equal views give the same action.
pub fn action<G: Game>(view: View<'_, G>) -> Option<G::Action> {
    let mut legal = view.legal();
    let count = u64::try_from(legal.len()).ok().filter(|count| *count > 0)?;
    let mut hasher = DefaultHasher::new();
    hasher.write(&serde_json::to_vec(&view).expect("a view can be serialised"));
    let at = hasher.finish() % count;
    Some(legal.swap_remove(at as usize))
}
