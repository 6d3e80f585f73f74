//! The bounds that a run must keep.

use std::collections::BTreeMap;
use std::time::Duration;

use super::HostileReport;
use super::attack::{Attack, STARTED, UNITS};
use crate::Failure;
use crate::socket::ConnectionError;

/// The minutes in which the bucket of files refills.
const FILE_MINUTES: u32 = 3;

/// Checks that no honest client failed, that every attack met its limit, and that every bound was kept.
///
/// # Errors
/// [`Failure::Violation`] with the report and the first violation.
pub(super) fn check(
    report: HostileReport,
    errors: &[ConnectionError],
) -> Result<HostileReport, Failure> {
    match violation(&report, errors) {
        Some(violation) => Err(Failure::Violation(format!("{report}\n{violation}"))),
        None => Ok(report),
    }
}

/// The first violation, as a sentence.
fn violation(report: &HostileReport, errors: &[ConnectionError]) -> Option<String> {
    if let Some(first) = errors.first() {
        let count = errors.len();
        return Some(format!(
            "{count} honest rooms or clients were lost; the first: {first}."
        ));
    }
    latency_violation(report)
        .or_else(|| memory_violation(report))
        .or_else(|| limit_violation(report))
}

/// Whether honest players waited too long.
fn latency_violation(report: &HostileReport) -> Option<String> {
    let settings = &report.settings;
    let [before, during] = [&report.before, &report.during].map(|one| one.moves.percentile(99));
    let slowdown = during.as_secs_f64() / before.as_secs_f64();
    if settings.max_slowdown.is_some_and(|max| slowdown > max) {
        return Some(format!(
            "Moves took {slowdown:.1} times as long as before the attack."
        ));
    }
    let admission = report.during.admissions.percentile(99);
    let max = settings.max_admission_ms.map(Duration::from_millis);
    max.is_some_and(|max| admission > max)
        .then(|| "A new client had to wait too long.".into())
}

/// Whether the server used or retained too much memory.
fn memory_violation(report: &HostileReport) -> Option<String> {
    let settings = &report.settings;
    let [before, during, after] =
        [&report.before, &report.during, &report.after].map(|one| one.resources);
    let growth = during
        .memory_after_kib
        .saturating_sub(during.memory_before_kib);
    if settings.max_growth_kib.is_some_and(|max| growth > max) {
        return Some(format!(
            "The memory of the server grew by {growth} KiB during the attack."
        ));
    }
    let retained = after
        .memory_after_kib
        .saturating_sub(before.memory_after_kib);
    if retained > settings.max_retained_kib() {
        return Some(format!(
            "The server retains {retained} KiB more than before the attack."
        ));
    }
    let growth = 100 * after.resident_kib.saturating_sub(before.resident_kib);
    let max = settings.max_resident_growth_percent;
    max.is_some_and(|max| growth > max * before.resident_kib)
        .then(|| {
            format!(
                "The resident memory is {} KiB after the attack, and was {} KiB before.",
                after.resident_kib, before.resident_kib
            )
        })
}

