//! Fuzz target: arbitrary bytes as actions of a game. The tests of the rules run the same function
//! with random bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/rules/fuzz.rs"]
mod fuzz;
#[path = "../../tests/rules/playout.rs"]
#[allow(dead_code, reason = "the tests need more of it")]
mod playout;

fuzz_target!(|bytes: &[u8]| {
    fuzz::fuzz(bytes);
});
