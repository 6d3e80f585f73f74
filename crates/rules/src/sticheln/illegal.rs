//! The refusals of this game alone (section 8).

#![expect(missing_docs, reason = "each constant has its meaning")]

use crate::Illegal;

pub const ALREADY_PICKED: Illegal =
    Illegal::new("already_picked", "The seat has already picked a card.");

/// All refusals of this game alone.
pub const ALL: [Illegal; 1] = [ALREADY_PICKED];
