//! The clock of a room, its durations, and its next plan.
//!
//! This file knows durations and the time now, and nothing about the room. `deadlines.rs`, `idle.rs`, `stand_in.rs` and
//! `commands/seats.rs` compute from the state and the presence of people when a turn or a wait ends. `schedule.rs` decides
//! what happens at the end of a turn or a break, and carries it out.

use std::time::Duration;

use sticheln_protocol::TurnSeconds;
use sticheln_rules::Seat;

use super::RoomLimits;
use crate::{Actor, Timestamp};

/// The delay of a bot before it acts, in milliseconds: the least, and how much more at most.
const BOT_DELAY: (u64, u32) = (600, 900);
/// The same for fast bots. People can still follow the moves.
const SHORT_BOT_DELAY: (u64, u32) = (150, 150);

/// The clock of one room, and its next plan.
pub(super) struct Timers {
    /// The time now. It never goes back.
    now: Timestamp,
    /// See [`RoomLimits::timeout_percent`].
    timeout_percent: u32,
    /// See [`RoomLimits::bot_delay_percent`].
    bot_delay_percent: u32,
    /// The time when the table next changes without an input, apart from idle people: a person who is lost becomes away,
    /// for example.
    table_changes_at: Option<Timestamp>,
    /// The time when people next become idle, or are warned, which the table shows.
    idle_change_at: Option<Timestamp>,
    /// The next plan, and when it is due.
    next: Option<(Timestamp, Plan)>,
    /// The latest time of a planned restart of the server.
    restart_at: Option<Timestamp>,
}

/// Something that the room will do by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// The person on this seat becomes the host.
    PassHost(Seat),
    /// A round is dealt.
    Deal,
    /// A game begins: a rematch, or the game of a file.
    Start,
    /// The game resumes.
    Resume,
    /// The game ends early.
    EndEarly,
    /// The next move of the game that is played on is repeated.
    Repeat,
    /// A move is made for this seat.
    Act(Seat, AutomaticActor),
}

/// The actor of a move that no person makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AutomaticActor {
    /// The bot that plays on the seat.
    Bot,
    /// The clock: the time limit of the turn is over.
    Clock,
}

impl From<AutomaticActor> for Actor {
    fn from(actor: AutomaticActor) -> Self {
        match actor {
            AutomaticActor::Bot => Self::Bot,
            AutomaticActor::Clock => Self::Clock,
        }
    }
}

/// A timeout of the room, with a default duration. [`RoomLimits::timeout_percent`] scales it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timeout {
    /// The host is absent: afterwards another person becomes host.
    AbsentHost,
    /// The host is connected and idle, and the others wait for them: afterwards another person becomes host.
    IdleHost,
    /// A person with a chair is absent without a running game: afterwards another person may take it.
    AbsentOutsideGame,
    /// A person is absent: afterwards a bot may stand in.
    AbsentPerson,
    /// The room waits for a connected person: afterwards the table shows that they are idle.
    IdleShown,
    /// The room waits for a connected person: afterwards their client warns them.
    IdleWarning,
    /// The room waits for a connected person: afterwards a bot may stand in.
    IdleStandIn,
    /// A person has asked for more time: it is added to [`Timeout::IdleWarning`] and [`Timeout::IdleStandIn`].
    MoreTime,
    /// A person is absent: afterwards they count as gone for the rest of the game.
    GonePerson,
    /// The game is paused: afterwards it resumes.
    Pause,
    /// The game was resumed: afterwards timeouts that have begun before the pause may expire.
    Resumed,
    /// A seat has delayed the next deal: it is added to [`Timeout::NextRound`].
    Hold,
    /// A free seat is offered to a spectator: afterwards to the next one in the queue.
    OfferedSeat,
    /// People look at the scores of a round: afterwards the next one is dealt.
    NextRound,
    /// A seat is to act within a time limit: afterwards the room acts for it once.
    Turn(TurnSeconds),
}

impl Timeout {
    fn default_duration(self) -> Duration {
        Duration::from_secs(match self {
            Self::Resumed => 10,
            Self::AbsentHost | Self::AbsentPerson | Self::OfferedSeat | Self::NextRound => 30,
            Self::IdleShown | Self::Hold => 60,
            Self::AbsentOutsideGame => 120,
            Self::IdleWarning => 150,
            Self::IdleStandIn | Self::IdleHost | Self::MoreTime => 180,
            Self::Pause | Self::GonePerson => 600,
            Self::Turn(seconds) => seconds.get().into(),
        })
    }
}

