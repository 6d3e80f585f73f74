//! Collects what has changed since the last messages: the `table` of the message `room`, the sheet, views and events of the
//! game.
//!
//! [`RoomState::hand_seat`](crate::state::RoomState::hand_seat) decides who is sent a hand.

use std::collections::BTreeMap;

use sticheln_protocol::{
    ActedFor, GameEvents, MessageText, Raw, ServerMessage, SheetMessage, Table,
};
use sticheln_rules::{Event, Game, Scored, Sheet};

use super::recent_events::RecentEvents;
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
    is_table_stale: bool,
    /// The version of the sheet at the last update; `None` without a game.
    sheet: Option<SheetVersion>,
    /// The events of the game that were not sent yet.
    events: GameEvents,
    /// The events that a newcomer may have missed.
    pub(super) recent_events: RecentEvents,
    /// Whether views have changed since they were sent.
    have_views_changed: bool,
    /// The connections whose own view alone has changed since it was sent.
    changed_views: Vec<ConnId>,
    /// The connections whose `room` alone has changed since it was sent, apart from its table.
    changed_rooms: Vec<ConnId>,
    /// Grows by one whenever a game begins or is cleared, so that messages about different games can be told apart.
    game_sequence: u64,
}

/// The version of a sheet. A sheet only grows, so two of the same version are equal.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SheetVersion {
    game_sequence: u64,
    rounds: usize,
}

/// The messages that have to be sent now, and their receivers.
pub(super) struct Update {
    table: Raw<Table>,
    is_table_new: bool,
    /// The text of the sheet, if there is a game and anybody has to be sent it.
    sheet: Option<MessageText>,
    is_sheet_new: bool,
    events: GameEvents,
    no_events: GameEvents,
    have_views_changed: bool,
    changed_views: Vec<ConnId>,
    changed_rooms: Vec<ConnId>,
    newcomers: Vec<ConnId>,
    /// The revision that each newcomer has seen, if they have told it.
    seen: BTreeMap<ConnId, u64>,
}

impl Broadcast {
    /// Nothing was sent yet.
    pub(super) fn new(recent_events: RecentEvents) -> Self {
        Self {
            newcomers: Vec::new(),
            table: None,
            is_table_new: false,
            is_table_stale: true,
            sheet: None,
            events: GameEvents::default(),
            recent_events,
            have_views_changed: false,
            changed_views: Vec::new(),
            changed_rooms: Vec::new(),
            game_sequence: 0,
        }
    }

    /// Records that a game has begun or was cleared.
    pub(super) fn advance_game_sequence(&mut self) {
        self.game_sequence += 1;
        self.recent_events.clear();
    }

    /// How many games have begun or were cleared since the room woke.
    pub(super) fn game_sequence(&self) -> u64 {
        self.game_sequence
    }

    /// Adds a connection that has to be sent everything.
    pub(super) fn add_newcomer(&mut self, conn: ConnId) {
        self.newcomers.push(conn);
        self.invalidate_table();
    }

    /// Drops a closed connection.
    pub(super) fn forget(&mut self, conn: ConnId) {
        self.newcomers.retain(|newcomer| *newcomer != conn);
        self.recent_events.forget(conn);
        self.changed_views.retain(|changed| *changed != conn);
        self.changed_rooms.retain(|changed| *changed != conn);
    }

    /// Lets the table be encoded again before the next messages, because the room may have changed.
    pub(super) fn invalidate_table(&mut self) {
        self.is_table_stale = true;
    }

    /// Marks the views of all connections as changed.
    pub(super) fn mark_views_changed(&mut self) {
        self.have_views_changed = true;
    }

    /// Marks the view of this connection as changed, and no other one.
    pub(super) fn mark_view_changed(&mut self, conn: ConnId) {
        self.changed_views.push(conn);
    }

    /// Marks the `room` of this connection as changed, and not its table.
    pub(super) fn mark_room_changed(&mut self, conn: ConnId) {
        self.changed_rooms.push(conn);
    }

    /// Adds the events of the entry with this shown revision. They change views too. `acted_for` comes before them.
    pub(super) fn add_events<G: Game>(
        &mut self,
        rev: u64,
        acted_for: Option<&ActedFor>,
        events: &[Event<G>],
    ) {
        self.recent_events
            .add(rev, acted_for, events, &mut self.events);
        self.have_views_changed |= acted_for.is_some() || !events.is_empty();
    }

    /// Whether the table has to be encoded again.
    pub(super) fn is_table_stale(&self) -> bool {
        self.is_table_stale
    }

    /// Replaces the table, and marks it as new if it differs.
    pub(super) fn set_table(&mut self, table: Raw<Table>) {
        self.is_table_stale = false;
        if self.table.as_ref() != Some(&table) {
            self.table = Some(table);
            self.is_table_new = true;
        }
    }

