//! Collects what has changed since the last messages: the `table` of the message `room`, the sheet, views and events of the
//! game.
//!
//! [`RoomState::hand_seat`](crate::state::RoomState::hand_seat) decides who is sent a hand.

use sticheln_protocol::{GameEvent, MessageText, Raw, ServerMessage, SheetMessage, Table};
use sticheln_rules::{Scored, Sheet};

use crate::ConnId;

/// The changes since the last messages, and the connections that have received none yet.
pub(super) struct Broadcast {
    /// The connections that were admitted and have received nothing yet.
    newcomers: Vec<ConnId>,
    /// The table as it was last encoded.
    table: Option<Raw<Table>>,
    /// Whether this table was not sent yet.
    is_table_new: bool,
    /// Whether the room may have changed since its table was encoded.
    is_room_outdated: bool,
    /// The sheet as a message, equal to that of the game at the last update; `None` without a game.
    sheet: Option<SheetMessage>,
    /// Whether this sheet was not sent yet.
    is_sheet_new: bool,
    /// The events of the game that were not sent yet.
    events: Vec<Raw<GameEvent>>,
    /// Whether views have changed since they were sent.
    have_views_changed: bool,
    /// Grows by one whenever a game begins or is cleared, so that messages about different games can be told apart.
    game_sequence: u64,
}

/// The messages that have to be sent now, and their receivers.
pub(super) struct Update {
    table: Raw<Table>,
    is_table_new: bool,
    /// The text of the sheet, if there is a game and anybody has to be sent it.
    sheet: Option<MessageText>,
    is_sheet_new: bool,
    events: Vec<Raw<GameEvent>>,
    have_views_changed: bool,
    newcomers: Vec<ConnId>,
}

impl Broadcast {
    /// Nothing was sent yet.
    pub(super) fn new() -> Self {
        Self {
            newcomers: Vec::new(),
            table: None,
            is_table_new: false,
            is_room_outdated: true,
            sheet: None,
            is_sheet_new: false,
            events: Vec::new(),
            have_views_changed: false,
            game_sequence: 0,
        }
    }

    /// Records that a game has begun or was cleared.
    pub(super) fn advance_game_sequence(&mut self) {
        self.game_sequence += 1;
    }

    /// How many games have begun or were cleared since the room woke.
    pub(super) fn game_sequence(&self) -> u64 {
        self.game_sequence
    }

    /// Adds a connection that has to be sent everything.
    pub(super) fn add_newcomer(&mut self, conn: ConnId) {
        self.newcomers.push(conn);
        self.mark_room_changed();
    }

    /// Drops a closed connection.
    pub(super) fn forget(&mut self, conn: ConnId) {
        self.newcomers.retain(|newcomer| *newcomer != conn);
    }

    /// Records that the room may have changed.
    pub(super) fn mark_room_changed(&mut self) {
        self.is_room_outdated = true;
    }

    /// Views of the game have changed.
    pub(super) fn mark_views_changed(&mut self) {
        self.have_views_changed = true;
    }

    /// Adds events of the game. They change views too.
    pub(super) fn add_events(&mut self, events: impl IntoIterator<Item = Raw<GameEvent>>) {
        let before = self.events.len();
        self.events.extend(events);
        self.have_views_changed |= self.events.len() > before;
    }

    /// Whether the table has to be encoded again, because the room may have changed.
    pub(super) fn is_room_outdated(&self) -> bool {
        self.is_room_outdated
    }

    /// Replaces the table, and marks it as new if it differs.
    pub(super) fn set_table(&mut self, table: Raw<Table>) {
        self.is_room_outdated = false;
        if self.table.as_ref() != Some(&table) {
            self.table = Some(table);
            self.is_table_new = true;
        }
    }

