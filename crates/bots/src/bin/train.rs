//! Learns the weights of Sticheln by self-play.

use std::time::Instant;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::sticheln::cards::{Cards, Code};
use sticheln_bots::sticheln::engine::Engine;
use sticheln_bots::sticheln::policy::{CHOICES, PICK_FACTS, PLAY_FACTS, Policy, Sight, UNIT, WEIGHTS, places_of_pick};
use sticheln_rules::sticheln::AllZeroTrick;
use sticheln_rules::{Seat, Seats};

struct Args { seats: usize, rounds: u64, seed: u64, out: String, rate: f32, gamma: f32, lambda: f32, critic: f32, vs: Option<String> }

fn args() -> Args {
    let mut a = Args { seats: 4, rounds: 1_000_000, seed: 1, out: "/tmp/w.bin".into(), rate: 0.004, gamma: 0.9, lambda: 1.0, critic: 0.001, vs: None };
    let words: Vec<String> = std::env::args().skip(1).collect();
    for pair in words.chunks(2) {
        let v = pair[1].clone();
        match pair[0].as_str() {
            "--seats" => a.seats = v.parse().expect("n"),
            "--rounds" => a.rounds = v.parse().expect("n"),
            "--seed" => a.seed = v.parse().expect("n"),
            "--out" => a.out = v,
            "--rate" => a.rate = v.parse().expect("n"),
            "--gamma" => a.gamma = v.parse().expect("n"),
            "--lambda" => a.lambda = v.parse().expect("n"),
            "--critic" => a.critic = v.parse().expect("n"),
            "--vs" => a.vs = Some(v),
            _ => panic!("{}", pair[0]),
        }
    }
    a
}

/// One decision.
struct Step<const F: usize> { seat: usize, trick: usize, chosen: usize, count: usize, places: [[u16; F]; CHOICES], odds: [f32; CHOICES] }

fn odds<const F: usize>(w: &[f32], places: &[[u16; F]]) -> [f32; CHOICES] {
    let mut o = [0.0; CHOICES];
    let mut most = f32::MIN;
    for (i, p) in places.iter().enumerate() {
        o[i] = p.iter().map(|p| w[*p as usize]).sum();
        most = most.max(o[i]);
    }
    let mut all = 0.0;
    for x in o.iter_mut().take(places.len()) { *x = (*x - most).exp(); all += *x; }
    for x in o.iter_mut().take(places.len()) { *x /= all; }
    o
}

fn draw(o: &[f32], rng: &mut Xoshiro256PlusPlus) -> usize {
    let mut x: f32 = rng.random();
    for (i, p) in o.iter().enumerate() { if x < *p { return i; } x -= p; }
    o.len() - 1
}

fn deal(seats: Seats, rng: &mut Xoshiro256PlusPlus) -> [Cards; Seats::MAX] {
    let mut pack: Vec<Code> = Cards::pack(seats).collect();
    pack.shuffle(rng);
    let mut hands = [Cards::EMPTY; Seats::MAX];
    for (hand, cards) in hands.iter_mut().zip(pack.chunks(15)) { *hand = cards.iter().copied().collect(); }
    hands
}

fn bytes(w: &[f32]) -> Vec<u8> {
    w.iter().flat_map(|w| ((w * UNIT as f32).round().clamp(-32000.0, 32000.0) as i16).to_le_bytes()).collect()
}

/// Margin of `a` against `b`s, greedy.
fn duel(seats: Seats, a: &Policy, b: Option<&Policy>, deals: u64) -> (f64, f64) {
    let n = seats.count();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(99);
    let (mut s, mut q) = (0.0, 0.0);
    for d in 0..deals {
        let hands = deal(seats, &mut rng);
        let mut mean = 0.0;
        for me in 0..n {
            let mut hands = hands;
            let mut picks = [Code::new(0, 0); Seats::MAX];
            for seat in 0..n {
                let p = if seat == me { Some(a) } else { b };
                picks[seat] = match p { Some(p) => p.picks(hands[seat]).best(), None => hands[seat].nth(rng.random_range(0..15)) };
                hands[seat].remove(picks[seat]);
            }
            let mut e = Engine::new(seats, hands, picks, Seat::new((d % n as u64) as u8), AllZeroTrick::Nobody);
            while !e.is_over() {
                let p = if e.turn() == me { Some(a) } else { b };
                let c = match p { Some(p) => p.plays(&e).best(), None => { let h = e.hand(e.turn()); h.nth(rng.random_range(0..h.len())) } };
                e.play(c).expect("held");
            }
            let own = e.points(me) as f64;
            let others: f64 = (0..n).filter(|s| *s != me).map(|s| e.points(s) as f64).sum();
            mean += own - others / (n - 1) as f64;
        }
        mean /= n as f64;
        s += mean; q += mean * mean;
    }
    let k = deals as f64;
    let m = s / k;
    (m, 1.96 * ((q / k - m * m) / k).sqrt())
}

