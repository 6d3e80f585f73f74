//! The hands that are sent while people take chairs, leave them, are removed and hand their seats over.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use sticheln_room::{
    ClientRequest, ConnId, Effect, Entropy, Entry, Input, Name, Outgoing, PersonChange, PersonId,
    Room, Timestamp,
};
use sticheln_rules::Sticheln;

use crate::clients::{TestRoom, token};

/// The depth of the search in steps. `DEPTH=6` searches deeper.
fn depth() -> usize {
    let depth = std::env::var("DEPTH").ok();
    depth.map_or(5, |depth| depth.parse().expect("DEPTH is a number"))
}
/// The tokens. One person may have several.
const TOKENS: [&str; 4] = ["Ann", "Abe", "Bob", "Bea"];
const SEATS: u8 = 3;
/// The time after which a bot may stand in for an absent person.
const LONG_ABSENCE: Duration = Duration::from_secs(40);

/// A step of the model. The numbers are places in [`TOKENS`].
#[derive(Clone, Copy, Debug)]
enum Step {
    Sit(usize, u8),
    Stand(usize),
    Remove(usize, u8),
    /// The first is away for a while, and the second asks for a bot to stand in.
    StandIn(usize, usize),
    Back(usize),
    /// The first hands their seat over to the second.
    HandOver(usize, usize),
    /// The host ends the game and begins another.
    Deal(usize),
    /// The first, who has no seat, asks to see the hands, and all seats but that of the second allow it. Then the host deals.
    DealWatched(usize, Option<usize>),
    /// The first loses their token, the second claims the seat, and all others agree.
    Claim(usize, usize),
    /// A token that was lost is found again.
    Return(usize),
}

fn steps() -> Vec<Step> {
    let tokens = 0..TOKENS.len();
    let mut steps = Vec::new();
    for one in tokens.clone() {
        steps.extend([Step::Stand(one), Step::Back(one), Step::Deal(one)]);
        steps.extend([Step::Return(one), Step::DealWatched(one, None)]);
        for seat in 0..SEATS {
            steps.extend([Step::Sit(one, seat), Step::Remove(one, seat)]);
        }
        for other in tokens.clone().filter(|other| *other != one) {
            steps.extend([Step::StandIn(one, other), Step::HandOver(one, other)]);
            steps.extend([Step::Claim(one, other), Step::DealWatched(one, Some(other))]);
        }
    }
    steps
}

/// The part of a `room` message that the model reads.
#[derive(Deserialize)]
struct SentRoom {
    you: SentYou,
    table: SentTable,
}

#[derive(Deserialize)]
struct SentTable {
    chairs: Vec<SentChair>,
}

#[derive(Clone, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct SentChair {
    kind: String,
    #[serde(default)]
    stood_in: bool,
    #[serde(default)]
    waits_for_deal: bool,
}

#[derive(Deserialize)]
struct SentYou {
    seat: Option<u8>,
    host: bool,
    spectator: Option<u32>,
}

/// The part of a `game` message that the model reads.
#[derive(Deserialize)]
struct SentGame {
    view: SentView,
}

#[derive(Deserialize)]
struct SentView {
    seat: Option<u8>,
    own: Option<IgnoredAny>,
    hands: Option<Vec<IgnoredAny>>,
}

/// The history of hands since the last deal, as it follows from the steps and not from the room.
#[derive(Clone, Default)]
struct DealtHands {
    /// The seat to which a hand was dealt while a token held it, or whose hand a token received by handover. A claim does not
    /// count. A token that gets its claimed seat back receives it as by handover.
    allowed: BTreeMap<usize, u8>,
    /// The seat that belonged to a token before it was claimed.
    former: BTreeMap<usize, u8>,
    /// The token that is lost. It has no connection.
    lost: Option<usize>,
    /// The token that may see all hands of this round.
    watcher: Option<usize>,
}

/// A token: its seat, whether it is the host's, the seat whose hand it may see, the seat that it may get back, whether it
/// is lost, and whether it may see all hands.
type TokenKey = (Option<u8>, bool, Option<u8>, Option<u8>, bool, bool);

/// The chairs and the tokens. The tokens are sorted: the rules of a room treat all people alike, so states that differ only
/// in their names are one state.
type Key = (Vec<SentChair>, [TokenKey; 4]);

/// The chair of each token, and whether it is the host's.
type Seating = [(Option<u8>, bool); 4];

