//! What was measured, as a page of text.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::attack::Attack;
use super::{RATE, SEATS, Settings, Spell};
use crate::figures::{count, ms};
use crate::process::processor;

/// What honest people felt before the attackers came, beside them, and after them, and how attacks ended: its text is
/// two tables in Markdown.
#[derive(Debug)]
pub struct Report {
    pub(super) settings: Settings,
    pub(super) calm: Spell,
    pub(super) stormy: Spell,
    pub(super) after: Spell,
    pub(super) tally: BTreeMap<(Attack, String), u64>,
    /// For how long attackers were at work.
    pub(super) attacked: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings {
            tables,
            attackers,
            seconds,
            rest,
            ..
        } = self.settings;
        let alone = self.settings.alone();
        writeln!(
            f,
            "{}. {tables} tables of {SEATS} with {RATE} moves a second each, {alone} s alone and \
             {seconds} s beside {attackers} attackers of each kind at the lowest priority, {rest} s after them.\n",
            processor()
        )?;
        writeln!(
            f,
            "| what honest people feel | alone | attacked | afterwards |"
        )?;
        writeln!(f, "| --- | --- | --- | --- |")?;
        let spells = [&self.calm, &self.stormy, &self.after];
        let mut row = |what: &str, value: &dyn Fn(&Spell) -> String| {
            let [calm, stormy, after] = spells.map(value);
            writeln!(f, "| {what} | {calm} | {stormy} | {after} |")
        };
        row("moves", &|spell| count(spell.moves.len() as u64))?;
        row("a move until all have seen it, p50", &|spell| {
            ms(spell.moves.percentile(50))
        })?;
        row("the same, p99", &|spell| ms(spell.moves.percentile(99)))?;
        row("the same, longest", &|spell| ms(spell.moves.longest()))?;
        row("until somebody new is let in, p50", &|spell| {
            ms(spell.greetings.percentile(50))
        })?;
        row("the same, p99", &|spell| ms(spell.greetings.percentile(99)))?;
        row("the server's part of a core", &|spell| {
            format!("{:.0} %", spell.load * 100.0)
        })?;
        row("its memory at the beginning", &|spell| mib(spell.memory[0]))?;
        row("its memory at the end", &|spell| mib(spell.memory[1]))?;
        row("the same with the pages of its program", &|spell| {
            mib(spell.resident)
        })?;
        row("what lies in sockets at the end, of both sides", &|spell| {
            mib(spell.in_sockets)
        })?;
        row("tables at the end", &|spell| count(spell.rooms))?;
        writeln!(f, "\n| attack | how attempts ended |")?;
        writeln!(f, "| --- | --- |")?;
        for attack in self.settings.kinds() {
            let of_attack = self.tally.iter().filter(|((of, _), _)| of == attack);
            let ends = of_attack.map(|((_, end), times)| format!("{end}: {}", count(*times)));
            let ends = ends.collect::<Vec<_>>().join(", ");
            writeln!(f, "| {} | {ends} |", attack.name())?;
        }
        Ok(())
    }
}

/// KiB as text.
fn mib(kib: u64) -> String {
    format!("{:.1} MiB", kib as f64 / 1024.0)
}
