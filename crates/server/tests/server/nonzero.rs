//! A macro for limits in tests.

/// The limit with this value, which is not 0.
macro_rules! nonzero {
    ($value:expr) => {
        std::num::NonZero::new($value).unwrap()
    };
}
