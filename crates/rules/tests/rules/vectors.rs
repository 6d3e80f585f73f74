//! The conformance vectors. `tests/vectors/README.md` describes the format; a small reader for each
//! kind checks its cases.

mod nyet;
mod sticheln;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sticheln_protocol::{ActionError, read_action};
use sticheln_rules::{Card, Event, Game, Illegal, Scored, Seat, State, Status};

/// The folder of the vectors. The variable `VECTORS` names another one.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors");

/// The folder of the workspace, to which a relative `VECTORS` is relative.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The format of the files.
const FORMAT: &str = "trick-rules-vectors/2";

/// Checks one case. Panics if the rules differ from it.
type Reader = fn(&Part, &Part);

/// All games and kinds.
const KINDS: [(&str, Reader); 17] = [
    ("sticheln deck", sticheln::deck),
    ("sticheln trick", sticheln::trick),
    ("sticheln score", sticheln::score),
    ("sticheln round", sticheln::round),
    ("sticheln game", sticheln::game),
    ("sticheln ranking", sticheln::ranking),
    ("sticheln error", sticheln::error),
    ("sticheln visibility", sticheln::visibility),
    ("nyet deck", nyet::deck),
    ("nyet board", nyet::board),
    ("nyet legal", nyet::legal),
    ("nyet trick", nyet::trick),
    ("nyet score", nyet::score),
    ("nyet round", nyet::round),
    ("nyet game", nyet::game),
    ("nyet error", nyet::error),
    ("nyet visibility", nyet::visibility),
];

#[test]
fn the_rules_agree_with_all_vectors() {
    let folder = match env::var_os("VECTORS") {
        Some(named) => Path::new(ROOT).join(named),
        None => PathBuf::from(FOLDER),
    };
    let mut checked = BTreeMap::<_, usize>::new();
    for path in json_files(&folder) {
        let (kind, cases) = check_file(&path);
        *checked.entry(kind).or_default() += cases;
    }
    assert!(!checked.is_empty(), "no vectors in {}", folder.display());
    for (kind, cases) in &checked {
        println!("{kind}: {cases} cases");
    }
    if folder == Path::new(FOLDER) {
        for (kind, _) in KINDS {
            assert!(checked.contains_key(kind), "no case of {kind}");
        }
    }
}

/// The JSON files of a folder, in the order of their names.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder can be read to its end").path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension() == Some("json".as_ref()))
        .collect();
    files.sort();
    files
}

/// Checks all cases of a file. Returns its game and kind, and the number of cases.
fn check_file(path: &Path) -> (&'static str, usize) {
    #[derive(Deserialize)]
    struct File {
        format: String,
        game: String,
        kind: String,
        cases: Vec<Case>,
    }

    let shown = path.display();
    let text = fs::read_to_string(path).unwrap_or_else(|why| panic!("{shown}: {why}"));
    let file: File = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{shown}: {why}"));
    assert_eq!(file.format, FORMAT, "the format of {shown}");
    let kind = format!("{} {}", file.game, file.kind);
    let (kind, reader) = KINDS
        .into_iter()
        .find(|(known, _)| *known == kind)
        .unwrap_or_else(|| panic!("{shown}: there is no reader for {kind}"));

    let mut cases = 0;
    for case in &file.cases {
        let _named = Naming { kind, case };
        reader(&case.input, &case.expect);
        cases += 1;
    }
    assert!(cases > 0, "{shown} has no case");
    (kind, cases)
}

/// One case. Other fields are ignored.
#[derive(Deserialize)]
struct Case {
    id: String,
    input: Part,
    expect: Part,
}

/// Prints the name of the case below the message of a panic.
struct Naming<'a> {
    kind: &'a str,
    case: &'a Case,
}

impl Drop for Naming<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("in {}, case {}", self.kind, self.case.id);
        }
    }
}

/// A part of a case: an object with keys.
#[derive(Deserialize)]
#[serde(transparent)]
struct Part(Value);

impl Part {
    /// The part as a value of type `T`.
    fn read<T: DeserializeOwned>(&self) -> T {
        T::deserialize(&self.0).unwrap_or_else(|why| panic!("{why}"))
    }