impl Timers {
    /// A clock that shows this time, without anything that is due.
    pub(super) fn new(now: Timestamp, limits: &RoomLimits) -> Self {
        Self {
            now,
            timeout_percent: limits.timeout_percent,
            bot_delay_percent: limits.bot_delay_percent,
            table_changes_at: None,
            idle_change_at: None,
            next: None,
            restart_at: None,
        }
    }

    /// Sets or calls off a planned restart.
    pub(super) fn set_restart_at(&mut self, at: Option<Timestamp>) {
        self.restart_at = at;
    }

    /// The latest time of a planned restart. As long as there is one, no game begins and no round is dealt.
    pub(super) fn restart_at(&self) -> Option<Timestamp> {
        self.restart_at
    }

    /// Scales all times from now on as these limits say.
    pub(super) fn scale(&mut self, limits: &RoomLimits) {
        self.timeout_percent = limits.timeout_percent;
        self.bot_delay_percent = limits.bot_delay_percent;
    }

    /// Sets the clock. Time that goes back counts as time that stands still.
    pub(super) fn advance(&mut self, now: Timestamp) {
        self.now = now.max(self.now);
    }

    /// The time now.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// The time when a timeout ends that has begun at this moment.
    pub(super) fn end_of(&self, timeout: Timeout, since: Timestamp) -> Timestamp {
        since.after(percent(timeout.default_duration(), self.timeout_percent))
    }

    /// Whether a timeout that has begun at this moment has expired.
    pub(super) fn has_expired(&self, timeout: Timeout, since: Timestamp) -> bool {
        self.end_of(timeout, since) <= self.now
    }

    /// The time when a bot acts whose turn began at `since`. The delay is a function of the revision and the seat: it
    /// varies, but does not change when it is computed again.
    pub(super) fn end_of_bot_delay(
        &self,
        is_fast: bool,
        rev: u64,
        seat: Seat,
        since: Timestamp,
    ) -> Timestamp {
        let mixed = (rev as u32)
            .wrapping_mul(0x9e37_79b9)
            .wrapping_add(seat.index() as u32)
            .wrapping_mul(0x85eb_ca6b);
        let (least, more) = if is_fast { SHORT_BOT_DELAY } else { BOT_DELAY };
        let usual = Duration::from_millis(least + u64::from((mixed >> 16) % more));
        since.after(percent(usual, self.bot_delay_percent))
    }

    /// Drops the next plan.
    pub(super) fn drop_plan(&mut self) {
        self.next = None;
    }

    /// Proposes a plan. Only the earliest is kept; of several plans at the same time, the first.
    pub(super) fn propose(&mut self, at: Timestamp, plan: Plan) {
        if self.next.is_none_or(|(next, _)| at < next) {
            self.next = Some((at, plan));
        }
    }

    /// Takes out the next plan if it is due.
    pub(super) fn take_due(&mut self) -> Option<Plan> {
        let (_, plan) = self.next.take_if(|(at, _)| *at <= self.now)?;
        Some(plan)
    }

    /// Sets when the table next changes without an input, apart from idle people.
    pub(super) fn set_table_changes_at(&mut self, at: Option<Timestamp>) {
        self.table_changes_at = at;
    }

    /// Sets when people next become idle, or are warned.
    pub(super) fn set_idle_change_at(&mut self, at: Option<Timestamp>) {
        self.idle_change_at = at;
    }

    /// Whether the table has changed without an input.
    pub(super) fn is_table_change_due(&self) -> bool {
        let mut changes = self.table_changes_at.into_iter().chain(self.idle_change_at);
        changes.any(|at| at <= self.now)
    }

    /// The time when the next plan is due, or the table next changes.
    pub(super) fn next_tick_at(&self) -> Option<Timestamp> {
        let next = self.next.map(|(at, _)| at);
        let changes = self.table_changes_at.into_iter().chain(self.idle_change_at);
        next.into_iter().chain(changes).min()
    }
}

