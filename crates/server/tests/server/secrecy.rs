//! Twin tests of secrecy over real sockets.
//!
//! The twin of a game has the cards swapped that an observer cannot know, in the decks and in the
//! moves alike. The two games are played at two servers. Everything that the observer receives
//! until the sampled step must be equal, byte for byte and in the same order. The test computes the
//! known cards from the record alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use sticheln_bots::Player;
use sticheln_room::Entropy;
use sticheln_rules::{
    BySeat, Card, End, Game, Nyet, Record, Seat, Seats, Seed, State, Status, Step, Sticheln, nyet,
    sticheln,
};

use crate::client::{Client, sync_all};
use crate::harness::{Server, Setup};

/// The parts of a game that the test needs.
trait Secret: Player {
    /// The cards of an action.
    fn cards(action: &Self::Action) -> Vec<Card>;

    /// The same action with other cards.
    fn with_cards(action: &Self::Action, cards: Vec<Card>) -> Self::Action;

    /// Whether the cards of an action are public at once.
    fn is_open(action: &Self::Action) -> bool;

    /// Whether the face-down cards have been revealed.
    fn are_turned_up(_round: &Traced<Self>) -> bool {
        false
    }

    /// The indices of cards that have just changed hands, with their receivers.
    fn handed_on(_round: &Traced<Self>) -> Vec<(usize, Seat)> {
        vec![]
    }
}

impl Secret for Sticheln {
    fn cards(action: &Self::Action) -> Vec<Card> {
        let (sticheln::Action::Pick { card } | sticheln::Action::Play { card }) = action;
        vec![*card]
    }

    fn with_cards(action: &Self::Action, cards: Vec<Card>) -> Self::Action {
        let card = cards[0];
        match action {
            sticheln::Action::Pick { .. } => sticheln::Action::Pick { card },
            sticheln::Action::Play { .. } => sticheln::Action::Play { card },
        }
    }

    fn is_open(action: &Self::Action) -> bool {
        matches!(action, sticheln::Action::Play { .. })
    }

    /// After the pick of the last seat.
    fn are_turned_up(round: &Traced<Self>) -> bool {
        round.moves.len() >= round.seats.count()
    }
}

impl Secret for Nyet {
    fn cards(action: &Self::Action) -> Vec<Card> {
        match action {
            nyet::Action::Cover(_) | nyet::Action::Team { .. } => vec![],
            nyet::Action::Discard { cards } => cards.clone(),
            nyet::Action::Play { card } => vec![*card],
        }
    }

    fn with_cards(action: &Self::Action, cards: Vec<Card>) -> Self::Action {
        match action {
            nyet::Action::Cover(_) | nyet::Action::Team { .. } => action.clone(),
            nyet::Action::Discard { .. } => nyet::Action::Discard { cards },
            nyet::Action::Play { .. } => nyet::Action::Play { card: cards[0] },
        }
    }

    fn is_open(action: &Self::Action) -> bool {
        !matches!(action, nyet::Action::Discard { .. })
    }

    /// Passed cards change hands when the last seat has chosen.
    fn handed_on(round: &Traced<Self>) -> Vec<(usize, Seat)> {
        let is_discard = |(_, action, _): &&Moved<Self>| !Self::is_open(action);
        let pass_left = nyet::Space::Discard(nyet::DiscardRule::PassLeft);
        let is_covered = |(_, action, _): &Moved<Self>| *action == nyet::Action::Cover(pass_left);
        let chosen: Vec<_> = round.moves.iter().filter(is_discard).collect();
        let is_last = round.moves.last().is_some_and(|last| is_discard(&last));
        if !is_last || chosen.len() < round.seats.count() || round.moves.iter().any(is_covered) {
            return vec![];
        }
        let passed = chosen.into_iter();
        passed
            .map(|(giver, _, places)| (places[0], round.seats.left_of(*giver)))
            .collect()
    }
}

/// A move: the seat, the action, and the indices in the deck of its cards.
type Moved<G> = (Seat, <G as Game>::Action, Vec<usize>);

/// One round of a record, with the index in the deck of each card that was moved.
struct Traced<G: Secret> {
    seats: Seats,
    deck: Vec<Card>,
    /// The indices of the cards that each seat was dealt or given.
    got: BySeat<Vec<usize>>,
    moves: Vec<Moved<G>>,
}

impl<G: Secret> Traced<G> {
    fn new(seats: Seats, deck: &[Card]) -> Self {
        let size = G::hand_size(seats);
        let dealt = |seat: Seat| (seat.index() * size..(seat.index() + 1) * size).collect();
        Self {
            seats,
            deck: deck.to_vec(),
            got: BySeat::from_fn(seats, dealt),
            moves: vec![],
        }
    }