    /// The value of this key.
    fn at<T: DeserializeOwned>(&self, key: &str) -> T {
        T::deserialize(&self.0[key]).unwrap_or_else(|why| panic!("{key}: {why}"))
    }

    /// Whether the part has this key.
    fn has(&self, key: &str) -> bool {
        self.0.get(key).is_some()
    }

    /// Checks that the value of this key is `got`.
    fn check(&self, key: &str, got: impl Serialize) {
        expect_eq(key, self.0.get(key), &json!(got));
    }

    /// Checks that the value of this key is a list of the same entries as `got`, in any order.
    fn check_unordered(&self, key: &str, got: impl Serialize) {
        let expected = self.0.get(key).map(sorted);
        expect_eq(key, expected.as_ref(), &sorted(got));
    }
}

/// The comparison of all readers.
fn expect_eq(what: &str, expected: Option<&Value>, got: &Value) {
    let shown = expected.map_or_else(|| "nothing".to_owned(), Value::to_string);
    assert!(
        expected == Some(got),
        "{what}\n  expected: {shown}\n       got: {got}"
    );
}

/// A list, sorted by the texts of its entries; any other value unchanged.
fn sorted(list: impl Serialize) -> Value {
    let mut list = json!(list);
    if let Value::Array(entries) = &mut list {
        entries.sort_by_cached_key(Value::to_string);
    }
    list
}

/// An action of a seat, as a case writes it.
#[derive(Deserialize)]
struct Act {
    seat: Seat,
    #[serde(flatten)]
    action: Value,
}

/// A game that is played as a case says, with all its events.
struct Replay<G: Game> {
    state: State<G>,
    events: Vec<Event<G>>,
}

impl<G: Game> Replay<G> {
    fn new(options: G::Options, seats: usize, opening: Seat) -> Self {
        let state = State::new(options, seats, opening);
        Self {
            state: state.unwrap_or_else(|error| panic!("no such game: {error:?}")),
            events: Vec::new(),
        }
    }

    /// Deals a round with these hands.
    fn deal(&mut self, hands: &[Vec<Card>]) {
        let seats = self.state.seats();
        let sizes: Vec<_> = hands.iter().map(Vec::len).collect();
        assert_eq!(sizes, vec![G::hand_size(seats); seats.count()], "hands");

        let mut rest = self.state.pack();
        for card in hands.iter().flatten() {
            let at = rest.iter().position(|other| other == card);
            rest.remove(at.unwrap_or_else(|| panic!("{card} is dealt too often")));
        }
        self.deal_deck(&[hands.concat(), rest].concat());
    }

    /// Deals a round from this deck.
    fn deal_deck(&mut self, deck: &[Card]) {
        let events = self.state.deal(deck);
        self.events
            .extend(events.unwrap_or_else(|undealt| panic!("no round can be dealt: {undealt:?}")));
    }

    /// Plays an action that must be legal.
    fn play(&mut self, seat: Seat, action: Value) {
        let shown = action.to_string();
        self.attempt(seat, action)
            .unwrap_or_else(|illegal| panic!("{shown} is refused to seat {seat}: {illegal}"));
    }

    /// Tries an action that may be illegal or malformed.
    fn attempt(&mut self, seat: Seat, action: Value) -> Result<(), Illegal> {
        let action = read_action::<G>(&action).map_err(|error| match error {
            ActionError::Illegal(illegal) => illegal,
            ActionError::Malformed => panic!("{action} is not an action"),
        })?;
        self.events.extend(self.state.act(seat, action)?);
        Ok(())
    }

    /// Plays the cards of these tricks, each by the seat on turn.
    fn play_tricks(&mut self, tricks: &[Vec<Card>]) {
        for card in tricks.iter().flatten() {
            self.play(self.on_turn(), json!({ "type": "play", "card": card }));
        }
    }

    /// The first of the seats that can act.
    fn on_turn(&self) -> Seat {
        let to_act = self.state.view(None).to_act();
        *to_act.first().expect("a seat can act")
    }

    /// The public part of the round.
    fn table(&self) -> &G::Table {
        let table = self.state.view(None).table();
        table.expect("a round has been dealt")
    }

