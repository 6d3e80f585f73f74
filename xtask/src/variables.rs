//! The environment variables of tests.

/// The environment variable with the number of games in each test that plays random games.
pub const GAMES: &str = "GAMES";
/// The environment variable with the number of cases in each randomised test, except those of `proptest`.
pub const SEEDS: &str = "SEEDS";
/// The environment variable with the number of cases in each test of the crate `proptest`.
pub const PROPTEST_CASES: &str = "PROPTEST_CASES";
/// The environment variable with the seconds of the check `fuzzing`. In other checks its test takes one second.
pub const FUZZ_SECONDS: &str = "FUZZ_SECONDS";
/// The environment variable with the number of kills in the check `crash-recovery`.
pub const KILLS: &str = "KILLS";
/// The options of `cargo xtask test` with a number, and the environment variable that each of them sets.
pub const OPTIONS: [(&str, &str); 4] = [
    ("--games", GAMES),
    ("--seeds", SEEDS),
    ("--fuzz-seconds", FUZZ_SECONDS),
    ("--kills", KILLS),
];
/// The variables that the tests of the crates read.
pub const VARIABLES_OF_TESTS: &[&str] = &[GAMES, SEEDS, PROPTEST_CASES];

/// The other variables that tests read. `UPDATE_` begins the names of those with which a test writes a file.
const OTHER_VARIABLES_OF_TESTS: &[&str] = &[
    FUZZ_SECONDS,
    KILLS,
    "ATTEMPTS",
    "CLIENTS",
    "COPY_SEED",
    "DEAD",
    "DEALS",
    "DECKS",
    "DEPTH",
    "EVERY",
    "FRAME_DELAY",
    "FUZZ_INPUT",
    "FUZZ_SEED",
    "HEADED",
    "HOSTILE_SECONDS",
    "IMAGE",
    "IMAGE_BYTES",
    "MESSAGES",
    "PERSON_SEED",
    "PING",
    "PODMAN",
    "REPLAY_FOLDER",
    "REPLAY_MOVES",
    "ROUNDS",
    "SCENES",
    "SEED",
    "SEGMENT_SEED",
    "SLOW_CLIENTS",
    "STICHELN",
    "TRACE",
    "VECTORS",
];

/// Whether tests or their runners read the environment variable with this name. For example, `NEXTEST_RETRIES` would
/// repeat failed tests.
pub fn is_variable_of_tests(name: &str) -> bool {
    ["UPDATE_", "NEXTEST_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || name == "NODE_OPTIONS"
        || VARIABLES_OF_TESTS.contains(&name)
        || OTHER_VARIABLES_OF_TESTS.contains(&name)
}

#[cfg(test)]
mod tests;