    fn add(&mut self, seat: Seat, action: &G::Action) {
        let mut gone: Vec<usize> = Vec::new();
        for (mover, _, places) in &self.moves {
            if *mover == seat {
                gone.extend(places);
            }
        }
        // A card that was given counts as played before an equal one that was dealt, because its
        // giver knows it.
        let places = G::cards(action).into_iter().map(|card| {
            let held = self.got[seat].iter().rev();
            let mut held = held.filter(|place| !gone.contains(place));
            let place = *held.find(|place| self.deck[**place] == card).unwrap();
            gone.push(place);
            place
        });
        let places = places.collect();
        self.moves.push((seat, action.clone(), places));
        for (place, receiver) in G::handed_on(self) {
            self.got[receiver].push(place);
        }
    }

    /// The indices of the cards that the observer cannot know.
    fn unknown(&self, observer: Option<Seat>) -> Vec<usize> {
        let mut known: Vec<usize> = observer.map_or(vec![], |seat| self.got[seat].clone());
        for (_, action, places) in &self.moves {
            if G::is_open(action) || G::are_turned_up(self) {
                known.extend(places);
            }
        }
        let all = 0..self.deck.len();
        all.filter(|place| !known.contains(place)).collect()
    }
}

/// The rounds of a record.
fn rounds<G: Secret>(record: &Record<G>) -> Vec<Traced<G>> {
    let seats = Seats::new(record.seats).unwrap();
    let mut rounds: Vec<Traced<G>> = vec![];
    for step in &record.steps {
        match step {
            Step::Deal(deck) => rounds.push(Traced::new(seats, deck)),
            Step::Act(seat, action) => rounds.last_mut().unwrap().add(*seat, action),
        }
    }
    rounds
}

/// A game with random moves.
fn game<G: Secret>(options: G::Options, seats: usize, rng: &mut ChaCha8Rng) -> Record<G> {
    let mut record = Record::new(options.clone(), seats, Seat::new(0));
    let mut state = State::<G>::new(options, seats, Seat::new(0)).unwrap();
    loop {
        let step = match state.status() {
            Status::Over(_) => return record,
            Status::ToDeal => {
                let mut deck = state.pack();
                deck.shuffle(rng);
                state.deal(&deck).unwrap();
                Step::Deal(deck)
            }
            Status::Playing => {
                let seat = *state.view(None).to_act().choose(rng).unwrap();
                let action = state.view(Some(seat)).legal().choose(rng).unwrap().clone();
                state.act(seat, action.clone()).unwrap();
                Step::Act(seat, action)
            }
        };
        record.steps.push(step);
    }
}

/// The first steps of a game.
fn beginning<G: Secret>(record: &Record<G>, steps: usize) -> Record<G> {
    Record {
        steps: record.steps[..steps].to_vec(),
        ..record.clone()
    }
}

/// A twin of a game: the cards that the observer does not know are swapped. `None` if both are
/// equal, or if the twin breaks the rules.
fn twin<G: Secret>(
    record: &Record<G>,
    observer: Option<Seat>,
    rng: &mut ChaCha8Rng,
) -> Option<Record<G>> {
    let mut steps = vec![];
    for round in rounds(record) {
        let unknown = round.unknown(observer);
        let mut deck = round.deck.clone();
        if rng.random_bool(0.5) {
            let mut faces: Vec<Card> = unknown.iter().map(|place| deck[*place]).collect();
            faces.shuffle(rng);
            for (place, face) in unknown.iter().zip(faces) {
                deck[*place] = face;
            }
        } else if let (Some(one), Some(other)) = (unknown.choose(rng), unknown.choose(rng)) {
            deck.swap(*one, *other);
        }
        let moves = round.moves.iter().map(|(seat, action, places)| {
            let cards = places.iter().map(|place| deck[*place]).collect();
            Step::Act(*seat, G::with_cards(action, cards))
        });
        let moves: Vec<_> = moves.collect();
        steps.push(Step::Deal(deck));
        steps.extend(moves);
    }
    let twin = Record {
        steps,
        ..record.clone()
    };
    (twin != *record && twin.replay().is_ok()).then_some(twin)
}

/// A twin whose last move, which is face down, has other cards. `None` if the last move was public,
/// or if there is no other choice.
fn other_choice<G: Secret>(
    record: &Record<G>,
    observer: Option<Seat>,
    rng: &mut ChaCha8Rng,
) -> Option<Record<G>> {
    let (Step::Act(chooser, choice), before) = record.steps.split_last()? else {
        return None;
    };
    let round = rounds(record).pop()?;
    let (_, _, places) = round.moves.last()?;
    let unknown = round.unknown(observer);
    if G::is_open(choice) || !places.iter().all(|place| unknown.contains(place)) {
        return None;
    }
    let mut other = Record {
        steps: before.to_vec(),
        ..record.clone()
    };
    let state = other.replay().ok()?;
    let mut choices = state.view(Some(*chooser)).legal();
    choices.retain(|other| other != choice);
    let action = choices.choose(rng)?.clone();
    other.steps.push(Step::Act(*chooser, action));
    Some(other)
}