    /// Replaces the sheet, and marks it as new if it differs; `None` without a game.
    pub(super) fn set_sheet(&mut self, sheet: Option<&Sheet<impl Scored>>) {
        let is_same = match (&self.sheet, sheet) {
            (Some(sent), Some(sheet)) => sent.matches(sheet),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if !is_same {
            self.sheet = sheet.map(SheetMessage::new);
            self.is_sheet_new = self.sheet.is_some();
        }
    }

    /// Takes the update that has to be sent now, and encodes its sheet. It counts as sent from now on. `None` if nothing has to
    /// be sent, or if there is no table yet.
    pub(super) fn take_update(&mut self) -> Option<Update> {
        let is_any_new = self.is_table_new || self.is_sheet_new || self.have_views_changed;
        if !is_any_new && self.newcomers.is_empty() {
            return None;
        }
        let must_send_sheet = self.is_sheet_new || !self.newcomers.is_empty();
        let sheet = self.sheet.as_ref().filter(|_| must_send_sheet);
        Some(Update {
            table: self.table.clone()?,
            is_table_new: std::mem::take(&mut self.is_table_new),
            sheet: sheet.map(|sheet| ServerMessage::Sheet(sheet).encode()),
            is_sheet_new: std::mem::take(&mut self.is_sheet_new),
            events: std::mem::take(&mut self.events),
            have_views_changed: std::mem::take(&mut self.have_views_changed),
            newcomers: std::mem::take(&mut self.newcomers),
        })
    }
}

impl Update {
    /// The table, if this connection has to be sent it.
    pub(super) fn table_for(&self, conn: ConnId) -> Option<&Raw<Table>> {
        let must_send = self.is_table_new || self.newcomers.contains(&conn);
        must_send.then_some(&self.table)
    }

    /// The text of the sheet, if this connection has to be sent it.
    pub(super) fn sheet_for(&self, conn: ConnId) -> Option<&MessageText> {
        let must_send = self.is_sheet_new || self.newcomers.contains(&conn);
        self.sheet.as_ref().filter(|_| must_send)
    }

    /// The events for this connection: `None` if it gets no view. A newcomer gets a view without events.
    pub(super) fn events_for(&self, conn: ConnId) -> Option<&[Raw<GameEvent>]> {
        if self.newcomers.contains(&conn) {
            return Some(&[]);
        }
        self.have_views_changed.then_some(&self.events)
    }

