//! Quick arena (to be completed).
use std::time::{Duration, Instant};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::sticheln::{memory::Memory, policy::Policy, position::Position, search, cards::{Cards, Code}};
use sticheln_bots::{Level, Player};
use sticheln_rules::sticheln::{Action, Options, Phase};
use sticheln_rules::{End, Seat, State, Sticheln, View};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Bot { Random, Beginner, Normal, Expert(u32), Timed(u64) }

fn act(bot: Bot, view: View<'_, Sticheln>, memory: &Memory, policy: &Policy, rng: &mut Xoshiro256PlusPlus) -> Action {
    let table = view.table().expect("t");
    let seats = table.seats();
    let ed = view.options().edition;
    match bot {
        Bot::Random => { let l = view.legal(); l[rng.random_range(0..l.len())] }
        Bot::Beginner => Sticheln::advice(view, Level::Beginner).expect("a"),
        Bot::Normal | Bot::Expert(_) | Bot::Timed(_) => {
            if let Phase::Pick { .. } = table.phase {
                let hand: Cards = view.own().expect("own").hand.iter().map(|c| Code::of(c, ed, seats).expect("c")).collect();
                return Action::Pick { card: policy.picks(hand).best().card(ed, seats).expect("c") };
            }
            let p = Position::new(view, memory).expect("position");
            let code = match bot {
                Bot::Expert(n) => search::best_play(&p, policy, rng.random(), n, &mut || false),
                Bot::Timed(us) => { let end = Instant::now() + Duration::from_micros(us); search::best_play(&p, policy, rng.random(), 100_000, &mut || Instant::now() > end) }
                _ => policy.plays(&p.engine(&p.world(rng))).best(),
            };
            Action::Play { card: code.card(ed, seats).expect("c") }
        }
    }
}

fn bot(w: &str) -> Bot {
    match w { "random" => Bot::Random, "beginner" => Bot::Beginner, "normal" => Bot::Normal,
      w => { let n = w[1..].parse().expect("number"); if w.starts_with('e') { Bot::Expert(n) } else { Bot::Timed(n as u64) } } }
}

fn main() {
    let w: Vec<String> = std::env::args().skip(1).collect();
    let (n, deals, weights, a, b) = (w[0].parse::<usize>().expect("n"), w[1].parse::<u64>().expect("n"), &w[2], bot(&w[3]), bot(&w[4]));
    let policy = Policy::from_bytes(&std::fs::read(weights).expect("file")).expect("size");
    let options = Options { end: End::rounds(1), ..Default::default() };
    let (mut s, mut q) = (0.0, 0.0);
    let (mut time, mut decisions) = (Duration::ZERO, 0u32);
    for d in 0..deals {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(d);
        let mut mean = 0.0;
        let opening = Seat::new((d % n as u64) as u8);
        let mut deck = State::<Sticheln>::new(options.clone(), n, opening).expect("s").pack();
        deck.shuffle(&mut rng);
        for me in 0..n {
            let mut state = State::<Sticheln>::new(options.clone(), n, opening).expect("s");
            let mut memory = Memory::default();
            for e in state.deal(&deck).expect("d") { memory.note(&e); }
            while let Some(seat) = state.view(None).to_act().first().copied() {
                let who = if seat.index() == me { a } else { b };
                let t = Instant::now();
                let action = act(who, state.view(Some(seat)), &memory, &policy, &mut rng);
                if seat.index() == me { time += t.elapsed(); decisions += 1; }
                for e in state.play(seat, action).expect("legal") { memory.note(&e); }
            }
            let totals = state.view(None).sheet().totals().clone();
            let own = f64::from(totals[Seat::new(me as u8)]);
            let all: f64 = totals.iter().map(|t| f64::from(*t)).sum();
            mean += own - (all - own) / (n - 1) as f64;
        }
        mean /= n as f64; s += mean; q += mean * mean;
    }
    let k = deals as f64; let m = s / k;
    println!("{a:?} over {b:?}: {m:+.2} ± {:.2}, {:?} a decision", 1.96 * ((q / k - m * m) / k).sqrt(), time / decisions);
}
