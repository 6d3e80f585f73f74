//! The points of a round.

use serde::{Deserialize, Serialize};

use super::{Points, Teams};
use crate::BySeat;

/// The score of a seat in a round, with its parts (`docs/rules/nyet.md`, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NyetScore")
)]
pub struct Score {
    /// The number of tricks of the team.
    pub tricks: u8,
    /// The number of loot cards of the team.
    pub loot: u8,
    /// The points of each of them.
    pub each: i32,
    /// Whether the seat holds the x2 card.
    pub doubled: bool,
    /// The points of the round.
    pub points: i32,
}

impl Score {
    /// The score of each seat, from its tricks and loot.
    pub fn of_round(
        teams: &Teams,
        points: Points,
        tricks_won: &BySeat<u8>,
        loot_counts: &BySeat<u8>,
    ) -> BySeat<Self> {
        let seats = teams.of.seats();
        let of_team = |team: u8, counts: &BySeat<u8>| -> u8 {
            let members = seats.iter().filter(|seat| teams.of[*seat] == team);
            members.map(|seat| counts[seat]).sum()
        };
        BySeat::from_fn(seats, |seat| {
            let tricks = of_team(teams.of[seat], tricks_won);
            let loot = of_team(teams.of[seat], loot_counts);
            Self {
                tricks,
                loot,
                each: points.value(),
                doubled: teams.bonus == Some(seat),
                points: (i32::from(tricks) + i32::from(loot)) * points.value() * teams.factor(seat),
            }
        })
    }
}

impl crate::Scored for Score {
    fn points(&self) -> i32 {
        self.points
    }
}
