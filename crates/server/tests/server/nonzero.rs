//! Limits of tests, which are never 0.

/// The limit with this value.
macro_rules! nonzero {
    ($value:expr) => {
        std::num::NonZero::new($value).unwrap()
    };
}