/// A room with all four tokens connected.
struct Walk {
    inner: Room<Sticheln>,
    now: Timestamp,
    log: Vec<Entry<Sticheln>>,
    names: BTreeMap<PersonId, Name>,
    ids: u64,
    conns: u64,
    conn: [ConnId; 4],
    /// The newest `room` message of each token. Only these are encoded and read, which takes less time than to read each
    /// message.
    rooms: [Option<Outgoing>; 4],
    /// The token to which the newest `room` message was sent.
    newest_room: usize,
    /// The newest `game` message of each token since it joined.
    games: [Option<Outgoing>; 4],
    round: DealtHands,
}

impl Walk {
    /// Reads a room back, and connects everybody but a token that is lost.
    fn woken(
        log: &[Entry<Sticheln>],
        names: &BTreeMap<PersonId, Name>,
        round: &DealtHands,
    ) -> Self {
        let now = log.last().unwrap().at;
        let mut number = 0_u8;
        let entropy = Entropy::new(move || {
            number = number.wrapping_add(1);
            [number; 32]
        });
        let persons = names.clone();
        let inner = Room::wake("k7qm2x4p", now, None, log.to_vec(), persons, entropy).unwrap();
        let mut walk = Self {
            inner,
            now,
            log: log.to_vec(),
            names: names.clone(),
            ids: log.len() as u64 * 100,
            conns: 0,
            conn: [ConnId(0); 4],
            rooms: Default::default(),
            newest_room: 0,
            games: Default::default(),
            round: round.clone(),
        };
        walk.reconnect();
        walk
    }

    /// Whether a token is not lost.
    fn is_there(&self, token_index: usize) -> bool {
        self.round.lost != Some(token_index)
    }

    fn join(&mut self, token_index: usize) {
        self.conns += 1;
        self.conn[token_index] = ConnId(self.conns);
        self.games[token_index] = None;
        let address = [192, 0, 2, token_index as u8].into();
        self.handle(Input::Connect(
            self.conn[token_index],
            address,
            sticheln_room::ProtocolVersion::FIRST,
        ));
        let hello = json!({"type": "hello", "token": token(TOKENS[token_index])});
        assert!(
            self.send_command(token_index, hello).0,
            "everybody is let in"
        );
    }

    /// Returns the answers, and the tokens to which they were sent.
    fn handle(&mut self, input: Input<Sticheln>) -> Vec<(usize, Outgoing)> {
        let mut answers = Vec::new();
        let outputs = self.inner.handle(self.now, input);
        for unsaved in outputs.entries {
            self.log.push(unsaved.entry);
            for change in unsaved.persons {
                match change {
                    PersonChange::Named(id, name) => self.names.insert(id, name),
                    PersonChange::Left(id) => self.names.remove(&id),
                };
            }
        }
        for effect in outputs.effects {
            match effect {
                Effect::Send(conn, outgoing) => {
                    let Some(token_index) = self.conn.iter().position(|other| *other == conn)
                    else {
                        continue;
                    };
                    match outgoing {
                        Outgoing::Room(_) => {
                            self.rooms[token_index] = Some(outgoing);
                            self.newest_room = token_index;
                        }
                        Outgoing::Game(_) => self.games[token_index] = Some(outgoing),
                        Outgoing::Reliable(_) => answers.push((token_index, outgoing)),
                        Outgoing::Talk(_) | Outgoing::Sheet(_) => {}
                    }
                }
                Effect::Close(..)
                | Effect::MarkAdmitted(..)
                | Effect::CountRefusal(_)
                | Effect::VerifyPassword(..)
                | Effect::HashPassword(..)
                | Effect::ReadRoundLog(..)
                | Effect::ListGames(..)
                | Effect::Search(..) => {}
            }
        }
        answers
    }

    /// The newest `room` message of a token.
    fn sent_room(&self, token_index: usize) -> SentRoom {
        let outgoing = self.rooms[token_index].as_ref();
        let text = outgoing.expect("everybody was sent a room").text();
        serde_json::from_str(&text).unwrap()
    }

    fn seating(&self) -> Seating {
        [0, 1, 2, 3].map(|token_index| {
            if !self.is_there(token_index) {
                return (None, false);
            }
            let SentYou { seat, host, .. } = self.sent_room(token_index).you;
            (seat, host)
        })
    }

    /// The seat whose hand a token was sent last.
    fn hand(&self, token_index: usize) -> Option<u8> {
        let text = self.games[token_index].as_ref()?.text();
        let SentGame { view } = serde_json::from_str(&text).unwrap();
        view.own.and(view.seat)
    }

