//! The refusals of this game alone (section 8).

crate::illegal::refusals! {
    self:
    /// All refusals of this game alone.
    ALL;
    ALREADY_PICKED = "already_picked", "The seat has already picked this card.";
}