/// The texts that each seat and then the spectator has received, and their numbers after each step.
struct Received {
    texts: Vec<Vec<String>>,
    after: Vec<Vec<usize>>,
}

impl Received {
    /// The texts that an observer has received after this number of steps.
    fn by(&self, who: usize, steps: usize) -> &[String] {
        &self.texts[who][..self.after[steps][who]]
    }
}

/// Plays this game over sockets, with a server of its own.
async fn play<G: Secret>(record: &Record<G>) -> Received {
    let decks = record.steps.iter().filter_map(|step| match step {
        Step::Deal(deck) => Some(deck.clone()),
        Step::Act(..) => None,
    });
    let decks: Arc<Vec<Vec<Card>>> = Arc::new(decks.collect());
    let entropy_source = Arc::new(move |_: &_| {
        let decks = decks.clone();
        let asked = AtomicU8::new(0);
        Entropy {
            // The opening seat is fixed, so each seed is that of a deal.
            bits: Box::new(move || [asked.fetch_add(1, Ordering::Relaxed); 32]),
            shuffle: Arc::new(move |_, Seed(bits)| decks[usize::from(bits[0])].clone()),
        }
    });
    let setup = Setup {
        entropy_source,
        ..Setup::default()
    };
    let server = setup.start().await;
    let body = json!({"game": G::ID, "seats": record.seats, "options": record.options});
    let room = server.open_room(body).await;
    let mut played = PlayedRoom {
        clients: Vec::new(),
        texts: vec![Vec::new(); record.seats + 1],
        server,
        room,
    };
    for name in &NAMES[..record.seats] {
        let client = played.server.sit(name, &played.room).await;
        played.clients.push(client);
    }
    let spectator = played.server.join("Spectator", &played.room).await;
    played.clients.push(spectator);
    let configure = json!({"type": "configure", "opening_seat": 0});
    played.clients[0].request(configure).await.ok();
    sync_all(&mut played.clients).await;

    let mut after = vec![played.counts()];
    for (at, step) in record.steps.iter().enumerate() {
        played.take::<G>(at, step).await;
        after.push(played.counts());
    }
    Received {
        texts: (0..=record.seats).map(|who| played.texts_of(who)).collect(),
        after,
    }
}

const NAMES: [&str; 6] = ["Ann", "Bob", "Cem", "Dan", "Eli", "Fay"];

/// A room in which a recorded game is played over sockets.
struct PlayedRoom {
    server: Server,
    room: String,
    clients: Vec<Client>,
    /// The texts of connections that were closed.
    texts: Vec<Vec<String>>,
}

impl PlayedRoom {
    async fn take<G: Secret>(&mut self, at: usize, step: &Step<G>) {
        match step {
            Step::Deal(_) if at == 0 => {
                self.clients[0].request(json!({"type": "start"})).await.ok()
            }
            Step::Deal(_) => {
                let count = self.clients.len() - 1;
                for client in &mut self.clients[..count] {
                    client
                        .request(json!({"type": "ready", "ready": true}))
                        .await
                        .ok();
                }
            }
            Step::Act(seat, action) => {
                let client = &mut self.clients[seat.index()];
                client
                    .request(json!({"type": "act", "action": action}))
                    .await
                    .ok();
            }
        }
        sync_all(&mut self.clients).await;
        // A client tries an action with a card of another hand. The refusal must reveal nothing.
        let asker = at % self.clients.len();
        self.ask_for_what_is_not_his::<G>(asker, at).await;
        if at % 9 == 4 {
            self.come_back(at / 9 % self.clients.len()).await;
        }
    }

    async fn ask_for_what_is_not_his<G: Secret>(&mut self, who: usize, at: usize) {
        let seats = Seats::new(self.clients.len() - 1).unwrap();
        let pack = G::pack(&Default::default(), seats);
        let client = &mut self.clients[who];
        let hand = client.game["view"]["own"]["hand"].clone();
        let holds = |card: &&Card| {
            hand.as_array()
                .is_some_and(|hand| hand.contains(&json!(card)))
        };
        let mut cards = pack.iter().cycle().skip(7 * at).take(pack.len());
        let card = cards.find(|card| !holds(card)).unwrap();
        let picks = client.game["view"]["table"]["phase"] == "pick";
        let action = if picks {
            json!({"type": "pick", "card": card})
        } else {
            json!({"type": "play", "card": card})
        };
        let answer = client
            .request(json!({"type": "act", "action": action}))
            .await;
        assert_ne!(answer.code, "ok");
        sync_all(&mut self.clients).await;
    }