    /// The number of hands that a token was sent last as a spectator who may see all of them.
    fn all_hands(&self, token_index: usize) -> Option<usize> {
        let text = self.games[token_index].as_ref()?.text();
        let SentGame { view } = serde_json::from_str(&text).unwrap();
        Some(view.hands?.len())
    }

    /// Sends a message. Returns whether it was granted, and what else the sender was sent.
    fn send_command(&mut self, token_index: usize, mut message: Value) -> (bool, Vec<Value>) {
        self.ids += 1;
        let id = self.ids.to_string();
        message["id"] = json!(id);
        let answers = self.handle(Input::Message(
            self.conn[token_index],
            ClientRequest::read(&message.to_string()),
        ));
        let answers = answers.iter().filter(|(to, _)| *to == token_index);
        let sent: Vec<Value> = answers
            .map(|(_, answer)| serde_json::from_str(&answer.text()).unwrap())
            .collect();
        let is_granted = sent.iter().any(|message| message["type"] == "ok");
        (is_granted, sent)
    }

    /// Does a step. Returns `false` if it is refused or impossible.
    fn step(&mut self, step: Step) -> bool {
        let (one, other) = match step {
            Step::Return(one) => return self.find_token(one),
            Step::Sit(one, _) | Step::Remove(one, _) => (one, one),
            Step::Stand(one) | Step::Back(one) | Step::Deal(one) => (one, one),
            Step::DealWatched(one, other) => (one, other.unwrap_or(one)),
            Step::StandIn(one, other) | Step::HandOver(one, other) | Step::Claim(one, other) => {
                (one, other)
            }
        };
        if !self.is_there(one) || !self.is_there(other) {
            return false;
        }
        match step {
            Step::Return(_) => unreachable!("it is handled above"),
            Step::Claim(old, claimant) => self.claim(old, claimant),
            Step::DealWatched(one, refuser) => self.deal_watched(one, refuser),
            Step::Sit(one, seat) => {
                let sit = json!({"type": "sit", "name": TOKENS[one], "seat": seat});
                self.send_command(one, sit).0
            }
            Step::Stand(one) => {
                let seat = self.sent_room(one).you.seat;
                self.round.former.retain(|_, former| Some(*former) != seat);
                self.send_command(one, json!({"type": "stand"})).0
            }
            Step::Remove(one, seat) => {
                let is_removed = self
                    .send_command(one, json!({"type": "remove", "seat": seat}))
                    .0;
                if is_removed {
                    self.round.former.retain(|_, former| *former != seat);
                    let lift = json!({"type": "configure", "waiting_room": false});
                    self.send_command(one, lift);
                    self.reconnect();
                }
                is_removed
            }
            Step::StandIn(away, one) => {
                let Some(seat) = self.sent_room(away).you.seat else {
                    return false;
                };
                self.handle(Input::Disconnect(self.conn[away]));
                self.now = self.now.after(LONG_ABSENCE);
                self.handle(Input::Tick);
                let is_done = self
                    .send_command(one, json!({"type": "stand_in", "seat": seat}))
                    .0;
                self.join(away);
                is_done
            }
            Step::Back(one) => self.send_command(one, json!({"type": "back"})).0,
            Step::HandOver(one, other) => {
                let seat = self.sent_room(one).you.seat;
                let (_, sent) = self.send_command(one, json!({"type": "handover"}));
                let mut codes = sent.iter().filter_map(|message| message.get("code"));
                let Some(code) = codes
                    .next()
                    .filter(|code| code.as_str().unwrap().len() == 8)
                else {
                    return false;
                };
                let handover = json!({"type": "handover", "code": code});
                let is_done = self.send_command(other, handover).0;
                if is_done {
                    let seat = seat.expect("a seat was handed over");
                    if self.round.allowed.get(&one) == Some(&seat) {
                        self.round.allowed.entry(other).or_insert(seat);
                    }
                    self.reconnect();
                }
                is_done
            }
            Step::Deal(host) => self.deal(host),
        }
    }

    fn deal(&mut self, host: usize) -> bool {
        // The game is over then, or was cleared because no round was scored.
        self.send_command(host, json!({"type": "end"}));
        self.send_command(host, json!({"type": "return_to_lobby"}));
        let is_done = self.send_command(host, json!({"type": "start"})).0;
        if is_done {
            let seats = self.seating().into_iter().enumerate();
            let seated = seats.filter_map(|(token_index, (seat, _))| Some((token_index, seat?)));
            self.round.allowed = seated.collect();
            self.round.watcher = None;
        }
        is_done
    }