/// Whether attackers exceeded a limit, or never met theirs.
fn limit_violation(report: &HostileReport) -> Option<String> {
    let settings = &report.settings;
    let (rooms, max) = (report.during.resources.rooms, settings.max_rooms());
    if rooms > max {
        return Some(format!(
            "The server had {rooms} rooms, and {max} are allowed."
        ));
    }
    let (awake, max) = (
        report.during.resources.awake_rooms,
        settings.max_awake_rooms(),
    );
    if awake > max {
        return Some(format!(
            "The server had {awake} awake rooms, and {max} are allowed."
        ));
    }
    let [before, during] = [&report.before, &report.during].map(|one| one.resources.data_kib);
    let growth = during.saturating_sub(before);
    let max = settings.max_data_growth_kib();
    if growth > max {
        return Some(format!(
            "The database and its WAL grew by {growth} KiB, and {max} KiB are allowed."
        ));
    }
    let count = |attack: Attack, outcome: &str| {
        let count = report.outcomes.get(&(attack, outcome.to_owned()));
        count.copied().unwrap_or_default()
    };
    for (attack, per_minute, minutes) in [
        (Attack::RequestFlood, settings.requests_per_minute, 1),
        (Attack::FileFlood, settings.files_per_minute, FILE_MINUTES),
    ] {
        let units = count(attack, UNITS);
        let max = settings.max_units(per_minute, minutes, report.attack_time);
        if units > max {
            return Some(format!(
                "Requests of {units} units were answered, and {max} are allowed."
            ));
        }
    }
    let started = count(Attack::DiskFilling, STARTED);
    let max = settings.max_started_games(report.attack_time);
    if started > max {
        return Some(format!(
            "Attackers started {started} games to fill the disk, and {max} are allowed."
        ));
    }
    let (attack, outcome) = missing_outcome(settings.kinds(), &report.outcomes)?;
    let attack = attack.name();
    Some(format!(
        "No attempt of {attack} had the outcome {outcome:?}."
    ))
}

/// The first expected outcome that no attempt has had yet.
pub(super) fn missing_outcome(
    kinds: &[Attack],
    outcomes: &BTreeMap<(Attack, String), u64>,
) -> Option<(Attack, &'static str)> {
    let missing = |attack: &Attack| {
        let expected = attack.expected_outcomes().iter().copied();
        let mut missing =
            expected.filter(|outcome| !outcomes.contains_key(&(*attack, (*outcome).to_owned())));
        missing.next().map(|outcome| (*attack, outcome))
    };
    kinds.iter().find_map(missing)
}

#[cfg(test)]
mod tests {
    use super::super::HostileSettings;
    use super::super::attack::Outcomes;
    use super::super::measurement::{Measurement, Resources};
    use super::super::settings::{MIN_SECONDS, UNUSED_ROOM_SECONDS};
    use super::*;

    fn measurement(ms: u64, [before, after]: [u64; 2]) -> Measurement {
        let latencies = || [Duration::from_millis(ms); 3].into_iter().collect();
        Measurement {
            moves: latencies(),
            admissions: latencies(),
            resources: Resources {
                cpu_share: 0.1,
                memory_before_kib: before * 1024,
                memory_after_kib: after * 1024,
                resident_kib: after * 1024 + 10 * 1024,
                sockets_kib: 0,
                rooms: 2,
                awake_rooms: 2,
                data_kib: after * 1024,
            },
        }
    }

    /// A run in which moves and admissions took 2 ms before and 5 ms during the attack. The memory went from 10 MiB to
    /// 12 MiB and to 11 MiB.
    fn report() -> HostileReport {
        let outcomes = Outcomes::default();
        outcomes.add(Attack::SlowHeaders, "cut off", 1);
        HostileReport {
            settings: HostileSettings {
                rooms: 1,
                only: vec![Attack::SlowHeaders],
                attackers: 1,
                frames: 1,
                requests_per_minute: 60,
                files_per_minute: 120,
                baseline_seconds: None,
                warmup_seconds: 1,
                seconds: MIN_SECONDS,
                recovery_seconds: 1,
                max_slowdown: None,
                max_admission_ms: None,
                max_growth_kib: None,
                max_retained_kib: None,
                max_resident_growth_percent: None,
                max_rooms: None,
                max_awake_rooms: None,
                max_data_growth_kib: None,
                seed: 1,
            },
            before: measurement(2, [10, 10]),
            during: measurement(5, [10, 12]),
            after: measurement(2, [11, 11]),
            outcomes: outcomes.all(),
            attack_time: Duration::from_secs(10),
        }
    }

    /// The violation of that run under these bounds.
    fn violation_with(set_bounds: impl FnOnce(&mut HostileSettings)) -> Option<String> {
        let mut report = report();
        set_bounds(&mut report.settings);
        violation(&report, &[])
    }

    #[track_caller]
    fn assert_violation(set_bound: impl FnOnce(&mut HostileSettings), words: &str) {
        let violation = violation_with(set_bound);
        assert!(violation.is_some_and(|violation| violation.contains(words)));
    }

