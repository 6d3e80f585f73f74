//! A macro for limits in tests.

/// The limit with this value, which is not 0.
macro_rules! limit {
    ($value:expr) => {
        std::num::NonZero::new($value).unwrap()
    };
}
