//! The stories of which samples are kept.

mod absence;
mod nyet;
mod people;
mod sticheln;

use serde_json::Value;

use crate::samples::Sample;

/// All stories, played from the beginning.
pub fn play() -> Vec<Sample> {
    let mut samples = people::sitting_down();
    samples.extend(people::locked());
    samples.extend(people::nonsense());
    samples.extend(sticheln::two_rounds());
    samples.extend(sticheln::all_open());
    samples.extend(absence::away());
    samples.extend(nyet::five());
    samples.extend(nyet::three());
    samples
}

/// The first thing that is legal.
fn first<S>(_scene: &S, legal: &[Value]) -> Value {
    legal[0].clone()
}
