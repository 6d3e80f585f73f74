//! Statistics over rounds.

/// The smallest, the middle and the largest of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) minimum: f64,
    pub(crate) median: f64,
    pub(crate) maximum: f64,
}

impl Summary {
    /// The summary of these numbers; `None` if there are none. The median of an even count is the mean of the middle two.
    pub(crate) fn of(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<_> = numbers.into_iter().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (minimum, maximum) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            1 => sorted[middle],
            _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
        };
        Some(Self {
            minimum,
            median,
            maximum,
        })
    }
}

/// The median of the ratios within each round: what is common to all servers of a round cancels out. `None` without
/// rounds, or if a number of the bare server is zero.
pub(crate) fn median_ratio(rounds: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
    let ratio = |(number, bare): (f64, f64)| (bare > 0.0).then(|| number / bare);
    let ratios: Option<Vec<_>> = rounds.into_iter().map(ratio).collect();
    Some(Summary::of(ratios?)?.median)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let summary = Summary::of([5.0, 1.0, 4.0, 100.0, 2.0]).expect("there are numbers");
        assert_eq!(summary.minimum, 1.0);
        assert_eq!(summary.median, 4.0);
        assert_eq!(summary.maximum, 100.0);
        let even = Summary::of([8.0, 1.0, 3.0, 2.0]).expect("there are numbers");
        assert_eq!(even.median, 2.5);
        assert_eq!(Summary::of([]), None);
    }

    #[test]
    fn ratios_are_those_within_a_round() {
        // The machine was ten times slower in the second round.
        let rounds = [(20.0, 10.0), (300.0, 100.0), (25.0, 10.0)];
        assert_eq!(median_ratio(rounds), Some(2.5));
        assert_eq!(median_ratio([(20.0, 10.0), (1.0, 0.0)]), None);
        assert_eq!(median_ratio([]), None);
    }
}
