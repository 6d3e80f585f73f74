//! Panics in the program log: where they happened, without any value.

use std::any::Any;
use std::panic::{PanicHookInfo, set_hook};

/// Has panics logged from now on, instead of printed.
pub fn install() {
    set_hook(Box::new(report));
}

/// Logs where a panic happened, and its message if that is part of the program. A message that was made at run time is
/// left out: it may name a hidden card.
pub fn report(panic: &PanicHookInfo<'_>) {
    let location = panic.location().map(ToString::to_string);
    let location = location.as_deref().unwrap_or("unknown");
    let reason = constant_message(panic.payload()).unwrap_or("a message with values");
    tracing::error!(location, reason, "a thread panicked");
}

/// The message of a panic, if it was not made at run time.
fn constant_message(payload: &(dyn Any + Send)) -> Option<&'static str> {
    payload.downcast_ref::<&'static str>().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_with_values_is_left_out() {
        assert_eq!(constant_message(&"it cannot be"), Some("it cannot be"));
        assert_eq!(constant_message(&"red-7 is gone".to_owned()), None);
    }
}
