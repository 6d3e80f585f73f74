//! Numbers of the documents that are constants of the source. A change of one of them is a change of the other.

use std::fs;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A constant, its file, and a sentence with its document.
const NUMBERS: [[&str; 4]; 28] = [
    [
        "crates/server/src/limits/request_costs.rs",
        "OPENING: Cost = Cost::Request(5);",
        "docs/hosting.md",
        "5 for `POST /api/rooms`;",
    ],
    [
        "crates/server/src/limits/request_costs.rs",
        "READ: Cost = Cost::Request(2);",
        "docs/hosting.md",
        "2 for the list of rooms, a room and a socket;",
    ],
    [
        "crates/server/src/limits/request_costs.rs",
        "SOCKET: Cost = Cost::Request(2);",
        "docs/security.md",
        "a request costs 2 if it takes more work, 5 if it opens a room,",
    ],
    [
        "crates/server/src/limits/request_costs.rs",
        "RECORD: Cost = Cost::Request(240);",
        "docs/security.md",
        "and 240 for the record of a game.",
    ],
    [
        "crates/server/src/limits/request_costs.rs",
        "REPLAY: Cost = Cost::Request(6);",
        "docs/hosting.md",
        "240 for the record of a game; 6 for a round of a replay;",
    ],
    [
        "crates/server/src/limits/request_costs.rs",
        "SMALL: Cost = Cost::Request(1);",
        "docs/hosting.md",
        "1 for the page and other requests",
    ],
    [
        "crates/server/src/limits/request_costs.rs",
        "HEALTH_CHECKS_PER_MINUTE: NonZero<u32> = NonZero::new(600)",
        "docs/hosting.md",
        "`/readyz` and `/healthz` share a token bucket of 600 requests a minute",
    ],
    [
        "crates/server/src/limits/request_costs.rs",
        "CONNECTION_CHECKS_PER_MINUTE: NonZero<u32> = NonZero::new(60)",
        "docs/hosting.md",
        "| connection checks, 60 per minute |",
    ],
    [
        "crates/server/src/limits/address_limits.rs",
        "VIOLATION_COST: u32 = 60;",
        "docs/security.md",
        "costs its address 60 of its `--new-sockets-per-minute`",
    ],
    [
        "crates/server/src/limits/address_limits.rs",
        "REMOVAL_INTERVAL: Duration = Duration::from_secs(60);",
        "docs/security.md",
        "At most once a minute, at a request, the server removes the networks",
    ],
    [
        "crates/server/src/limits/address_limits/concurrency.rs",
        "MAX_CONCURRENT_WAKE_UPS: usize = 2;",
        "docs/security.md",
        "An address wakes at most two rooms at a time;",
    ],
    [
        "crates/server/src/limits/password_attempts.rs",
        "MAX_COUNTED_NETWORKS: usize = 4096;",
        "docs/security.md",
        "Each room counts wrong passwords for 4096 networks;",
    ],
    [
        "crates/room/src/room/write_budget.rs",
        "MAX_CHOICE_REPLACEMENTS: u32 = 10;",
        "docs/protocol.md",
        "10 times in a round (`replaced_too_often`).",
    ],
    [
        "crates/room/src/room/guests.rs",
        "MAX_GUESTS: usize = 8;",
        "docs/wire/seats.md",
        "At most 8 clients wait, and 2 from one address",
    ],
    [
        "crates/room/src/room/guests.rs",
        "MAX_GUESTS_PER_ADDRESS: usize = 2;",
        "docs/security.md",
        "It has at most 8 guests, and 2 of one address.",
    ],
    [
        "crates/server/src/http/listener.rs",
        "REFUSAL_PAUSE: Duration = Duration::from_millis(200);",
        "docs/hosting.md",
        "the response comes after 0.2 s.",
    ],
    [
        "crates/server/src/http/listener.rs",
        "MAX_HEADERS: usize = 64;",
        "docs/security.md",
        "`--header-timeout-seconds` (5), 64 headers and 16 KiB.",
    ],
    [
        "crates/server/src/http/listener.rs",
        "MAX_HEADER_BYTES: usize = 16 * 1024;",
        "docs/security.md",
        "64 headers and 16 KiB.",
    ],
    [
        "crates/server/src/http/routes.rs",
        "UPGRADE_DELAY: Duration = Duration::from_secs(1);",
        "docs/security.md",
        "the server waits a second before it answers (`too_often`).",
    ],
    [
        "crates/server/src/ops/health_command.rs",
        "TIMEOUT: Duration = Duration::from_secs(3);",
        "docs/hosting.md",
        "It waits three seconds at most.",
    ],
    [
        "crates/server/src/rooms/damaged_rooms.rs",
        "MAX_ROOMS: usize = 256;",
        "docs/hosting.md",
        "or 256 other rooms are damaged or have panicked.",
    ],
    [
        "crates/server/src/rooms/sweep.rs",
        "SWEEP_INTERVAL: Duration = Duration::from_secs(60);",
        "docs/hosting.md",
        "The server checks once a minute.",
    ],
    [
        "crates/server/src/socket/sending.rs",
        "SEND_TIMEOUT: Duration = Duration::from_secs(60);",
        "docs/security.md",
        "more than a minute for one message.",
    ],
    [
        "crates/server/src/storage.rs",
        "MAX_LISTED: i64 = 50;",
        "docs/protocol.md",
        "at most 50 listed rooms",
    ],
    [
        "crates/server/src/storage.rs",
        "MAX_READ_FOR_LIST: i64 = 4 * MAX_LISTED;",
        "docs/security.md",
        "The list of rooms reads at most 200 rooms over an index",
    ],
    [
        "crates/server/src/storage/round.rs",
        "MAX_ROUND_BYTES_PER_ROOM: i64 = 16 * 1024 * 1024;",
        "docs/hosting.md",
        "The server keeps the newest 16 MiB of finished rounds of each room",
    ],
    [
        "crates/server/src/storage/probe.rs",
        "VALIDITY: Duration = Duration::from_secs(5);",
        "docs/hosting.md",
        "keeps the result for five seconds.",
    ],
    [
        "crates/server/src/workers/password_hashing.rs",
        "THREADS: usize = 2;",
        "docs/promises.md",
        "At most two passwords are hashed at a time",
    ],
];

/// The text of a file, with a space for each line break.
fn words(file: &str) -> String {
    let text = fs::read_to_string(format!("{ROOT}/{file}")).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn numbers_of_documents_are_those_of_the_source() {
    for [source, constant, document, sentence] in NUMBERS {
        assert!(words(source).contains(constant), "{source}: {constant}");
        assert!(words(document).contains(sentence), "{document}: {sentence}");
    }
}
