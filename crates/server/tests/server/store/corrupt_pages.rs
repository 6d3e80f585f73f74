//! Corrupt pages of the database: they affect the rooms in them only.

use std::os::unix::fs::FileExt;

use futures_util::future::{join, join_all};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::{Store, WriteError};

use super::{append, copied_files, found, opened, refuse_broken, room, rooms, wake};
use crate::common::folder::Folder;
use crate::harness::database;

/// The reason why a server does not start in this folder.
async fn refused(folder: &Folder) -> String {
    match Store::open(folder.path()).await {
        Err(error) => error.to_string(),
        Ok(_) => panic!("opened"),
    }
}

/// After a crash. The server could not know which moves are missing.
#[tokio::test]
async fn a_corrupt_table_of_the_newest_entries_is_refused() {
    let (store, _writer, folder) = opened().await;
    room(&store).await;
    let copy = copied_files(&folder);
    corrupt_page(&copy, root_page(&copy, "recent_entry"));
    let sentence = refused(&copy).await;
    assert!(sentence.contains("cannot be used"), "{sentence}");
    assert!(
        sentence.ends_with('.') && !sentence.contains('\n'),
        "{sentence}"
    );
}

/// New rooms can be opened and continue.
#[tokio::test]
async fn a_corrupt_table_of_older_entries_does_not_stop_the_server() {
    let (store, writer, folder) = opened().await;
    room_of_many_pages(&store).await;
    store.close().await;
    writer.finish().await;
    let root = root_page(&folder, "older_entry");
    let last = read_page(&folder, root)[8..12].try_into().unwrap();
    for page in [u32::from_be_bytes(last), root] {
        corrupt_page(&folder, page);
        let (store, writer) = Store::open(folder.path()).await.unwrap();
        let (_, claim) = room(&store).await;
        let claim = append(&store, &claim, &["one"]).await.unwrap();
        append(&store, &claim, &["two"]).await.unwrap();
        store.close().await;
        writer.finish().await;
    }
}

/// A claim reads a corrupt page. The other writes of its group are written nevertheless.
#[tokio::test]
async fn a_corrupt_page_does_not_affect_other_writes_of_its_group() {
    let (store, _writer, folder) = opened().await;
    let rooms = rooms(&store, 20).await;
    refuse_broken(&folder);
    corrupt_page(&folder, root_page(&folder, "older_entry"));
    // The next connection has no copy of the page.
    let failed = append(&store, &rooms[0].1, &["broken"]).await;
    assert_eq!(failed.err(), Some(WriteError::Failed));

    let appended = rooms[1..]
        .iter()
        .map(|(_, claim)| append(&store, claim, &["one"]));
    let unreadable = found(&store, &rooms[0].0).await;
    let (claimed, appended) = join(store.claim(unreadable), join_all(appended)).await;
    assert_eq!(claimed.err(), Some(WriteError::Corrupt));
    assert!(appended.iter().all(Result::is_ok));
    assert_eq!(store.metrics().failures.get(), 1, "that of `broken`");
}

/// A write that fails before its commit is certainly not on disk. So the writer does not read `recent_entry` again, and a
/// corrupt page of old rows does not stop the other rooms.
#[tokio::test]
async fn a_failed_write_reads_no_old_rows() {
    let (store, _writer, folder) = opened().await;
    let rooms = rooms(&store, 20).await;
    let long = "x".repeat(1000);
    for (_, claim) in &rooms {
        append(&store, claim, &[&long]).await.unwrap();
    }
    let (code, claim) = room(&store).await;
    refuse_broken(&folder);
    corrupt_page(
        &folder,
        first_child(&folder, root_page(&folder, "recent_entry")),
    );
    let failed = append(&store, &claim, &["broken"]).await;
    assert_eq!(failed.err(), Some(WriteError::Failed));
    append(&store, &claim, &["one"]).await.unwrap();
    assert_eq!(wake(&store, &code).await.1, ["first", "one"]);
    let count = database(&folder).query_one("SELECT SUM(rev) FROM recent_entry", [], |_| Ok(()));
    assert!(count.is_err(), "the page is corrupt");
}

/// The first page of a table or an index.
pub fn root_page(folder: &Folder, name: &str) -> u32 {
    let select = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let root = database(folder).query_one(select, [name], |row| row.get(0));
    root.unwrap()
}

/// The first child of an inner page of a table or an index.
pub fn first_child(folder: &Folder, number: u32) -> u32 {
    let page = read_page(folder, number);
    assert!([2, 5].contains(&page[0]), "an inner page");
    let cell = usize::from(u16::from_be_bytes([page[12], page[13]]));
    u32::from_be_bytes(page[cell..cell + 4].try_into().unwrap())
}

const PAGE_BYTES: usize = 4096;

fn read_page(folder: &Folder, number: u32) -> Vec<u8> {
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    let busy = database(folder).query_one(checkpoint, [], |row| row.get::<_, i64>(0));
    assert_eq!(busy, Ok(0));
    let file = std::fs::read(folder.database()).unwrap();
    let start = (number as usize - 1) * PAGE_BYTES;
    file[start..start + PAGE_BYTES].to_vec()
}

/// Overwrites a page in the file of the database.
pub fn corrupt_page(folder: &Folder, number: u32) {
    let page = read_page(folder, number);
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(folder.database());
    let start = (u64::from(number) - 1) * PAGE_BYTES as u64;
    file.unwrap()
        .write_all_at(&vec![0xff; page.len()], start)
        .unwrap();
}

/// A room whose entries take several pages.
pub async fn room_of_many_pages(store: &Store) -> RoomCode {
    let (code, claim) = room(store).await;
    let entry = "entry ".repeat(200);
    append(store, &claim, &[entry.as_str(); 20]).await.unwrap();
    code
}