    /// A client reconnects and receives the full state.
    async fn come_back(&mut self, who: usize) {
        let texts = self.texts_of(who);
        self.texts[who] = texts;
        let old = self.clients.remove(who);
        let name = old.name.clone();
        old.leave().await;
        // Its loss must be sent before it is back.
        self.clients[0].next("room").await;
        sync_all(&mut self.clients).await;
        let new = self.server.join(&name, &self.room).await;
        self.clients.insert(who, new);
        sync_all(&mut self.clients).await;
    }

    fn texts_of(&self, who: usize) -> Vec<String> {
        let texts = self.texts[who].iter().chain(&self.clients[who].texts);
        texts.map(|text| text.replace(&self.room, "CODE")).collect()
    }

    fn counts(&self) -> Vec<usize> {
        let all = self.texts.iter().zip(&self.clients);
        all.map(|(texts, client)| texts.len() + client.texts.len())
            .collect()
    }
}

/// Compares the texts of an observer in two twins.
#[track_caller]
fn compare(who: usize, one: &[String], other: &[String]) {
    for (at, (one, other)) in one.iter().zip(other).enumerate() {
        assert_eq!(one, other, "message {at} to observer {who}");
    }
    assert_eq!(
        one.len(),
        other.len(),
        "number of messages to observer {who}"
    );
}

/// Plays a game, and its twins until each of these steps for each observer.
async fn keeps_secrets<G: Secret>(whole: Record<G>, samples: &[usize], rng: &mut ChaCha8Rng) {
    let seats = whole.seats;
    let received = play(&whole).await;
    let again = play(&whole).await;
    let (mut twins, mut choices) = (0, 0);
    for who in 0..=seats {
        compare(who, &received.texts[who], &again.texts[who]);
        let observer = (who < seats).then(|| Seat::new(who as u8));
        for steps in samples {
            let record = beginning(&whole, *steps);
            let twin = (0..50).find_map(|_| twin(&record, observer, rng));
            let choice = other_choice(&record, observer, rng);
            twins += usize::from(twin.is_some());
            choices += usize::from(choice.is_some());
            for other in twin.into_iter().chain(choice) {
                let others = play(&other).await;
                compare(who, received.by(who, *steps), others.by(who, *steps));
            }
        }
    }
    let all = samples.len() * (seats + 1);
    println!("{twins} twins and {choices} other choices of {all}");
    assert!(twins > all * 3 / 4, "only {twins} twins");
    assert!(choices > seats, "only {choices} other choices");
}

#[tokio::test]
async fn twins_of_sticheln_are_indistinguishable() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let options = sticheln::Options {
        end: End::rounds(2),
        show_history: sticheln::History::All,
        show_running_score: true,
        ..Default::default()
    };
    let whole = game::<Sticheln>(options, 3, &mut rng);
    // A round is a deal, three picks, and fourteen tricks.
    let samples = [1, 2, 3, 4, 6, 20, 45, 46, 47, 48, 49, 50, 70, 90];
    keeps_secrets(whole, &samples, &mut rng).await;
}

#[tokio::test]
async fn twins_of_nyet_are_indistinguishable() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let options = nyet::Options {
        end: End::rounds(1),
        ..Default::default()
    };
    let is_discard =
        |step: &Step<Nyet>| matches!(step, Step::Act(_, action) if !Nyet::is_open(action));
    // One game with cards that are laid aside, and one with cards that are passed.
    let mut kinds = [None, None];
    while kinds.iter().any(Option::is_none) {
        let whole = game::<Nyet>(options.clone(), 4, &mut rng);
        if whole.steps.iter().any(is_discard) {
            let traced = rounds(&beginning(&whole, first_play(&whole))).pop();
            let is_passing = traced.is_some_and(|round| !Nyet::handed_on(&round).is_empty());
            kinds[usize::from(is_passing)].get_or_insert(whole);
        }
    }
    for whole in kinds.into_iter().flatten() {
        let play = first_play(&whole);
        // The deal, a cover, the discards, the first tricks, and late ones.
        let first = [1, 9];
        let discards = play - 4..play + 3;
        let later = [play + 8, play + 30];
        let samples: Vec<_> = first.into_iter().chain(discards).chain(later).collect();
        keeps_secrets(whole, &samples, &mut rng).await;
    }
}

/// The first step in which a card is played.
fn first_play(record: &Record<Nyet>) -> usize {
    let mut steps = record.steps.iter();
    let is_play = |step: &Step<Nyet>| matches!(step, Step::Act(_, nyet::Action::Play { .. }));
    steps.position(is_play).unwrap()
}
