-- Rooms and their logs, for PostgreSQL. docs/storage.md describes the tables.
--
-- Times are whole minutes or hours since the Unix epoch, as in SQLite.

-- One row. `format` is the format in which all servers write. `retention_minute` is the time of the retention clock, which goes
-- on from there after a restart.
CREATE TABLE database_state (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    format BIGINT NOT NULL,
    retention_minute BIGINT NOT NULL
);

-- One row for each node: a server that shares the database with others. Its lease holds until `lease_until`, by the clock of the
-- database. A node without a row has no lease. `newest_format` is the newest format that the node reads and writes.
CREATE TABLE node (
    id BIGINT NOT NULL PRIMARY KEY,
    lease_until TIMESTAMPTZ NOT NULL,
    newest_format BIGINT NOT NULL
);

-- One row for each room. The fence compares `epoch`, `claim_id` and `head` with those that an append names. `epoch` is the fencing
-- token. A claim raises it, and sets a random `claim_id`. `head` is the `rev` of the last entry. `first_rev` is the first entry that is not archived, and
-- `segment_rev` the first one of the last segment. `round_bytes` is the size of its rows in `finished_round`. `leader` is
-- the node that has claimed the room. It is NULL if the node has released the room, or if the server is alone.
--
-- Each append changes `head`, so the pages keep space for new versions of the row. Such a change touches no index.
CREATE TABLE room (
    id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    claim_id BIGINT NOT NULL,
    leader BIGINT,
    head BIGINT NOT NULL,
    first_rev BIGINT NOT NULL DEFAULT 0,
    segment_rev BIGINT NOT NULL DEFAULT 0,
    listed BOOLEAN NOT NULL,
    summary TEXT NOT NULL,
    active_minute BIGINT NOT NULL,
    kept_until_minute BIGINT NOT NULL,
    expiry_hour BIGINT NOT NULL,
    round_bytes BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Only listed rooms have an entry here: the list of the newest rooms costs the same however many rooms are listed.
CREATE INDEX room_listed ON room (active_minute, id) WHERE listed;

-- The sweep reads expired rooms in pages.
CREATE INDEX room_expiry ON room (expiry_hour, id);

-- The rooms with complete segments, which the sweep archives.
CREATE INDEX room_to_archive ON room (id) WHERE segment_rev > first_rev;

-- The entries of the segments that are not archived yet. `snapshot` is the room before the entry, if a segment of the room log
-- begins with it; `begins_round` whether the entry is a deal.
CREATE TABLE entry (
    room_id BIGINT NOT NULL,
    rev BIGINT NOT NULL,
    body TEXT NOT NULL,
    snapshot TEXT,
    begins_round BOOLEAN NOT NULL,
    PRIMARY KEY (room_id, rev)
);

-- The first entries of segments.
CREATE INDEX entry_of_segment ON entry (room_id, rev) WHERE snapshot IS NOT NULL;

-- The names of people. `left_rev` is the `rev` of the entry with which they left their chair, or the largest integer as long as they
-- have it.
CREATE TABLE person (
    room_id BIGINT NOT NULL,
    left_rev BIGINT NOT NULL,
    person BIGINT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (room_id, left_rev, person)
);

-- The games with a finished round, by the ids with which people find them. `rev` is that of the entry that first saved the game,
-- `outline` a text of the room about the game, without names.
CREATE TABLE game (
    id TEXT NOT NULL PRIMARY KEY,
    room_id BIGINT NOT NULL,
    rev BIGINT NOT NULL,
    outline TEXT NOT NULL
);

CREATE INDEX game_of_room ON game (room_id, rev);

-- The archive of finished rounds: one row for each, with the snapshot before it and its entries. `rev` is that of its first entry,
-- `last_rev` that of its last one.
CREATE TABLE finished_round (
    room_id BIGINT NOT NULL,
    rev BIGINT NOT NULL,
    last_rev BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (room_id, rev)
);