    /// Everybody with a seat but the refuser allows a spectator to see their hands, and the host deals.
    fn deal_watched(&mut self, watcher: usize, refuser: Option<usize>) -> bool {
        let seating = self.seating();
        let host = seating.iter().position(|(_, is_host)| *is_host);
        let refuses = |one: usize| seating[one].0.is_some();
        let (Some(host), true) = (host, refuser.is_none_or(refuses)) else {
            return false;
        };
        let rename = json!({"type": "rename", "name": "Watcher"});
        let asks = seating[watcher].0.is_none()
            && self.send_command(watcher, rename).0
            && (self.send_command(watcher, json!({"type": "watch_hands", "watch": true}))).0;
        if !asks {
            return false;
        }
        let number = self.sent_room(watcher).you.spectator;
        let outgoing = self.rooms[watcher].as_ref();
        let room: Value = serde_json::from_str(&outgoing.unwrap().text()).unwrap();
        let spectators = room["table"]["spectators"].as_array().unwrap();
        let listed = spectators
            .iter()
            .find(|one| one["spectator"] == json!(number));
        let request = &listed.unwrap()["request"];
        let answer = json!({"type": "allow_watching", "request": request, "allow": true});
        for one in (0..TOKENS.len()).filter(|one| seating[*one].0.is_some()) {
            assert!(Some(one) == refuser || self.send_command(one, answer.clone()).0);
        }
        let is_done = self.deal(host);
        if is_done && refuser.is_none() {
            self.round.watcher = Some(watcher);
        }
        is_done
    }

    /// A token is lost, and the seat is claimed by another one.
    fn claim(&mut self, old: usize, claimant: usize) -> bool {
        let Some(seat) = self.sent_room(old).you.seat else {
            return false;
        };
        if self.round.lost.is_some() || self.sent_room(claimant).you.seat.is_some() {
            return false;
        }
        self.handle(Input::Disconnect(self.conn[old]));
        self.round.lost = Some(old);
        self.games[old] = None;
        self.now = self.now.after(LONG_ABSENCE);
        let outgoing = self.rooms[claimant].as_ref();
        let room: Value = serde_json::from_str(&outgoing.unwrap().text()).unwrap();
        let name = &room["table"]["chairs"][usize::from(seat)]["name"];
        self.send_command(claimant, json!({"type": "claim", "name": name}));
        let outgoing = self.rooms[claimant].as_ref();
        let room: Value = serde_json::from_str(&outgoing.unwrap().text()).unwrap();
        let claim = &room["table"]["claims"][0]["claim"];
        let agree = json!({"type": "answer_claim", "claim": claim, "agree": true});
        for other in (0..TOKENS.len()).filter(|other| *other != old && *other != claimant) {
            self.send_command(other, agree.clone());
        }
        let is_done = self.sent_room(claimant).you.seat == Some(seat);
        if !is_done {
            self.round.lost = None;
            self.join(old);
        } else if !self.round.former.values().any(|former| *former == seat) {
            self.round.former.insert(old, seat);
        }
        is_done
    }

    /// A token that was lost is found again. If the seat was claimed meanwhile, it gets it back.
    fn find_token(&mut self, one: usize) -> bool {
        if self.is_there(one) {
            return false;
        }
        let seating = self.seating();
        self.round.lost = None;
        self.join(one);
        if let Some(seat) = self.round.former.remove(&one) {
            let holder = seating.iter().position(|(held, _)| *held == Some(seat));
            let holder = holder.expect("somebody has claimed the seat");
            if self.round.allowed.get(&holder) == Some(&seat) {
                self.round.allowed.entry(one).or_insert(seat);
            }
            assert_eq!(self.sent_room(one).you.seat, Some(seat), "it wins");
        }
        true
    }

    /// Connects everybody again: some may have been disconnected.
    fn reconnect(&mut self) {
        for token_index in (0..TOKENS.len())
            .filter(|one| self.is_there(*one))
            .collect::<Vec<_>>()
        {
            self.join(token_index);
        }
    }

