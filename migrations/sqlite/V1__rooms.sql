-- Rooms and their logs, for SQLite. docs/storage.md describes the tables.
--
-- Times are whole minutes or hours since the Unix epoch: so the row of a room and its indices change seldom, and most moves
-- change neither.

-- One row. Each server that opens the database raises `process_epoch`, and each transaction of a server compares it. `format` is the format in which all servers write. `retention_minute` is the time of the retention
-- clock, which goes on from there after a restart.
CREATE TABLE database_state (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    process_epoch INTEGER NOT NULL,
    format INTEGER NOT NULL,
    retention_minute INTEGER NOT NULL
);

-- One row for each room, to find, list and delete rooms without their logs. A claim of a room raises `epoch`. `round_bytes` is
-- the size of its rows in `finished_round`. An id is never used again, because a task may still hold a claim of a deleted room.
CREATE TABLE room (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    code TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    listed INTEGER NOT NULL,
    summary TEXT NOT NULL,
    active_minute INTEGER NOT NULL,
    kept_until_minute INTEGER NOT NULL,
    expiry_hour INTEGER NOT NULL,
    round_bytes INTEGER NOT NULL DEFAULT 0
);

-- Only listed rooms have an entry here: the list of the newest rooms costs the same however many rooms are listed.
CREATE INDEX room_listed ON room (active_minute) WHERE listed = 1;

-- The sweep reads expired rooms in pages.
CREATE INDEX room_expiry ON room (expiry_hour, id);

-- The newest entries of all rooms. They are appended at one end and have no other index, so a commit writes few pages. `previous`
-- is the id of the row before it of the same room, which may be gone, or 0.
--
-- `snapshot` is the room before the entry, if a segment of the room log begins with it; `begins_round` whether the entry is a
-- deal. A room wakes from its newest snapshot and the entries from there on.
CREATE TABLE recent_entry (
    id INTEGER NOT NULL PRIMARY KEY,
    room_id INTEGER NOT NULL,
    previous INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    body TEXT NOT NULL,
    snapshot TEXT,
    begins_round INTEGER NOT NULL DEFAULT 0
);

-- The older entries of the segments that are not archived yet, in the order of rooms. The sweep copies them from `recent_entry`, and deletes
-- them there later.
CREATE TABLE older_entry (
    room_id INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    body TEXT NOT NULL,
    snapshot TEXT,
    begins_round INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (room_id, rev)
) WITHOUT ROWID;

-- The names of people. Entries and snapshots name people by the id `person`, which is the `rev` of the entry with which they sat
-- down. `left_rev` is the `rev` of the entry with which they left their chair, or the largest integer as long as they have it. It
-- begins the key, so a room wakes without reading people who have left.
CREATE TABLE person (
    room_id INTEGER NOT NULL,
    left_rev INTEGER NOT NULL,
    person INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (room_id, left_rev, person)
) WITHOUT ROWID;

-- The games with a finished round, by the ids with which people find them. `rev` is that of the entry that first saved the game,
-- `outline` a text of the room about the game, without names. The rows can be long, so the table has a `rowid`.
CREATE TABLE game (
    id TEXT NOT NULL PRIMARY KEY,
    room_id INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    outline TEXT NOT NULL
);

CREATE INDEX game_of_room ON game (room_id, rev);

-- The archive of finished rounds: one row for each, with the snapshot before it and its entries. `rev` is that of its first entry,
-- `last_rev` that of its last one.
CREATE TABLE finished_round (
    id INTEGER NOT NULL PRIMARY KEY,
    room_id INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    last_rev INTEGER NOT NULL,
    body TEXT NOT NULL
);

CREATE UNIQUE INDEX finished_round_of_room ON finished_round (room_id, rev);
