-- A room and its log. The table `event` has the entries of the log, the only source of truth. The columns of `room` serve to find, list
-- and delete rooms without reading their logs.
--
-- A task that takes over a room raises `epoch`. Every append names the epoch of its task, so a task that has lost the room
-- cannot write. `head` is the `seq` of the last entry.
--
-- The id of a command is part of the entry that it led to, and a task reads all entries before it accepts commands. So no
-- command is applied twice without a unique key on ids. An id that a client uses again after a long time is harmless.
--
-- All columns are TEXT or BIGINT, and times are milliseconds since the Unix epoch, so the same file runs on SQLite and
-- PostgreSQL.
CREATE TABLE room (
    id TEXT NOT NULL PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    owner TEXT NOT NULL,
    head BIGINT NOT NULL,
    format BIGINT NOT NULL,
    listed BIGINT NOT NULL,
    summary TEXT NOT NULL,
    updated_ms BIGINT NOT NULL,
    kept_until_ms BIGINT NOT NULL
);

-- An index of a column that changes with every move is one more page to write. So only the rooms that are listed have
-- one: with it the list of the newest rooms costs the same however many rooms are listed.
CREATE INDEX room_listed ON room (updated_ms) WHERE listed = 1;

CREATE TABLE event (
    room_id TEXT NOT NULL REFERENCES room (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (room_id, seq)
);