/// So many percent of a time.
fn percent(time: Duration, percent: u32) -> Duration {
    time.saturating_mul(percent) / 100
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);
    const SECOND: Duration = Duration::from_secs(1);

    fn timers() -> Timers {
        Timers::new(NOON, &RoomLimits::default())
    }

    #[test]
    fn time_never_goes_back() {
        let mut timers = timers();
        timers.advance(NOON.after(SECOND));
        timers.advance(NOON);
        assert_eq!(timers.now(), NOON.after(SECOND));
    }

    #[test]
    fn the_earliest_plan_is_kept() {
        let mut timers = timers();
        assert_eq!(timers.next_tick_at(), None);
        timers.propose(NOON.after(2 * SECOND), Plan::Deal);
        timers.propose(NOON.after(SECOND), Plan::Start);
        timers.propose(NOON.after(SECOND), Plan::PassHost(Seat::new(1)));
        timers.propose(NOON.after(3 * SECOND), Plan::Deal);
        assert_eq!(timers.next_tick_at(), Some(NOON.after(SECOND)));
        assert_eq!(timers.take_due(), None, "it lies ahead");
        timers.advance(NOON.after(SECOND));
        assert_eq!(timers.take_due(), Some(Plan::Start));
        assert_eq!(timers.take_due(), None, "it is done once");
        assert_eq!(timers.next_tick_at(), None);
    }

    #[test]
    fn plans_can_be_dropped() {
        let mut timers = timers();
        timers.propose(NOON, Plan::Deal);
        timers.drop_plan();
        assert_eq!(timers.take_due(), None);
    }

    #[test]
    fn changes_of_the_table_are_deadlines_of_their_own() {
        let mut timers = timers();
        timers.propose(NOON.after(2 * SECOND), Plan::Deal);
        timers.set_table_changes_at(Some(NOON.after(SECOND)));
        assert_eq!(timers.next_tick_at(), Some(NOON.after(SECOND)));
        assert!(!timers.is_table_change_due());
        timers.advance(NOON.after(SECOND));
        assert!(timers.is_table_change_due());
        timers.set_table_changes_at(None);
        assert!(!timers.is_table_change_due());
        timers.set_idle_change_at(Some(NOON.after(SECOND)));
        assert!(timers.is_table_change_due());
        timers.set_idle_change_at(None);
        assert_eq!(timers.next_tick_at(), Some(NOON.after(2 * SECOND)));
    }

    #[test]
    fn timeouts_are_scaled() {
        let mut timers = timers();
        assert_eq!(
            timers.end_of(Timeout::AbsentHost, NOON),
            NOON.after(30 * SECOND)
        );
        let limits = RoomLimits {
            timeout_percent: 10,
            ..RoomLimits::default()
        };
        timers.scale(&limits);
        let turn = Timeout::Turn(TurnSeconds::new(20).unwrap());
        for (timeout, seconds) in [
            (Timeout::AbsentHost, 3),
            (Timeout::AbsentOutsideGame, 12),
            (Timeout::AbsentPerson, 3),
            (Timeout::IdleHost, 18),
            (Timeout::IdleShown, 6),
            (Timeout::IdleWarning, 15),
            (Timeout::IdleStandIn, 18),
            (Timeout::MoreTime, 18),
            (Timeout::GonePerson, 60),
            (Timeout::Pause, 60),
            (Timeout::Resumed, 1),
            (Timeout::Hold, 6),
            (Timeout::OfferedSeat, 3),
            (Timeout::NextRound, 3),
            (turn, 2),
        ] {
            let end = NOON.after(seconds * SECOND);
            assert_eq!(timers.end_of(timeout, NOON), end, "{timeout:?}");
        }
        assert!(!timers.has_expired(turn, NOON));
        timers.advance(NOON.after(2 * SECOND));
        assert!(timers.has_expired(turn, NOON));
    }

    #[test]
    fn the_delay_of_a_bot_varies_within_bounds() {
        let timers = timers();
        for (is_fast, least, most) in [(false, 600, 1500), (true, 150, 300)] {
            let delays = (0..100).map(|rev| {
                let end = timers.end_of_bot_delay(is_fast, rev, Seat::new(2), NOON);
                end.0 - NOON.0
            });
            let delays: Vec<_> = delays.collect();
            assert!(delays.iter().all(|delay| (least..most).contains(delay)));
            assert!(delays.iter().max() > delays.iter().min());
        }
    }

    #[test]
    fn bots_can_act_without_a_delay() {
        let mut timers = timers();
        let limits = RoomLimits {
            bot_delay_percent: 0,
            ..RoomLimits::default()
        };
        timers.scale(&limits);
        let end = timers.end_of_bot_delay(false, 7, Seat::new(0), NOON);
        assert_eq!(end, NOON);
    }
}