    /// The connections that have received nothing before.
    pub(super) fn newcomers(&self) -> &[ConnId] {
        &self.newcomers
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use sticheln_protocol::{ActedFor, Actor, Encodes};
    use sticheln_rules::{BySeat, Seat, Seats};

    use super::*;

    const ANN: ConnId = ConnId(1);
    const BOB: ConnId = ConnId(2);

    #[derive(serde::Serialize)]
    struct TestTable(&'static str);

    impl Encodes<Table> for TestTable {}

    fn table(text: &'static str) -> Raw<Table> {
        Raw::new(&TestTable(text))
    }

    struct Points(i32);

    impl Scored for Points {
        fn points(&self) -> i32 {
            self.0
        }
    }

    /// The sheet of a game for two after rounds with these points of the first seat.
    fn sheet(rounds: &[i32]) -> Sheet<Points> {
        let seats = Seats::new(2).unwrap();
        let mut sheet = Sheet::new(seats);
        for points in rounds {
            sheet.enter(BySeat::from_fn(seats, |seat| {
                Points(if seat == Seat::new(0) { *points } else { 0 })
            }));
        }
        sheet
    }

    fn event() -> Raw<GameEvent> {
        Raw::new(&ActedFor {
            seat: Seat::new(0),
            by: Actor::Clock,
        })
    }

    /// A broadcast after Ann was sent the table `old`.
    fn begun() -> Broadcast {
        let mut broadcast = Broadcast::new();
        broadcast.add_newcomer(ANN);
        broadcast.set_table(table("old"));
        broadcast.take_update().unwrap();
        broadcast
    }

    #[test]
    fn nothing_is_sent_without_a_table() {
        let mut broadcast = Broadcast::new();
        broadcast.add_newcomer(ANN);
        assert!(broadcast.is_room_outdated());
        assert!(broadcast.take_update().is_none());
        broadcast.set_table(table("old"));
        let update = broadcast.take_update().unwrap();
        assert_eq!(update.newcomers(), [ANN]);
    }

    #[test]
    fn an_update_is_taken_once() {
        let mut broadcast = begun();
        assert!(!broadcast.is_room_outdated());
        assert!(broadcast.take_update().is_none());
    }

    #[test]
    fn a_table_that_is_the_same_is_not_sent_again() {
        let mut broadcast = begun();
        broadcast.mark_room_changed();
        assert!(broadcast.is_room_outdated());
        broadcast.set_table(table("old"));
        assert!(!broadcast.is_room_outdated());
        assert!(broadcast.take_update().is_none());
        broadcast.set_table(table("new"));
        let update = broadcast.take_update().unwrap();
        assert_eq!(update.table_for(ANN), Some(&table("new")));
        assert_eq!(update.events_for(ANN), None, "views are as they were");
    }

    #[test]
    fn a_sheet_is_sent_when_it_has_changed() {
        let mut broadcast = begun();
        let mut sent_after = |sheet: Option<&Sheet<Points>>| {
            broadcast.set_sheet(sheet);
            let update = broadcast.take_update();
            let text = update.as_ref().and_then(|update| update.sheet_for(ANN));
            text.map(|text| text.to_string())
        };
        let begin = r#"{"type":"sheet","rounds":[],"totals":[0,0],"ranks":[1,1]}"#;
        assert_eq!(sent_after(Some(&sheet(&[]))).as_deref(), Some(begin));
        assert_eq!(sent_after(Some(&sheet(&[]))), None);
        let scored = r#"{"type":"sheet","rounds":[[-3,0]],"totals":[-3,0],"ranks":[2,1]}"#;
        assert_eq!(sent_after(Some(&sheet(&[-3]))).as_deref(), Some(scored));
        assert_eq!(sent_after(Some(&sheet(&[-3]))), None);
        assert!(sent_after(Some(&sheet(&[0, -3]))).is_some(), "equal totals");
        assert!(sent_after(Some(&sheet(&[-3, 0]))).is_some(), "equal totals");
        assert_eq!(sent_after(None), None);
        assert!(sent_after(Some(&sheet(&[-3, 0]))).is_some(), "another game");
    }

    #[test]
    fn events_are_sent_once_with_the_views() {
        let mut broadcast = begun();
        broadcast.add_events([event()]);
        broadcast.add_events([event()]);
        let update = broadcast.take_update().unwrap();
        assert_eq!(update.events_for(ANN).unwrap().len(), 2);
        assert_eq!(update.table_for(ANN), None);
        broadcast.mark_views_changed();
        let update = broadcast.take_update().unwrap();
        assert_eq!(update.events_for(ANN), Some(&[] as &[_]));
        broadcast.add_events([]);
        assert!(broadcast.take_update().is_none());
    }

    #[test]
    fn a_newcomer_is_sent_everything_but_events() {
        let mut broadcast = begun();
        broadcast.set_sheet(Some(&sheet(&[])));
        broadcast.take_update().unwrap();
        broadcast.add_newcomer(BOB);
        broadcast.set_table(table("old"));
        broadcast.add_events([event()]);
        let update = broadcast.take_update().unwrap();
        assert_eq!(update.newcomers(), [BOB]);
        assert_eq!(update.table_for(BOB), Some(&table("old")));
        assert_eq!(update.table_for(ANN), None);
        assert!(update.sheet_for(BOB).is_some() && update.sheet_for(ANN).is_none());
        assert_eq!(update.events_for(BOB), Some(&[] as &[_]));
        assert_eq!(update.events_for(ANN).unwrap().len(), 1);
    }

    #[test]
    fn a_newcomer_who_is_gone_is_sent_nothing() {
        let mut broadcast = begun();
        broadcast.add_newcomer(BOB);
        broadcast.forget(BOB);
        broadcast.set_table(table("old"));
        assert!(broadcast.take_update().is_none());
    }
}
