//! The budget of a step of the sweep.

use super::fault::DatabaseError;

/// The most rows that a step deletes or compacts, so that moves of players do not wait long.
const MAX_STEP_ROWS: usize = 1_000;
/// The bytes of entries after which a step ends. The entry that reaches them is still a part of it.
const MAX_STEP_BYTES: usize = 1024 * 1024;

/// The rows and bytes that a step may still delete or compact.
pub(super) struct StepBudget {
    rows: usize,
    bytes: usize,
}

impl StepBudget {
    /// The budget of a new step.
    pub(super) fn new() -> Self {
        Self {
            rows: MAX_STEP_ROWS,
            bytes: MAX_STEP_BYTES,
        }
    }

    /// Whether the step has to end.
    pub(super) fn is_spent(&self) -> bool {
        self.rows == 0 || self.bytes == 0
    }

    /// The rows and the bytes that are left.
    pub(super) fn left(&self) -> (usize, usize) {
        (self.rows, self.bytes)
    }

    /// Counts one row of this many bytes.
    pub(super) fn spend_row(&mut self, bytes: usize) {
        self.spend_rows(1, bytes);
    }

    /// Counts rows of this many bytes in all.
    pub(super) fn spend_rows(&mut self, rows: usize, bytes: usize) {
        self.rows = self.rows.saturating_sub(rows);
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// Deletes rows until the budget is spent. `delete` deletes a row and returns its size in bytes; `None` if there is none.
    /// Returns whether none is left.
    pub(super) fn delete_rows(
        &mut self,
        mut delete: impl FnMut() -> Result<Option<i64>, DatabaseError>,
    ) -> Result<bool, DatabaseError> {
        while !self.is_spent() {
            let Some(bytes) = delete()? else {
                return Ok(true);
            };
            self.spend_row(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        Ok(false)
    }
}
