//! Verifies the public events of a game: no client misses one without a `gap`, or gets one twice.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::wire::GameMessage;

/// The events of one game, which all its clients receive in the same order.
#[derive(Debug, Default)]
pub(super) struct EventLog {
    events: Vec<String>,
    /// The number of events up to a revision.
    counts: BTreeMap<u64, usize>,
}

/// The revision up to which one client has received the events.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SeenEvents {
    /// The revision for `hello`.
    pub(crate) rev: Option<u64>,
}

impl EventLog {
    /// Notes that there are no events at this revision, because the game has not begun.
    pub(super) fn note_lobby(&mut self, rev: u64) {
        self.counts.insert(rev, 0);
    }

    /// Verifies the events of a message to a client that has seen these events before.
    ///
    /// # Errors
    /// The words say what is missing or doubled.
    pub(super) fn verify(
        &mut self,
        seen: &mut SeenEvents,
        game: &GameMessage,
    ) -> Result<(), String> {
        if let Some(event) = game.events.iter().find(|event| shows_hidden_pick(event)) {
            return Err(format!("the event {event} shows a hidden card"));
        }
        let before = seen.rev.replace(game.rev);
        let begin = before.and_then(|rev| self.counts.get(&rev).copied());
        let Some(begin) = begin.filter(|_| !game.gap) else {
            // Where the events begin is known only from other clients.
            return Ok(());
        };
        let (rev, since) = (game.rev, before.unwrap_or_default());
        let events = game.events.iter().map(Value::to_string);
        for (index, event) in (begin..).zip(events) {
            match self.events.get(index) {
                None => self.events.push(event),
                Some(known) if *known == event => {}
                Some(known) => {
                    return Err(format!(
                        "event {index} since revision {since} is {event} at revision {rev}, and was {known}"
                    ));
                }
            }
        }
        let end = begin + game.events.len();
        match *self.counts.entry(rev).or_insert(end) {
            known if known == end => Ok(()),
            known => Err(format!(
                "after revision {since} with {begin} events, {end} events are shown up to revision {rev}, and not {known}"
            )),
        }
    }
}

/// Whether an event shows the card that somebody has picked, before all are revealed.
fn shows_hidden_pick(event: &Value) -> bool {
    event.get("type").is_some_and(|kind| kind == "picked") && event.get("card").is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn game(rev: u64, events: &[&str], gap: bool) -> GameMessage {
        let events: Vec<_> = events.iter().map(|kind| json!({"type": kind})).collect();
        let view = json!({"seat": 0, "to_act": [], "table": {}});
        let game = json!({"rev": rev, "events": events, "gap": gap, "legal": [], "view": view});
        serde_json::from_value(game).expect("this is a game")
    }

    #[test]
    fn missing_and_doubled_events_are_found() {
        let mut log = EventLog::default();
        log.note_lobby(3);
        let mut seen = SeenEvents { rev: Some(3) };
        let mut other = seen;
        for (rev, events) in [(4, &["a"][..]), (5, &["b", "c"]), (7, &["d"]), (7, &[])] {
            assert_eq!(log.verify(&mut seen, &game(rev, events, false)), Ok(()));
        }
        // A slow client gets the same events at once.
        let all = ["a", "b", "c", "d"];
        assert_eq!(log.verify(&mut other, &game(7, &all, false)), Ok(()));
        for (events, is_error) in [
            (&["b", "c", "d"][..], false),
            (&["c", "d"], true),
            (&["a", "b", "c", "d"], true),
            (&["b", "b", "c", "d"], true),
            (&["b", "c", "d", "d"], true),
            (&[], true),
        ] {
            let mut seen = SeenEvents { rev: Some(4) };
            let verified = log.verify(&mut seen, &game(7, events, false));
            assert_eq!(verified.is_err(), is_error, "{events:?}: {verified:?}");
            let mut seen = SeenEvents { rev: Some(4) };
            let verified = log.verify(&mut seen, &game(7, events, true));
            assert_eq!(verified, Ok(()));
        }
        // A client without a revision may get any.
        assert_eq!(
            log.verify(&mut SeenEvents::default(), &game(7, &[], false)),
            Ok(())
        );
    }

    #[test]
    fn an_event_with_a_hidden_pick_is_found() {
        let mut hidden = game(4, &["picked"], false);
        let verify = |game: &_| EventLog::default().verify(&mut SeenEvents::default(), game);
        assert_eq!(verify(&hidden), Ok(()));
        hidden.events[0]["card"] = json!("red-1");
        assert!(verify(&hidden).is_err());
    }
}
