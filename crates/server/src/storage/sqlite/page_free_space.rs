//! The free space of pages. SQLite overwrites deleted rows (`secure_delete`). But when it has moved rows from one page to
//! another, their old copies stay in the free space of the page that they left.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};

use crate::storage::fault::DatabaseError;

/// The bytes before the header of the first page.
const FILE_HEADER: usize = 100;
/// With this many pages (137 GB) or more, nothing is overwritten. The first byte of an overflow page or a free page is the
/// high byte of a page number. From here on it can equal the type byte of a page of a B-tree.
const MAX_PAGES: i64 = 0x0200_0000;

/// The last page whose free space can be overwritten; `None` if the database is too large.
///
/// # Errors
/// If the database cannot be read.
pub(super) fn last_page(connection: &Connection) -> Result<Option<i64>, DatabaseError> {
    let last = connection
        .prepare_cached("PRAGMA page_count")?
        .query_row([], |row| row.get(0))?;
    Ok(Some(last).filter(|last| *last < MAX_PAGES))
}

/// Overwrites the free space of these pages. It is a part of a transaction.
///
/// # Errors
/// If the database cannot be read or written.
pub(super) fn overwrite(connection: &Connection, pages: Range<i64>) -> Result<(), DatabaseError> {
    let mut read = connection.prepare_cached("SELECT data FROM sqlite_dbpage WHERE pgno = ?1")?;
    let mut write =
        connection.prepare_cached("UPDATE sqlite_dbpage SET data = ?2 WHERE pgno = ?1")?;
    for number in pages {
        let page = read.query_row([number], |row| row.get::<_, Vec<u8>>(0));
        let Some(mut page) = page.optional()? else {
            continue;
        };
        if overwrite_in(&mut page, number == 1) {
            write.execute(params![number, page])?;
        }
    }
    Ok(())
}

/// Whether this build of SQLite gives access to pages.
pub(super) fn is_accessible(connection: &Connection) -> bool {
    connection
        .prepare("SELECT data FROM sqlite_dbpage WHERE pgno = 1")
        .is_ok()
}

/// Overwrites the unallocated space of a page, between the cell pointer array and the cell content area. Returns whether
/// there was anything.
fn overwrite_in(page: &mut [u8], is_first: bool) -> bool {
    let header = if is_first { FILE_HEADER } else { 0 };
    let Some([kind, _, _, count_high, count_low, start_high, start_low]) =
        page.get(header..).and_then(|page| page.first_chunk())
    else {
        return false;
    };
    let header_bytes = match kind {
        // Interior pages, of an index and of a table.
        2 | 5 => 12,
        // Leaves, of an index and of a table.
        10 | 13 => 8,
        _ => return false,
    };
    let count = usize::from(u16::from_be_bytes([*count_high, *count_low]));
    let start = usize::from(u16::from_be_bytes([*start_high, *start_low]));
    let cell_pointers_end = header + header_bytes + 2 * count;
    match page.get_mut(cell_pointers_end..start) {
        Some(free) if free.iter().any(|byte| *byte != 0) => {
            free.fill(0);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::overwrite_in;

    #[test]
    fn only_the_free_space_is_overwritten() {
        // A leaf of a table with two rows that begin at byte 24.
        let leaf = |free: u8| {
            let mut page = vec![13, 0, 0, 0, 2, 0, 24, 0, 0, 28, 0, 24];
            page.extend([free; 12]);
            page.extend([7; 8]);
            page
        };
        let mut page = leaf(9);
        assert!(overwrite_in(&mut page, false));
        assert_eq!(page, leaf(0));
        assert!(!overwrite_in(&mut page, false));
        let mut first = [vec![9; 100], leaf(9)].concat();
        first[106] = 124;
        let mut expected = [vec![9; 100], leaf(0)].concat();
        expected[106] = 124;
        assert!(overwrite_in(&mut first, true));
        assert_eq!(first, expected);
        // An overflow page, a page without free space, and pages whose header cannot be right.
        for bytes in [
            vec![0, 0, 1, 4, 9, 9, 9, 9, 9, 9],
            vec![13, 0, 0, 0, 1, 0, 10, 0, 0, 10, 9, 9],
            vec![13, 0, 0, 0, 1, 0, 9, 0, 0, 10, 9, 9],
            vec![13, 0, 0, 0, 1, 0, 99, 0, 0, 10, 9, 9],
            vec![13, 0],
        ] {
            let mut page = bytes.clone();
            assert!(!overwrite_in(&mut page, false));
            assert_eq!(page, bytes);
        }
    }
}
