//! The points of a round.

use serde::{Deserialize, Serialize};

use super::{Points, Teams};
use crate::BySeat;

/// What a seat scores in a round, with its parts (`docs/rules/nyet.md`, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NyetScore")
)]
pub struct Score {
    /// The tricks of the seat's team.
    pub tricks: u8,
    /// The loot cards of the seat's team.
    pub loot: u8,
    /// What each of them is worth.
    pub each: i32,
    /// Whether the seat holds the x2 card.
    pub doubled: bool,
    /// The product of all.
    pub points: i32,
}

impl Score {
    /// What each seat scores, from what the seats have won.
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
