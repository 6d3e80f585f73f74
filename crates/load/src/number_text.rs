//! Numbers as text in reports.

use std::time::Duration;

/// A duration in milliseconds, with two decimal places.
pub(crate) fn ms(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1000.0)
}

/// A size in MiB, with one decimal place.
pub(crate) fn mib(kib: u64) -> String {
    format!("{:.1} MiB", kib as f64 / 1024.0)
}

/// A number with this many decimal places; a whole number has commas between its thousands.
pub(crate) fn decimal(number: f64, decimals: usize) -> String {
    match decimals {
        0 => count(number.round() as u64),
        decimals => format!("{number:.decimals$}"),
    }
}

/// A number with commas between its thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units_and_separators() {
        assert_eq!(ms(Duration::from_micros(1234)), "1.23 ms");
        assert_eq!(mib(1536), "1.5 MiB");
        assert_eq!(decimal(1234.56, 1), "1234.6");
        assert_eq!(decimal(1234.56, 0), "1,235");
        assert_eq!(count(7), "7");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(100_000), "100,000");
    }
}
