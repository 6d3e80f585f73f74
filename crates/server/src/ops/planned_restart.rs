//! A planned restart: rooms learn its time, and the server shuts down when their rounds are over or the time has come.

use std::sync::Arc;
use std::time::Duration;

use sticheln_room::Timestamp;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

/// The pause after the end of the last round, in which people see its result, and a round that has just begun is counted.
const PAUSE_AFTER_ROUNDS: Duration = Duration::from_secs(5);

/// The plan of a restart, and the rounds that it waits for.
#[derive(Debug)]
pub struct PlannedRestart {
    plan: watch::Sender<Option<Plan>>,
    rounds: watch::Sender<usize>,
}

/// The latest time of a restart, by the clock of the server and by that of its timers.
#[derive(Clone, Copy, Debug)]
struct Plan {
    at: Timestamp,
    due: Instant,
}

/// A round that a planned restart waits for, until this is dropped.
#[derive(Debug)]
pub struct CountedRound(Arc<PlannedRestart>);

impl Drop for CountedRound {
    fn drop(&mut self) {
        self.0.rounds.send_modify(|rounds| *rounds -= 1);
    }
}

/// Follows the plan of a restart.
#[derive(Debug)]
pub struct RestartWatch(watch::Receiver<Option<Plan>>);

impl RestartWatch {
    /// The latest time of the restart now; `None` if none is planned.
    pub fn current(&mut self) -> Option<Timestamp> {
        self.0.borrow_and_update().map(|plan| plan.at)
    }

    /// Waits until the plan changes. Returns the latest time of the restart. Cancel safe.
    pub async fn changed(&mut self) -> Option<Timestamp> {
        if self.0.changed().await.is_err() {
            // The plan lives as long as the server.
            std::future::pending::<()>().await;
        }
        self.current()
    }
}

impl Default for PlannedRestart {
    fn default() -> Self {
        Self {
            plan: watch::Sender::new(None),
            rounds: watch::Sender::new(0),
        }
    }
}

impl PlannedRestart {
    /// Plans a restart, or moves the one that is planned. `now` is the time by the clock of the server. Returns its latest time.
    pub fn plan(&self, now: Timestamp, delay: Duration) -> Timestamp {
        let at = now.after(delay);
        let due = Instant::now() + delay;
        self.plan.send_replace(Some(Plan { at, due }));
        at
    }

    /// Calls the restart off. Returns whether one was planned.
    pub fn cancel(&self) -> bool {
        self.plan.send_replace(None).is_some()
    }

    /// Whether a restart is planned.
    pub fn is_planned(&self) -> bool {
        self.plan.borrow().is_some()
    }

    /// Follows the plan.
    pub fn watch(&self) -> RestartWatch {
        RestartWatch(self.plan.subscribe())
    }

    /// Counts a round that the restart waits for.
    pub fn count_round(self: &Arc<Self>) -> CountedRound {
        self.rounds.send_modify(|rounds| *rounds += 1);
        CountedRound(self.clone())
    }

    /// The number of rounds that the restart waits for.
    pub fn rounds(&self) -> usize {
        *self.rounds.borrow()
    }

    /// Ready when the server has to shut down: at the latest time of a planned restart, or when the rounds are over before.
    pub async fn due(&self) {
        let mut plan = self.plan.subscribe();
        loop {
            let current = *plan.borrow_and_update();
            let due = async {
                match current {
                    Some(plan) => tokio::select! {
                        () = sleep_until(plan.due) => {}
                        () = self.no_rounds() => {}
                    },
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = due => return,
                changed = plan.changed() => if changed.is_err() {
                    std::future::pending::<()>().await;
                },
            }
        }
    }

    /// Waits until no round was played for [`PAUSE_AFTER_ROUNDS`].
    async fn no_rounds(&self) {
        let mut rounds = self.rounds.subscribe();
        loop {
            // The sender is in `self`.
            let _ = rounds.wait_for(|rounds| *rounds == 0).await;
            tokio::select! {
                () = sleep(PAUSE_AFTER_ROUNDS) => return,
                _ = rounds.wait_for(|rounds| *rounds > 0) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);
    const MINUTE: Duration = Duration::from_secs(60);
    const SECOND: Duration = Duration::from_secs(1);

    /// The time until the server has to shut down; `None` if that is more than an hour.
    async fn time_until_due(restart: &PlannedRestart) -> Option<Duration> {
        let begun = Instant::now();
        let due = timeout(60 * MINUTE, restart.due()).await;
        due.ok().map(|()| begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_restart_comes_at_its_time_or_after_the_last_round() {
        let restart = Arc::new(PlannedRestart::default());
        assert_eq!(time_until_due(&restart).await, None);
        let round = restart.count_round();
        assert_eq!(restart.plan(NOON, MINUTE), NOON.after(MINUTE));
        assert_eq!(time_until_due(&restart).await, Some(MINUTE));
        restart.plan(NOON, 10 * MINUTE);
        drop(round);
        let after_rounds = time_until_due(&restart).await;
        assert_eq!(after_rounds, Some(PAUSE_AFTER_ROUNDS));
        assert!(restart.cancel() && !restart.cancel());
        assert_eq!(time_until_due(&restart).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_round_that_begins_in_the_pause_delays_the_restart() {
        let restart = Arc::new(PlannedRestart::default());
        restart.plan(NOON, 10 * MINUTE);
        let other = restart.clone();
        tokio::spawn(async move {
            sleep(PAUSE_AFTER_ROUNDS - SECOND).await;
            let round = other.count_round();
            sleep(MINUTE).await;
            drop(round);
        });
        let expected = MINUTE + 2 * PAUSE_AFTER_ROUNDS - SECOND;
        assert_eq!(time_until_due(&restart).await, Some(expected));
    }

    #[tokio::test(start_paused = true)]
    async fn a_restart_that_is_called_off_while_the_server_waits_does_not_come() {
        let restart = Arc::new(PlannedRestart::default());
        restart.plan(NOON, 10 * MINUTE);
        let other = restart.clone();
        tokio::spawn(async move {
            sleep(SECOND).await;
            other.cancel();
        });
        assert_eq!(time_until_due(&restart).await, None);
    }
}