fn main() {
    let a = args();
    let seats = Seats::new(a.seats).expect("seats");
    let n = a.seats;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(a.seed);
    let mut w = vec![0f32; WEIGHTS];
    let mut q = vec![0f32; WEIGHTS];
    let mut base = [[0f32; 8]; 16];
    let mut pick_base = 0f32;
    let start = Instant::now();
    let mut plays: Vec<Step<PLAY_FACTS>> = Vec::new();
    let mut picked: Vec<Step<PICK_FACTS>> = Vec::new();
    let vs = a.vs.as_ref().map(|f| Policy::from_bytes(&std::fs::read(f).expect("file")).expect("size"));
    for round in 0..a.rounds {
        let progress = round as f32 / a.rounds as f32;
        let rate = a.rate * (1.0 - progress).max(0.02);
        plays.clear(); picked.clear();
        let mut hands = deal(seats, &mut rng);
        let mut picks = [Code::new(0, 0); Seats::MAX];
        for seat in 0..n {
            let hand = hands[seat];
            let mut places = [[0; PICK_FACTS]; CHOICES];
            let cards: Vec<Code> = hand.collect();
            for (i, c) in cards.iter().enumerate() { places[i] = places_of_pick(hand, *c); }
            let o = odds(&w, &places[..15]);
            let chosen = draw(&o[..15], &mut rng);
            picks[seat] = cards[chosen];
            hands[seat].remove(cards[chosen]);
            picked.push(Step { seat, trick: 0, chosen, count: 15, places, odds: o });
        }
        let mut e = Engine::new(seats, hands, picks, Seat::new((round % n as u64) as u8), AllZeroTrick::Nobody);
        let mut points = [[0i32; 6]; 15];
        for s in 0..n { points[0][s] = e.points(s); }
        let mut trick = 0;
        while !e.is_over() {
            let sight = Sight::new(&e);
            let mut places = [[0; PLAY_FACTS]; CHOICES];
            let mut cards = [Code::new(0, 0); CHOICES];
            let mut count = 0;
            for c in sight.hand() { places[count] = sight.places(c); cards[count] = c; count += 1; }
            if count == 1 {
                e.play(cards[0]).expect("held");
            } else {
                let o = odds(&w, &places[..count]);
                let chosen = draw(&o[..count], &mut rng);
                plays.push(Step { seat: e.turn(), trick, chosen, count, places, odds: o });
                e.play(cards[chosen]).expect("held");
            }
            if e.laid() == 0 { trick += 1; for s in 0..n { points[trick][s] = e.points(s); } }
        }
        // Discounted margins to come, from each trick on.
        let mut togo = [[0f32; 6]; 16];
        for t in (0..14).rev() {
            let all: i32 = (0..n).map(|s| points[t + 1][s] - points[t][s]).sum();
            for s in 0..n {
                let own = points[t + 1][s] - points[t][s];
                let r = own as f32 - (all - own) as f32 / (n - 1) as f32;
                togo[t][s] = r + a.gamma * togo[t + 1][s];
            }
        }
        let all: i32 = (0..n).map(|s| points[14][s]).sum();
        for p in &picked {
            let own = points[14][p.seat];
            let g = own as f32 - (all - own) as f32 / (n - 1) as f32;
            let adv = g - pick_base;
            pick_base += 0.0001 * adv;
            for i in 0..p.count {
                let d = (if i == p.chosen { 1.0 } else { 0.0 }) - p.odds[i];
                let step = rate * 0.5 * adv * d;
                for f in p.places[i] { w[f as usize] += step; }
            }
        }
        let mut laid = 0;
        let mut last = 0;
        for p in &plays {
            if p.trick != last { last = p.trick; laid = 0; }
            let b = &mut base[p.trick][laid];
            laid += 1;
            let g = togo[p.trick][p.seat] - *b;
            *b += 0.001 * g;
            let mut v = 0.0;
            let mut own = 0.0;
            for i in 0..p.count {
                let x: f32 = p.places[i].iter().map(|f| q[*f as usize]).sum();
                v += p.odds[i] * x;
                if i == p.chosen { own = x; }
            }
            let miss = g - own;
            for f in p.places[p.chosen] { q[f as usize] += a.critic * miss; }
            let adv = if a.lambda < 0.0 { g } else { a.lambda * (g - v) + (1.0 - a.lambda) * (own - v) };
            for i in 0..p.count {
                let d = (if i == p.chosen { 1.0 } else { 0.0 }) - p.odds[i];
                let step = rate * adv * d;
                for f in p.places[i] { w[f as usize] += step; }
            }
        }
        if (round + 1) % (a.rounds / 5).max(1) == 0 {
            let p = Policy::from_bytes(&bytes(&w)).expect("size");
            let (m, ci) = duel(seats, &p, None, 2000);
            print!("{} rounds, {:.1} s: {m:+.2} ± {ci:.2} over random", round + 1, start.elapsed().as_secs_f64());
            if let Some(v) = &vs { let (m, ci) = duel(seats, &p, Some(v), 2000); print!(", {m:+.2} ± {ci:.2} over --vs"); }
            println!();
        }
    }
    std::fs::write(&a.out, bytes(&w)).expect("written");
}
