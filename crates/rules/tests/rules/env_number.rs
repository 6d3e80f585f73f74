//! Numbers of environment variables. The tests of several packages share this file.

/// A number that an environment variable can replace, for a longer run.
pub fn env_number(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => default,
    }
}