    /// The view and the legal actions of each seat and of a spectator, as JSON.
    fn views_as_json(&self) -> BTreeMap<Option<Seat>, String> {
        let observers = self.state.seats().iter().map(Some).chain([None]);
        let sight = |observer| {
            let view = self.state.view(observer);
            (observer, text(&(view, view.legal())))
        };
        observers.map(sight).collect()
    }
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("what can be sent has a text form")
}

/// Checks the scores of a game, its end after the last round, and the standings.
fn check_game<G: Game>(expect: &Part, game: &Replay<G>) {
    let mut scores = Vec::new();
    let mut over = None;
    for event in &game.events {
        match event {
            Event::RoundScored { scores: round, .. } => scores.push(round.map(Scored::points)),
            Event::GameOver(standings) => over = Some((scores.len(), standings)),
            Event::Dealt { .. } | Event::Fact(_) => {}
        }
    }
    expect.check("scores", &scores);
    expect.check("ended_after", over.map(|(rounds, _)| rounds));
    let (_, standings) = over.expect("a game is played to its end");
    assert_eq!(game.state.status(), Status::Over(standings.clone()));
    expect.check("totals", &standings.totals);
    expect.check("ranks", &standings.ranks);
    expect.check("winners", standings.winners().collect::<Vec<_>>());
}

/// Checks the outcome of the last action, and that a refused one changes nothing.
fn check_error<G: Game>(given: &Part, expect: &Part, mut game: Replay<G>) {
    #[derive(Deserialize)]
    struct Input {
        hands: Vec<Vec<Card>>,
        actions: Vec<Act>,
        then: Act,
    }

    let input: Input = given.read();
    game.deal(&input.hands);
    for act in input.actions {
        game.play(act.seat, act.action);
    }
    let before = (game.state.clone(), game.views_as_json());
    match game.attempt(input.then.seat, input.then.action) {
        Ok(()) => expect.check("ok", true),
        Err(illegal) => {
            expect.check("error", illegal.code());
            assert!(game.state == before.0, "a refusal has changed the state");
            assert_eq!(
                game.views_as_json(),
                before.1,
                "a refusal has changed a view"
            );
        }
    }
}

/// A view as its observer parses it.
#[derive(Deserialize)]
#[serde(bound = "")]
struct ViewOfObserver<G: Game> {
    table: G::Table,
    to_act: Vec<Seat>,
    seat: Option<Seat>,
    own: Option<G::Own>,
}

/// Checks one part of the expectation against one view.
type Look<G> = fn(&Part, &ViewOfObserver<G>);

/// Checks the public parts of all views with `public`, and the private part of each viewer with
/// `own`. Nothing that was sent to a viewer may name a card that is secret to them.
fn check_visibility<G: Game>(
    given: &Part,
    expect: &Part,
    mut game: Replay<G>,
    public: Look<G>,
    own: Look<G>,
) {
    #[derive(Deserialize)]
    struct Input {
        hands: Vec<Vec<Card>>,
        actions: Vec<Act>,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Viewer {
        Seat(Seat),
        Other(String),
    }

    let input: Input = given.read();
    game.deal(&input.hands);
    let mut sent = vec![game.views_as_json()];
    for act in input.actions {
        game.play(act.seat, act.action);
        sent.push(game.views_as_json());
    }
    let events = text(&game.events);
    let last = sent.last().expect("a deal was seen");
    let read = |text: &String| -> ViewOfObserver<G> {
        let (sight, _legal): (_, Vec<G::Action>) =
            serde_json::from_str(text).expect("what is sent can be read");
        sight
    };

    for text in last.values() {
        public(&expect.at("public"), &read(text));
    }
    for view in expect.at::<Vec<Part>>("views") {
        let viewer = match view.at("viewer") {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Other(name) => {
                assert_eq!(name, "spectator", "viewer");
                None
            }
        };
        let sight = read(&last[&viewer]);
        assert_eq!(sight.seat, viewer, "the seat of a view");
        own(&view, &sight);
        for card in view.at::<Vec<Card>>("secret") {
            // The quotes distinguish red-1 from red-10.
            let named = text(&card);
            let mut texts = sent
                .iter()
                .map(|views_as_json| &views_as_json[&viewer])
                .chain([&events]);
            let is_sent = texts.any(|text| text.contains(&named));
            assert!(!is_sent, "secret\n  {viewer:?} has been sent {card}");
        }
    }
}
