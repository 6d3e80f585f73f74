//! Softmax: the probabilities of choices from the sums of their weights.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::sticheln::policy::MAX_CHOICES;

/// The softmax probabilities of choices with these scores.
pub fn softmax(scores: impl Iterator<Item = f32>) -> [f32; MAX_CHOICES] {
    let mut probabilities = [0.0; MAX_CHOICES];
    let mut count = 0;
    for (probability, score) in probabilities.iter_mut().zip(scores) {
        *probability = score;
        count += 1;
    }
    let used = &mut probabilities[..count];
    let best = used.iter().copied().fold(f32::MIN, f32::max);
    let mut all = 0.0;
    for probability in used.iter_mut() {
        *probability = (*probability - best).exp();
        all += *probability;
    }
    for probability in used.iter_mut() {
        *probability /= all;
    }
    probabilities
}

/// A random choice with these probabilities.
pub fn sample(probabilities: &[f32], rng: &mut Xoshiro256PlusPlus) -> usize {
    let mut left: f32 = rng.random();
    for (choice, probability) in probabilities.iter().enumerate() {
        if left < *probability {
            return choice;
        }
        left -= probability;
    }
    probabilities.len() - 1
}

/// The sum of the weights with these indices.
pub fn sum(weights: &[f32], indices: &[u16]) -> f32 {
    indices
        .iter()
        .map(|index| weights[usize::from(*index)])
        .sum()
}
