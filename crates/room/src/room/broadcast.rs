//! Collects what has changed since the last messages: the `table` of the message `room`, views and events of the game.
//!
//! [`RoomState::hand_seat`](crate::state::RoomState::hand_seat) decides who is sent a hand.

use sticheln_protocol::{GameEvent, Raw, Table};

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

    /// Takes the table as it is now.
    pub(super) fn set_table(&mut self, table: Raw<Table>) {
        self.is_room_outdated = false;
        if self.table.as_ref() != Some(&table) {
            self.table = Some(table);
            self.is_table_new = true;
        }
    }

    /// The update that has to be sent now; `None` if there is none, or no table yet. It counts as sent from now on.
    pub(super) fn take_update(&mut self) -> Option<Update> {
        if !self.is_table_new && !self.have_views_changed && self.newcomers.is_empty() {
            return None;
        }
        Some(Update {
            table: self.table.clone()?,
            is_table_new: std::mem::take(&mut self.is_table_new),
            events: std::mem::take(&mut self.events),
            have_views_changed: std::mem::take(&mut self.have_views_changed),
            newcomers: std::mem::take(&mut self.newcomers),
        })
    }
}

impl Update {
    /// The table, if this connection has to be sent it.
    pub(super) fn table_for(&self, conn: ConnId) -> Option<&Raw<Table>> {
        let is_sent = self.is_table_new || self.newcomers.contains(&conn);
        is_sent.then_some(&self.table)
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
    use sticheln_rules::Seat;

    use super::*;

    const ANN: ConnId = ConnId(1);
    const BOB: ConnId = ConnId(2);

    #[derive(serde::Serialize)]
    struct TestTable(&'static str);

    impl Encodes<Table> for TestTable {}

    fn table(text: &'static str) -> Raw<Table> {
        Raw::new(&TestTable(text))
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
    fn what_was_taken_is_not_sent_again() {
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
        broadcast.add_newcomer(BOB);
        broadcast.set_table(table("old"));
        broadcast.add_events([event()]);
        let update = broadcast.take_update().unwrap();
        assert_eq!(update.newcomers(), [BOB]);
        assert_eq!(update.table_for(BOB), Some(&table("old")));
        assert_eq!(update.table_for(ANN), None);
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