    /// Checks that everybody is sent the hand that they may see, and no other. Returns the number of hands.
    fn judge(&self, seating: &Seating, path: &[Step]) -> usize {
        let mut hands = 0;
        for (token_index, name) in TOKENS.iter().enumerate() {
            let allowed = self.round.allowed.get(&token_index).copied();
            let expected = seating[token_index].0.filter(|seat| Some(*seat) == allowed);
            let hand = self.hand(token_index);
            assert_eq!(hand, expected, "{name} after {path:?}");
            hands += usize::from(hand.is_some());
            let may_see_all = self.round.watcher == Some(token_index);
            let all = may_see_all.then_some(usize::from(SEATS));
            assert_eq!(self.all_hands(token_index), all, "{name} after {path:?}");
            let has_seat = seating[token_index].0.is_some();
            assert!(!may_see_all || !has_seat, "{name} sits after {path:?}");
        }
        hands
    }

    /// The part of the state on which hands depend. The progress of the round does not matter.
    fn key(&self, seating: Seating) -> Key {
        let SentTable { chairs } = self.sent_room(self.newest_room).table;
        let mut people = [0, 1, 2, 3].map(|token_index| {
            let (seat, is_host) = seating[token_index];
            let allowed = self.round.allowed.get(&token_index).copied();
            let former = self.round.former.get(&token_index).copied();
            let is_lost = !self.is_there(token_index);
            let sees_all = self.round.watcher == Some(token_index);
            (seat, is_host, allowed, former, is_lost, sees_all)
        });
        people.sort_unstable();
        (chairs, people)
    }
}

/// Breadth-first search over all states that four tokens reach in five steps, each in a room that is read back from its
/// log. Each token is sent only the hand that was dealt or handed over to it, or all hands if all seats have allowed it before
/// the deal. Such a token gets no seat in the round.
#[test]
fn no_second_hand_is_sent_in_a_round() {
    let mut room: TestRoom = TestRoom::new(usize::from(SEATS), 1);
    let ann = room.join_and_sit(TOKENS[0]);
    room.join_and_sit(TOKENS[2]);
    assert_eq!(
        room.send_command(ann, json!({"type": "add_bot", "level": "normal"})),
        "ok"
    );
    assert_eq!(room.send_command(ann, json!({"type": "start"})), "ok");
    let round = DealtHands {
        allowed: [(0, 0), (2, 1)].into(),
        ..DealtHands::default()
    };

    let (steps, depth) = (steps(), depth());
    let first = Walk::woken(&room.log, &room.names, &round);
    let mut known = BTreeSet::from([first.key(first.seating())]);
    let mut waiting = VecDeque::from([(room.log, room.names, round, Vec::new())]);
    let (mut tried, mut hands, mut claims, mut watched) = (0_u64, 0, 0, 0);
    while let Some((log, names, round, path)) = waiting.pop_front() {
        let mut fresh = None;
        for step in &steps {
            tried += 1;
            let woken = || Walk::woken(&log, &names, &round);
            let mut walk = fresh.take().unwrap_or_else(woken);
            if !walk.step(*step) {
                // A refused message changes nothing, so the next step can be taken from here.
                fresh = (walk.now == log.last().unwrap().at).then_some(walk);
                continue;
            }
            let mut path = path.clone();
            path.push(*step);
            claims += u32::from(matches!(step, Step::Claim(..)));
            watched += u32::from(walk.round.watcher.is_some());
            let seating = walk.seating();
            hands += walk.judge(&seating, &path);
            if known.insert(walk.key(seating)) && path.len() < depth {
                waiting.push_back((walk.log, walk.names, walk.round, path));
            }
        }
    }
    println!("{} states, {tried} steps, {hands} hands sent", known.len());
    assert!(known.len() > 1_500, "the walk goes somewhere");
    assert!(hands > 1000, "hands are sent");
    assert!(claims > 100, "{claims} claims");
    assert!(watched > 100, "{watched} steps in a watched round");
}

/// A room of three in its first round: Ann is host, Bob has left during it, and a bot has his chair.
fn left_by_bob() -> (TestRoom, Vec<ConnId>) {
    let (mut room, conns) = TestRoom::with_started_game(&["Ann", "Bob", "Cem"], 1);
    assert!(room.everybody_acts(&conns), "all pick");
    assert_eq!(room.send_command(conns[1], json!({"type": "stand"})), "ok");
    (room, conns)
}

/// The chair with this number in the newest `room` message.
fn chair(room: &mut TestRoom, conn: ConnId, seat: usize) -> Value {
    let newest = room.received(conn, "room").pop().expect("it has changed");
    newest["table"]["chairs"][seat].clone()
}

