//! The date of a run.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: u64 = 86_400;

/// Today's date in UTC, as year-month-day.
pub(crate) fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    date(since.unwrap_or_default().as_secs() / SECONDS_PER_DAY)
}

/// The date this number of days after 1970-01-01, in the Gregorian calendar.
fn date(days: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut year, mut left) = (1970, days);
    while let Some(rest) = left.checked_sub(365 + u64::from(is_leap(year))) {
        (year, left) = (year + 1, rest);
    }
    let february = 28 + u64::from(is_leap(year));
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        let Some(rest) = left.checked_sub(length) else {
            break;
        };
        (month, left) = (month + 1, rest);
    }
    format!("{year}-{month:02}-{:02}", left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_gregorian_calendar() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(364), "1970-12-31");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(11_017), "2000-03-01");
        assert_eq!(date(20_454), "2026-01-01");
        assert_eq!(date(47_541), "2100-03-01");
    }
}