    /// Takes the update that has to be sent now, and encodes this sheet if anybody has to be sent it; it is `None` without a
    /// game. All counts as sent from now on. `None` if nothing has to be sent, or if there is no table yet.
    pub(super) fn take_update(&mut self, sheet: Option<&Sheet<impl Scored>>) -> Option<Update> {
        let version = sheet.map(|sheet| SheetVersion {
            game_sequence: self.game_sequence,
            rounds: sheet.rounds().len(),
        });
        let earlier = std::mem::replace(&mut self.sheet, version);
        let is_sheet_new = version.is_some() && version != earlier;
        let is_any_new = self.is_table_new || is_sheet_new || self.have_views_changed;
        let owed = [&self.newcomers, &self.changed_views, &self.changed_rooms];
        let is_any_owed = owed.iter().any(|conns| !conns.is_empty());
        if !is_any_new && !is_any_owed {
            return None;
        }
        let must_send_sheet = is_sheet_new || !self.newcomers.is_empty();
        let sheet = sheet.filter(|_| must_send_sheet);
        let seen = self.recent_events.take_seen(&self.newcomers);
        Some(Update {
            seen,
            table: self.table.clone()?,
            is_table_new: std::mem::take(&mut self.is_table_new),
            sheet: sheet.map(|sheet| ServerMessage::Sheet(&SheetMessage::new(sheet)).encode()),
            is_sheet_new,
            events: std::mem::take(&mut self.events),
            no_events: GameEvents::default(),
            have_views_changed: std::mem::take(&mut self.have_views_changed),
            changed_views: std::mem::take(&mut self.changed_views),
            changed_rooms: std::mem::take(&mut self.changed_rooms),
            newcomers: std::mem::take(&mut self.newcomers),
        })
    }
}

impl Update {
    /// The table, if this connection has to be sent it.
    pub(super) fn table_for(&self, conn: ConnId) -> Option<&Raw<Table>> {
        let must_send = self.is_table_new
            || self.newcomers.contains(&conn)
            || self.changed_rooms.contains(&conn);
        must_send.then_some(&self.table)
    }

    /// The text of the sheet, if this connection has to be sent it.
    pub(super) fn sheet_for(&self, conn: ConnId) -> Option<&MessageText> {
        let must_send = self.is_sheet_new || self.newcomers.contains(&conn);
        self.sheet.as_ref().filter(|_| must_send)
    }

    /// The events for this connection: `None` if it gets no view. A newcomer gets a view without events.
    pub(super) fn events_for(&self, conn: ConnId) -> Option<&GameEvents> {
        if self.newcomers.contains(&conn) {
            return Some(&self.no_events);
        }
        if self.have_views_changed {
            return Some(&self.events);
        }
        self.changed_views
            .contains(&conn)
            .then_some(&self.no_events)
    }

    /// The revision that this newcomer has seen, if they have told it. They are sent the events since.
    pub(super) fn seen_by(&self, conn: ConnId) -> Option<u64> {
        self.seen.get(&conn).copied()
    }

