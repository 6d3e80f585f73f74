//! Nobody is sent a card that he may not know, in any message of a whole game. Which cards those
//! are is stated here, from the log alone.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use sticheln_room::{Change, ConnId, Phase, shuffled};
use sticheln_rules::{Game, Seat, Sticheln, sticheln};

use crate::guests::Table;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// The cards of the present round that an observer may know after these entries.
fn known(table: &Table<Sticheln>, observer: Option<Seat>) -> BTreeSet<String> {
    let seats = table.log.iter().find_map(|entry| match &entry.change {
        Change::Opened { seats, .. } => Some(sticheln_rules::Seats::new(*seats).unwrap()),
        _ => None,
    });
    let seats = seats.unwrap();
    let mut known = BTreeSet::new();
    let mut picks = vec![];
    for entry in &table.log {
        match &entry.change {
            Change::Dealt { seed } => {
                picks.clear();
                let pack = Sticheln::pack(&Default::default(), seats);
                let deck = shuffled(pack, seed);
                let own = observer.into_iter().flat_map(|seat| {
                    let first = seat.index() * Sticheln::hand_size(seats);
                    deck[first..first + Sticheln::hand_size(seats)].iter()
                });
                known = own.map(ToString::to_string).collect();
            }
            Change::Acted { action, .. } => match action {
                sticheln::Action::Pick { card } => picks.push(card.to_string()),
                sticheln::Action::Play { card } => {
                    known.insert(card.to_string());
                }
            },
            _ => {}
        }
        if picks.len() == seats.count() {
            known.extend(picks.iter().cloned());
        }
    }
    known
}

/// The names of all cards that are written in a text.
fn named(text: &str, all: &[String]) -> BTreeSet<String> {
    all.iter()
        .filter(|card| text.contains(&format!("\"{card}\"")))
        .cloned()
        .collect()
}

#[test]
fn nobody_is_sent_a_card_he_may_not_know() {
    for seed in 0..5 {
        let (mut table, conns) = Table::<Sticheln>::begun(&THREE, seed);
        let watcher = table.come("Eve");
        let seats = sticheln_rules::Seats::new(3).unwrap();
        let pack: Vec<String> = Sticheln::pack(&Default::default(), seats)
            .iter()
            .map(ToString::to_string)
            .collect();
        let observers: Vec<(ConnId, Option<Seat>)> = conns
            .iter()
            .zip(seats.iter())
            .map(|(conn, seat)| (*conn, Some(seat)))
            .chain([(watcher, None)])
            .collect();

        let mut checked = 0;
        let mut turn = 0;
        while table.room.phase() == Phase::Playing {
            turn += 1;
            // Somebody asks for what is not his now and then; the refusal must not tell either.
            let card = &pack[turn % pack.len()];
            let action = json!({"type": "play", "card": card});
            table.say(conns[turn % 3], json!({"type": "act", "action": action}));
            let views: Vec<_> = observers
                .iter()
                .map(|(conn, _)| table.inbox[conn].clone())
                .collect();
            let acted = conns[turn % 3];
            if !table.everybody_acts(&[acted]) && turn % 3 == 2 {
                table.wait(Duration::from_secs(31));
            }
            for ((conn, seat), before) in observers.iter().zip(views) {
                let text = json!(table.inbox[conn][before.len()..]).to_string();
                let told = named(&text, &pack);
                let known = known(&table, *seat);
                // A message that ends a round comes with the last trick of it.
                let secret: Vec<_> = told.difference(&known).collect();
                assert!(secret.is_empty(), "{seat:?} was sent {secret:?}");
                checked += told.len();
            }
            table.inbox.values_mut().for_each(|inbox| {
                let newest = inbox.iter().rposition(|message| message["type"] == "game");
                inbox.drain(..newest.unwrap_or(0));
            });
        }
        assert!(checked > 1000, "only {checked} cards were looked at");
    }
}