    #[test]
    fn a_run_within_its_bounds_passes() {
        assert_eq!(violation_with(|_| {}), None);
        let bounds = |settings: &mut HostileSettings| {
            settings.max_slowdown = Some(2.5);
            settings.max_admission_ms = Some(5);
            settings.max_growth_kib = Some(2048);
            settings.max_retained_kib = Some(1024);
            settings.max_resident_growth_percent = Some(5);
            settings.max_rooms = Some(2);
            settings.max_awake_rooms = Some(2);
            settings.max_data_growth_kib = Some(2048);
        };
        assert_eq!(violation_with(bounds), None);
    }

    #[test]
    fn a_run_beyond_a_bound_fails() {
        assert_violation(|settings| settings.max_slowdown = Some(2.4), "2.5 times");
        assert_violation(
            |settings| settings.max_admission_ms = Some(4),
            "wait too long",
        );
        assert_violation(
            |settings| settings.max_growth_kib = Some(2047),
            "grew by 2048 KiB",
        );
        assert_violation(
            |settings| settings.max_retained_kib = Some(1023),
            "retains 1024 KiB more",
        );
        assert_violation(
            |settings| settings.max_resident_growth_percent = Some(4),
            "is 21504 KiB",
        );
        assert_violation(
            |settings| settings.max_rooms = Some(1),
            "had 2 rooms, and 1 are allowed",
        );
        assert_violation(
            |settings| settings.max_awake_rooms = Some(1),
            "had 2 awake rooms, and 1 are allowed",
        );
        assert_violation(
            |settings| settings.max_data_growth_kib = Some(2047),
            "WAL grew by 2048 KiB, and 2047 KiB are allowed",
        );
    }

    #[test]
    fn the_default_bound_for_rooms_follows_from_the_limits() {
        let mut settings = report().settings;
        assert_eq!(settings.max_rooms(), 2);
        settings.only = vec![Attack::CancelledOpenings, Attack::MessageFlood];
        settings.attackers = 5;
        assert_eq!(settings.max_rooms(), 2 + 5 * (20 + 1));
        settings.seconds = UNUSED_ROOM_SECONDS;
        assert_eq!(settings.max_rooms(), 2 + 2 * 5 * (20 + 1));
    }

    #[test]
    fn a_run_fails_if_requests_exceed_their_units() {
        for (attack, max) in [(Attack::RequestFlood, 70), (Attack::FileFlood, 380)] {
            let mut report = report();
            let key = (attack, UNITS.to_owned());
            report.outcomes.insert(key.clone(), max);
            assert_eq!(violation(&report, &[]), None);
            report.outcomes.insert(key, max + 1);
            let violation = violation(&report, &[]).unwrap_or_default();
            let words = format!("of {} units were answered, and {max} are allowed", max + 1);
            assert!(violation.contains(&words), "{violation}");
        }
    }

    #[test]
    fn a_run_fails_if_attackers_start_too_many_games() {
        let mut report = report();
        let max = report.settings.max_started_games(report.attack_time);
        let key = (Attack::DiskFilling, STARTED.to_owned());
        report.outcomes.insert(key.clone(), max);
        assert_eq!(violation(&report, &[]), None);
        report.outcomes.insert(key, max + 1);
        let violation = violation(&report, &[]).unwrap_or_default();
        assert!(violation.contains("games to fill the disk"), "{violation}");
    }

    #[test]
    fn a_run_fails_if_an_attack_meets_no_limit() {
        let mut report = report();
        report.outcomes.clear();
        let violation = violation(&report, &[]).unwrap_or_default();
        assert!(violation.contains("slow-headers had the outcome \"cut off\""));
    }

    #[test]
    fn a_run_fails_if_a_room_is_lost() {
        let violation = violation(&report(), &[ConnectionError::Timeout]).unwrap_or_default();
        assert!(violation.contains("1 honest rooms"));
    }
}
