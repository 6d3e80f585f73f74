-- A room and its log. The log is the truth; what `room` holds besides is for finding, listing and
-- clearing away rooms without reading their logs.
--
-- `epoch` is raised by whoever takes a room over, and every append names the epoch it was made
-- under: an owner who has lost the room can never write. `head` is the `seq` of the last event.
-- A command is never applied twice because its id is part of the event that it led to, and who
-- holds the room reads all events first; so no key on ids is needed, and an id that a client uses
-- again after a long time cannot stop a room.
--
-- Only TEXT and BIGINT, times in milliseconds since the Unix epoch: the same file runs on SQLite
-- and Postgres.
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

-- Nothing that changes with every move has an index: each would be one more page to write.
CREATE INDEX room_listed ON room (code) WHERE listed = 1;

CREATE TABLE event (
    room_id TEXT NOT NULL REFERENCES room (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (room_id, seq)
);