    /// The connections that have received nothing before.
    pub(super) fn newcomers(&self) -> &[ConnId] {
        &self.newcomers
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use sticheln_protocol::{Actor, Encodes};
    use sticheln_rules::{BySeat, Seat, Seats, Sticheln};

    use super::*;
    use crate::room::recent_events::ResumePoint;

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

    const EVENT: ActedFor = ActedFor {
        seat: Seat::new(0),
        by: Actor::Clock,
    };

    /// This number of events.
    fn events(count: usize) -> GameEvents {
        let mut events = GameEvents::default();
        (0..count).for_each(|_| events.push(&EVENT));
        events
    }

    /// A broadcast after Ann was sent the table `old`.
    fn after_first_table() -> Broadcast {
        let mut broadcast = Broadcast::new(RecentEvents::empty_after(0));
        broadcast.add_newcomer(ANN);
        broadcast.set_table(table("old"));
        take_update(&mut broadcast).unwrap();
        broadcast
    }

    fn add_event(broadcast: &mut Broadcast) {
        broadcast.add_events::<Sticheln>(1, Some(&EVENT), &[]);
    }

    /// The update of a room without a game.
    fn take_update(broadcast: &mut Broadcast) -> Option<Update> {
        broadcast.take_update(None::<&Sheet<Points>>)
    }

    #[test]
    fn nothing_is_sent_without_a_table() {
        let mut broadcast = Broadcast::new(RecentEvents::empty_after(0));
        broadcast.add_newcomer(ANN);
        assert!(broadcast.is_table_stale());
        assert!(take_update(&mut broadcast).is_none());
        broadcast.set_table(table("old"));
        let update = take_update(&mut broadcast).unwrap();
        assert_eq!(update.newcomers(), [ANN]);
    }

    #[test]
    fn an_update_is_taken_once() {
        let mut broadcast = after_first_table();
        assert!(!broadcast.is_table_stale());
        assert!(take_update(&mut broadcast).is_none());
    }

    #[test]
    fn a_table_that_is_the_same_is_not_sent_again() {
        let mut broadcast = after_first_table();
        broadcast.invalidate_table();
        assert!(broadcast.is_table_stale());
        broadcast.set_table(table("old"));
        assert!(!broadcast.is_table_stale());
        assert!(take_update(&mut broadcast).is_none());
        broadcast.set_table(table("new"));
        let update = take_update(&mut broadcast).unwrap();
        assert_eq!(update.table_for(ANN), Some(&table("new")));
        assert_eq!(update.events_for(ANN), None, "views are as they were");
    }

    #[test]
    fn a_sheet_is_sent_when_it_has_changed() {
        let mut broadcast = after_first_table();
        let mut sent_after = |sheet: Option<&Sheet<Points>>, game_sequence| {
            broadcast.game_sequence = game_sequence;
            let update = broadcast.take_update(sheet);
            let text = update.as_ref().and_then(|update| update.sheet_for(ANN));
            text.map(|text| text.to_string())
        };
        let begin = r#"{"type":"sheet","rounds":[],"totals":[0,0],"ranks":[1,1]}"#;
        assert_eq!(sent_after(Some(&sheet(&[])), 1).as_deref(), Some(begin));
        assert_eq!(sent_after(Some(&sheet(&[])), 1), None);
        let scored = r#"{"type":"sheet","rounds":[[-3,0]],"totals":[-3,0],"ranks":[2,1]}"#;
        assert_eq!(sent_after(Some(&sheet(&[-3])), 1).as_deref(), Some(scored));
        assert_eq!(sent_after(Some(&sheet(&[-3])), 1), None);
        assert!(
            sent_after(Some(&sheet(&[-3, 0])), 1).is_some(),
            "equal totals"
        );
        assert!(
            sent_after(Some(&sheet(&[-3, 0])), 2).is_some(),
            "another game"
        );
        assert_eq!(sent_after(None, 3), None);
        assert!(sent_after(Some(&sheet(&[])), 4).is_some(), "another game");
    }

    #[test]
    fn events_are_sent_once_with_the_views() {
        let mut broadcast = after_first_table();
        add_event(&mut broadcast);
        add_event(&mut broadcast);
        let update = take_update(&mut broadcast).unwrap();
        assert_eq!(update.events_for(ANN), Some(&events(2)));
        assert_eq!(update.table_for(ANN), None);
        broadcast.mark_views_changed();
        let update = take_update(&mut broadcast).unwrap();
        assert_eq!(update.events_for(ANN), Some(&events(0)));
        assert!(take_update(&mut broadcast).is_none());
    }

    #[test]
    fn a_changed_view_is_sent_to_its_connection_alone() {
        let mut broadcast = after_first_table();
        broadcast.mark_view_changed(ANN);
        let update = take_update(&mut broadcast).unwrap();
        assert_eq!(update.events_for(ANN), Some(&events(0)));
        assert_eq!(update.events_for(BOB), None);
        assert_eq!(update.table_for(ANN), None);
        assert!(take_update(&mut broadcast).is_none());
        broadcast.mark_view_changed(ANN);
        add_event(&mut broadcast);
        let update = take_update(&mut broadcast).unwrap();
        assert_eq!(update.events_for(ANN), Some(&events(1)));
        assert_eq!(update.events_for(BOB), Some(&events(1)));
        broadcast.mark_view_changed(ANN);
        broadcast.forget(ANN);
        assert!(take_update(&mut broadcast).is_none());
    }

    #[test]
    fn a_newcomer_is_sent_everything_but_events() {
        let mut broadcast = after_first_table();
        let sheet = sheet(&[]);
        broadcast.take_update(Some(&sheet)).unwrap();
        broadcast.add_newcomer(BOB);
        broadcast.set_table(table("old"));
        add_event(&mut broadcast);
        let update = broadcast.take_update(Some(&sheet)).unwrap();
        assert_eq!(update.newcomers(), [BOB]);
        assert_eq!(update.table_for(BOB), Some(&table("old")));
        assert_eq!(update.table_for(ANN), None);
        assert!(update.sheet_for(BOB).is_some() && update.sheet_for(ANN).is_none());
        assert_eq!(update.events_for(BOB), Some(&events(0)));
        assert_eq!(update.events_for(ANN), Some(&events(1)));
    }

    #[test]
    fn the_revision_that_a_newcomer_has_seen_counts_once() {
        let mut broadcast = after_first_table();
        let seen = ResumePoint {
            rev: 7,
            has_seen_lost: false,
        };
        broadcast.recent_events.set_seen(BOB, Some(seen));
        broadcast.add_newcomer(BOB);
        broadcast.set_table(table("old"));
        let update = take_update(&mut broadcast).unwrap();
        assert_eq!(update.seen_by(BOB), Some(7));
        add_event(&mut broadcast);
        let update = take_update(&mut broadcast).unwrap();
        assert_eq!(update.seen_by(BOB), None);
        assert_eq!(update.events_for(BOB), Some(&events(1)));
    }

    #[test]
    fn a_newcomer_who_is_gone_is_sent_nothing() {
        let mut broadcast = after_first_table();
        broadcast.add_newcomer(BOB);
        broadcast.forget(BOB);
        broadcast.set_table(table("old"));
        assert!(take_update(&mut broadcast).is_none());
    }
}
