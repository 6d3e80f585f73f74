//! All tests of the rules, at their public boundary.
#![allow(clippy::unwrap_used)]

mod playout;
