//! Virtual time.

/// A time since the begin of a simulation, or a duration.
pub type Time = std::time::Duration;

pub const fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

pub const fn us(micros: u64) -> Time {
    Time::from_micros(micros)
}