#[test]
fn a_chair_taken_in_the_middle_of_a_round_comes_with_a_hand_at_the_next_deal() {
    let (mut room, conns) = left_by_bob();
    let eve = room.join("Eve");
    room.received(eve, "game");
    let sit = json!({"type": "sit", "name": "Eve", "seat": 1});
    assert_eq!(room.send_command(eve, sit), "ok");
    let taken = chair(&mut room, eve, 1);
    assert_eq!([&taken["stood_in"], &taken["waits_for_deal"]], [true, true]);
    let seen = room.take_view(eve).unwrap();
    assert_eq!([&seen.view["seat"], &seen.view["own"]], [&Value::Null; 2]);
    assert!(seen.legal.is_empty());
    let act = json!({"type": "act", "action": {"type": "play", "card": "red-1"}});
    assert_eq!(room.send_command(eve, act), "waits_for_deal");
    assert_eq!(
        room.send_command(eve, json!({"type": "back"})),
        "waits_for_deal"
    );
    let stand_in = json!({"type": "stand_in", "seat": 1});
    assert_eq!(room.send_command(conns[0], stand_in), "stood_in");

    // The bot plays the round to its end, and all are ready. Nobody was sent the hand of the chair meanwhile.
    while room.inner.next_tick_at().is_some() || room.everybody_acts(&[conns[0], conns[2]]) {
        room.wait(Duration::from_secs(2));
        room.everybody_acts(&[conns[0], conns[2]]);
        let games = room.received(eve, "game");
        if games
            .iter()
            .any(|game| game["view"]["table"]["phase"] == "round_end")
        {
            break;
        }
        assert!(games.iter().all(|game| game["view"]["own"].is_null()));
    }
    for conn in [conns[0], eve, conns[2]] {
        assert_eq!(
            room.send_command(conn, json!({"type": "ready", "ready": true})),
            "ok"
        );
    }
    let seen = room.take_view(eve).unwrap();
    assert_eq!(seen.view["seat"], 1);
    assert_eq!(seen.view["own"]["hand"].as_array().unwrap().len(), 15);
    assert!(!seen.legal.is_empty());
    let taken = chair(&mut room, eve, 1);
    assert_eq!(
        [&taken["stood_in"], &taken["waits_for_deal"]],
        [&json!(false), &Value::Null]
    );
}

#[test]
fn the_owner_of_a_hand_comes_back_to_it_in_the_same_round() {
    let (mut room, conns) = left_by_bob();
    let hand = room.take_view(conns[1]).unwrap();
    assert!(hand.view["own"].is_null(), "a spectator is sent no hand");
    // Without a seat in the command he gets his own chair, also after a restart.
    room.restart();
    let bob = room.join("Bob");
    assert_eq!(
        room.send_command(bob, json!({"type": "sit", "name": "Bob"})),
        "ok"
    );
    let seen = room.take_view(bob).unwrap();
    assert_eq!(seen.view["seat"], 1);
    assert_eq!(seen.view["own"]["hand"].as_array().unwrap().len(), 14);
    assert_eq!(chair(&mut room, bob, 1).get("waits_for_deal"), None);
}

#[test]
fn a_hand_is_handed_over_only_by_somebody_whom_it_was_sent_to() {
    let (mut room, _) = left_by_bob();
    let eve = room.join_and_sit("Eve");
    let take = room.offer_handover(eve);
    let fay = room.join("Fay");
    assert_eq!(room.send_command(fay, take), "ok");
    assert!(room.take_view(fay).unwrap().view["own"].is_null());
    // Fay waits for the next deal, as Eve did.
    assert_eq!(chair(&mut room, fay, 1)["waits_for_deal"], true);
}

/// The number of owners who may see a hand is bounded, and so is the memory for them.
#[test]
fn a_seat_that_was_handed_over_very_often_comes_with_a_hand_at_the_next_deal() {
    const RECEIVERS: usize = 64;

    let (mut room, conns) = TestRoom::with_started_game(&["Ann", "Bob", "Cem"], 1);
    let mut giver = conns[0];
    let mut hands = 0;
    for number in 0..RECEIVERS {
        let take = room.offer_handover(giver);
        let name: &'static str = format!("D{number}").leak();
        let receiver = room.join(name);
        assert_eq!(room.send_command(receiver, take), "ok");
        hands += usize::from(!room.take_view(receiver).unwrap().view["own"].is_null());
        room.disconnect(giver);
        giver = receiver;
    }
    // It was dealt to Ann, and received until 64 owners had seen it.
    assert_eq!(hands, 63);
    assert_eq!(chair(&mut room, giver, 0)["waits_for_deal"], true);
}
