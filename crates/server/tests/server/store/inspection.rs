//! Rooms as the operator reads them, while the store is in use.

use serde_json::json;
use sticheln_room::Timestamp;
use sticheln_server::storage::SerializedEntry;
use sticheln_server::storage::inspection::{Inspection, SegmentSize};

use super::engine::{Engine, on_both_engines};
use super::games::with_game;
use super::segments::{EXPIRED, Kind, MINUTE, entry};
use super::sweep::sweep;
use super::{NOW, append, listing, room};

on_both_engines!(
    rooms_are_read_at_one_moment,
    a_corrupt_row_hides_no_other_room
);

/// Opens a room and reads it. Meanwhile another one is opened, and an entry is appended.
async fn rooms_are_read_at_one_moment(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (code, mut claim) = room(&store).await;
    let kinds = [Kind::Deal, Kind::Later, Kind::Deal, Kind::Later];
    let mut entries: Vec<_> = (1..)
        .zip(kinds)
        .map(|(rev, kind)| entry(kind, rev, 0))
        .collect();
    // The first second of 2026.
    let time = 1_767_225_600_000_u64;
    for kind in ["acted", "red-5"] {
        entries.push(SerializedEntry {
            body: json!({"at": time, "change": {"type": kind}}).to_string(),
            ..entry(Kind::Later, 0, 0)
        });
    }
    let size = SegmentSize {
        entries: 4,
        bytes: entries[2..]
            .iter()
            .map(|entry| {
                let snapshot = entry.snapshot.as_ref();
                (entry.body.len() + snapshot.map_or(0, |snapshot| snapshot.body.len())) as u64
            })
            .sum(),
    };
    entries[1].game = with_game(7, "outline").game;
    entries[2].game = with_game(8, "outline").game;
    let mut listing = listing();
    listing.kept_until = EXPIRED;
    let appended = store.append(&mut claim, Timestamp(time), entries, listing);
    appended.await.unwrap();
    // SQLite archives entries that are ten minutes old.
    for minute in [1, 12, 24] {
        sweep(&store, Timestamp(NOW.0 + minute * MINUTE)).await;
    }

    let inspection = Inspection::open(database.folder().path(), &database.settings()).await;
    let inspection = inspection.unwrap();
    append(&store, &claim, &["later"]).await.unwrap();
    let (later, _) = room(&store).await;
    let codes = inspection.codes().await.unwrap();
    assert_eq!(codes, std::slice::from_ref(&code));
    assert!(inspection.room(&later).await.unwrap().is_none());
    let room = inspection.room(&code).await.unwrap().unwrap();
    assert_eq!(
        (room.active.as_str(), room.rounds, room.games),
        ("2026-01-01T00:00Z", 1, 2)
    );
    let bytes = "SELECT SUM(octet_length(body)) FROM finished_round";
    assert_eq!(room.round_bytes, database.number(bytes).await);
    assert_eq!(inspection.segment_size(&room).await.unwrap(), size);
    let segment = inspection.last_segment(&room).await.unwrap();
    assert_eq!((segment.first_rev, segment.entries.len()), (3, 4));
    let (outlines, error) = inspection.entries(&room).await;
    assert!(error.is_none(), "{error:?}");
    let revs: Vec<_> = outlines.iter().map(|outline| outline.rev).collect();
    assert_eq!(revs, [3, 4, 5, 6]);
    let acted = ("2026-01-01T00:00:00Z".to_owned(), "acted".to_owned());
    assert_eq!(outlines[2].content, Some(acted));
    assert_eq!(outlines[3].content, None, "a card is no type of a change");
}

/// A statement about the first room fails. The other one is read with the same transaction.
async fn a_corrupt_row_hides_no_other_room(engine: Engine) {
    let (store, writer, database) = engine.opened().await;
    let (one, _) = room(&store).await;
    let (other, _) = room(&store).await;
    store.close().await;
    writer.finish().await;
    let corrupt = match engine {
        Engine::Sqlite => format!("UPDATE room SET round_bytes = 'x' WHERE code = '{one}'"),
        // The cast fails when the row is read.
        Engine::Postgres => format!(
            "ALTER TABLE room RENAME TO all_rooms; CREATE VIEW room AS SELECT id, code, game, summary, active_minute, head, \
             CASE code WHEN '{one}' THEN code::bigint ELSE round_bytes END AS round_bytes FROM all_rooms"
        ),
    };
    database.execute(&corrupt).await;
    let inspection = Inspection::open(database.folder().path(), &database.settings()).await;
    let inspection = inspection.unwrap();
    assert_eq!(inspection.codes().await.unwrap().len(), 2);
    inspection.room(&one).await.unwrap_err();
    let room = inspection.room(&other).await.unwrap().unwrap();
    assert_eq!(inspection.segment_size(&room).await.unwrap().entries, 1);
}
