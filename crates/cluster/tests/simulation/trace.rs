//! The trace of a simulation: its hash, and its lines if somebody wants to read them.

use std::fmt;
use std::hash::{DefaultHasher, Hasher};

use crate::time::Time;

/// The trace of a simulation.
pub struct Trace {
    hash: DefaultHasher,
    is_printed: bool,
}

/// Hashes a text without making a string of it.
struct Hashed<'a>(&'a mut DefaultHasher);

impl fmt::Write for Hashed<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

impl Trace {
    pub fn new(is_printed: bool) -> Self {
        Self {
            hash: DefaultHasher::new(),
            is_printed,
        }
    }

    pub fn add(&mut self, now: Time, line: fmt::Arguments<'_>) {
        self.hash.write_u128(now.as_micros());
        fmt::write(&mut Hashed(&mut self.hash), line).unwrap();
        if self.is_printed {
            println!("{:>10.3} ms {line}", now.as_secs_f64() * 1_000.0);
        }
    }

    pub fn hash(&self) -> u64 {
        self.hash.finish()
    }
}
