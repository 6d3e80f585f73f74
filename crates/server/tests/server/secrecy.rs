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
use sticheln_room::Entropy;
use sticheln_rules::{
    Card, End, Nyet, Record, Seat, Seats, Seed, State, Status, Step, Sticheln, nyet, sticheln,
};

use crate::client::{Client, sync_all};
use crate::env_number::env_number;
use crate::harness::{Server, Setup};
use crate::secret::{Secret, rounds, twin};

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

/// A twin of a game that follows the rules. `None` if this random one does not, or is the same.
fn legal_twin<G: Secret>(
    record: &Record<G>,
    observer: Option<Seat>,
    rng: &mut ChaCha8Rng,
) -> Option<Record<G>> {
    let exchanges_all = rng.random_bool(0.5);
    twin(record, observer, exchanges_all, rng).filter(|twin| twin.replay().is_ok())
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
    if G::is_open(choice)
        || places.is_empty()
        || !places.iter().all(|place| unknown.contains(place))
    {
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
        Step::Act(..) | Step::EndEarly => None,
    });
    let decks: Arc<Vec<Vec<Card>>> = Arc::new(decks.collect());
    let entropy_source = Arc::new(move |_: &_| {
        let decks = decks.clone();
        let asked = AtomicU8::new(0);
        Entropy {
            // The opening seat is fixed: the first bits are those of the replay, and each later ones those of a deal.
            bits: Box::new(move || [asked.fetch_add(1, Ordering::Relaxed); 32]),
            shuffle: Arc::new(move |_, Seed(bits)| decks[usize::from(bits[0]) - 1].clone()),
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
            Step::EndEarly => self.clients[0].request(json!({"type": "end"})).await.ok(),
            Step::Act(seat, action) => {
                let client = &mut self.clients[seat.index()];
                client
                    .request(json!({"type": "act", "action": action}))
                    .await
                    .ok();
            }
        }
        // A client tries an action with a card of another hand. The refusal must reveal nothing. The choice of the card
        // depends on the newest view of this client.
        let asker = at % self.clients.len();
        self.clients[asker].sync().await;
        self.ask_for_what_is_not_his::<G>(asker, at).await;
        if at % 4 == 1 {
            self.read_log(at / 4 % self.clients.len()).await;
        }
        if at % 5 == 2 {
            self.read_replay(at / 5 % self.clients.len()).await;
        }
        if at % 9 == 4 {
            self.come_back(at / 9 % self.clients.len()).await;
        }
    }

    /// A client reads the log of the newest round. It does so less often than the limits allow.
    async fn read_log(&mut self, who: usize) {
        self.clients[who].sync().await;
        let round = self.clients[who].game["view"]["table"]["round"].clone();
        let ask = json!({"type": "round_log", "round": round});
        self.clients[who].request(ask).await.ok();
    }

    /// A client reads the replay of the game and of its newest round. Only finished rounds are answered, whose cards all are
    /// public.
    async fn read_replay(&mut self, who: usize) {
        /// The id whose bits are all 0, which the game has.
        const ID: &str = "AAAAAAAAAAAAAAAAAAAAAA";
        let round = &self.clients[who].game["view"]["table"]["round"];
        let newest = round.as_u64().unwrap_or_default();
        let before = newest.saturating_sub(1);
        for path in [
            "".to_owned(),
            format!("/rounds/{newest}"),
            format!("/rounds/{before}"),
        ] {
            let reply = self.server.get(&format!("/api/games/{ID}{path}")).await;
            let text = format!("{} {}", reply.status, reply.text());
            self.clients[who].texts.push(text);
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

/// Plays a game, and its twins until some of these steps for each observer: every second step by default. The observers
/// alternate, so together they get all steps.
async fn keeps_secrets<G: Secret>(whole: Record<G>, samples: &[usize], rng: &mut ChaCha8Rng) {
    let seats = whole.seats;
    let received = play(&whole).await;
    let again = play(&whole).await;
    let every = env_number("EVERY", 2) as usize;
    let (mut tried, mut twins, mut choices) = (0, 0, 0);
    for who in 0..=seats {
        compare(who, &received.texts[who], &again.texts[who]);
        let observer = (who < seats).then(|| Seat::new(who as u8));
        for steps in samples.iter().skip(who % every).step_by(every) {
            tried += 1;
            let record = beginning(&whole, *steps);
            let twin = (0..50).find_map(|_| legal_twin(&record, observer, rng));
            let choice = other_choice(&record, observer, rng);
            twins += usize::from(twin.is_some());
            choices += usize::from(choice.is_some());
            for other in twin.into_iter().chain(choice) {
                let others = play(&other).await;
                compare(who, received.by(who, *steps), others.by(who, *steps));
            }
        }
    }
    println!("{twins} twins and {choices} other choices of {tried}");
    assert!(twins > tried * 3 / 4, "only {twins} twins");
    assert!(choices > seats / 2, "only {choices} other choices");
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
    // A round is a deal, three picks, and fourteen tricks. The second round begins with step 46.
    let samples = [1, 2, 3, 4, 6, 46, 48, 49, 50, 70];
    keeps_secrets(whole, &samples, &mut rng).await;
}

#[tokio::test]
async fn twins_of_nyet_are_indistinguishable() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let options = nyet::Options {
        end: End::rounds(1),
        ..Default::default()
    };
    let is_discard = |step: &Step<Nyet>| matches!(step, Step::Act(_, nyet::Action::Discard { .. }));
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
        // The deal, the discards, the first plays, and a late one.
        let samples = [1, play - 3, play - 2, play - 1, play, play + 2, play + 30];
        keeps_secrets(whole, &samples, &mut rng).await;
    }
}

/// The first step in which a card is played.
fn first_play(record: &Record<Nyet>) -> usize {
    let mut steps = record.steps.iter();
    let is_play = |step: &Step<Nyet>| matches!(step, Step::Act(_, nyet::Action::Play { .. }));
    steps.position(is_play).unwrap()
}

#[tokio::test]
async fn others_receive_nothing_when_a_choice_is_replaced() {
    let server = Server::start().await;
    let (room, mut clients) = server.started(&["Ann", "Bob", "Cem"]).await;
    clients.push(server.join("Eve", &room).await);
    clients[0].act().await;
    sync_all(&mut clients).await;
    sync_all(&mut clients).await;
    let rev = clients[1].game["rev"].as_u64().unwrap();
    for number in [3, 5] {
        let change = clients[0].game["changes"][number].clone();
        let act = json!({"type": "act", "action": change});
        clients[0].request(act).await.ok();
        clients[0].sync().await;
        assert_eq!(clients[0].game["view"]["own"]["pick"], change["card"]);
        assert_eq!(clients[0].game["rev"], rev);
    }
    for client in &mut clients[1..] {
        client.received_nothing().await;
    }
    clients[1].act().await;
    sync_all(&mut clients).await;
    assert_eq!(clients[3].game["rev"], rev + 1);
}
