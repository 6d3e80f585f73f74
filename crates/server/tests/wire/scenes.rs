//! The scenes from which the samples come.

mod absence;
mod nyet;
mod people;
mod sticheln;

use serde_json::Value;

use crate::samples::Sample;

/// Plays all scenes.
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

/// The first legal action.
fn first<S>(_scene: &S, legal: &[Value]) -> Value {
    legal[0].clone()
}
