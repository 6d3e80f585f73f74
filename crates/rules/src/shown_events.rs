//! The events of a running round that the options show.

use crate::{Event, Game, TrickPart};

/// For each of these events of a running round, whether everybody may look it up: not if it belongs to a finished trick that
/// the options do not show ([`Game::shown_tricks`]). The events are those since the deal, in order.
pub fn shown_events<G: Game>(options: &G::Options, events: &[Event<G>]) -> Vec<bool> {
    let shown_tricks = G::shown_tricks(options);
    let mut ended_later = 0;
    let newest_first = events.iter().rev().map(|event| {
        let part = event.trick_part();
        ended_later += usize::from(part.is_some_and(TrickPart::is_end));
        part.is_none() || ended_later <= shown_tricks
    });
    let mut are_shown: Vec<bool> = newest_first.collect();
    are_shown.reverse();
    are_shown
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::sticheln::{self, History};
    use crate::{Nyet, Seat, State, Sticheln, nyet};

    /// The events of a round up to the first card of trick `tricks + 1`, with the state after them.
    fn events_of<G: Game>(options: G::Options, tricks: usize) -> Vec<Event<G>> {
        let mut state = State::<G>::new(options, 4, Seat::new(0)).unwrap();
        let mut events = state.deal(&state.pack()).unwrap();
        let ended = |events: &[Event<G>]| {
            let facts = events.iter().filter(|event| is_end(event));
            facts.count()
        };
        while ended(&events) < tricks || !is_card(events.last().unwrap()) {
            let seat = state.view(None).to_act()[0];
            let action = state.view(Some(seat)).legal().remove(0);
            events.extend(state.act(seat, action).unwrap());
        }
        events
    }

    fn is_card<G: Game>(event: &Event<G>) -> bool {
        event.trick_part() == Some(TrickPart::Card)
    }

    fn is_end<G: Game>(event: &Event<G>) -> bool {
        event.trick_part().is_some_and(TrickPart::is_end)
    }

    /// The shown cards and the shown ends of tricks after two tricks and a card.
    fn shown_parts<G: Game>(options: G::Options) -> [usize; 2] {
        let events = events_of::<G>(options.clone(), 2);
        let are_shown = shown_events(&options, &events);
        assert_eq!(are_shown.len(), events.len());
        let shown = || {
            events
                .iter()
                .zip(&are_shown)
                .filter(|(_, is_shown)| **is_shown)
        };
        let hidden = events
            .iter()
            .zip(&are_shown)
            .filter(|(_, is_shown)| !**is_shown);
        for (event, _) in hidden {
            assert!(is_card(event) || is_end(event));
        }
        [is_card, is_end].map(|is_part: fn(&Event<G>) -> bool| {
            shown().filter(|(event, _)| is_part(event)).count()
        })
    }

    #[test]
    fn the_options_of_sticheln_decide_which_tricks_are_shown() {
        for (show_history, show_last_trick, shown) in [
            (History::Off, true, [1, 0]),
            (History::Off, false, [1, 0]),
            (History::LastTrick, false, [1, 0]),
            (History::LastTrick, true, [5, 1]),
            (History::All, false, [9, 2]),
            (History::All, true, [9, 2]),
        ] {
            let options = sticheln::Options {
                show_history,
                show_last_trick,
                ..Default::default()
            };
            assert_eq!(shown_parts::<Sticheln>(options), shown, "{show_history:?}");
        }
    }

    #[test]
    fn the_last_trick_of_nyet_is_shown() {
        assert_eq!(shown_parts::<Nyet>(nyet::Options::default()), [5, 1]);
    }
}
