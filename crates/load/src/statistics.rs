//! The median, the minimum and the maximum of repeated measurements.

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

/// The median of the ratios within each repetition: what is common to all numbers of a repetition cancels out. `None` without
/// repetitions, or if the second number of one is zero.
pub(crate) fn median_ratio(repetitions: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
    let ratio = |(number, base): (f64, f64)| (base > 0.0).then(|| number / base);
    let ratios: Option<Vec<_>> = repetitions.into_iter().map(ratio).collect();
    Some(Summary::of(ratios?)?.median)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_has_the_minimum_the_median_and_the_maximum() {
        let summary = Summary::of([5.0, 1.0, 4.0, 100.0, 2.0]).expect("there are numbers");
        assert_eq!(summary.minimum, 1.0);
        assert_eq!(summary.median, 4.0);
        assert_eq!(summary.maximum, 100.0);
        let even = Summary::of([8.0, 1.0, 3.0, 2.0]).expect("there are numbers");
        assert_eq!(even.median, 2.5);
        assert_eq!(Summary::of([]), None);
    }
}
