//! The samples, and the file `docs/wire/samples.json`.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde_json::Value;
use sticheln_protocol::ClientMessage;
use strum::VariantNames;

use crate::{check, http, scenes};

/// The request of the connection check.
pub const CONNECTION_CHECK: &str = "POST /api/connection-check";

/// A recorded message.
#[derive(Clone)]
pub struct Sample {
    /// The title, which is unique.
    pub title: &'static str,
    /// The scene to which it belongs. The samples of a scene are in the order of sending.
    pub scene: &'static str,
    /// The person whose connection it is.
    pub who: &'static str,
    pub from: From,
    /// The HTTP request, and the status if this is its response.
    pub request: Option<(&'static str, Option<u16>)>,
    /// The text, exactly as it was sent.
    pub text: String,
}

/// The sender of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum From {
    Client,
    Server,
}

impl Sample {
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.text).expect("messages are JSON")
    }

    /// The name of the definition in the schema that it must satisfy.
    pub fn definition(&self) -> &'static str {
        match (self.request, self.from) {
            (None, From::Client) => "ClientMessage",
            (None, From::Server) => "ServerMessage",
            (Some((CONNECTION_CHECK, _)), From::Client) => "ConnectionCheck",
            (Some(_), From::Client) => "OpenRoom",
            (Some((request, status)), From::Server) => match (request, status) {
                (CONNECTION_CHECK, Some(200)) => "ConnectionFindings",
                ("POST /api/rooms", Some(201)) => "RoomOpened",
                ("GET /api/rooms", Some(200)) => "RoomList",
                ("GET /api/rooms/{room}", Some(200)) => "RoomSummary",
                ("GET /api/games/{id}", Some(200)) => "GameReplay",
                ("GET /api/games/{id}/rounds/{round}", Some(200)) => "RoundReplay",
                (_, Some(400..)) => "ErrorBody",
                other => panic!("no definition for {other:?}"),
            },
        }
    }

    /// The direction of the message, or the HTTP request with the status of its response.
    pub fn sender(&self) -> String {
        let who = self.who;
        match (self.request, self.from) {
            (None, From::Client) => format!("{who} to the server"),
            (None, From::Server) => format!("The server to {who}"),
            (Some((request, None)), _) => request.to_owned(),
            (Some((request, Some(status))), _) => format!("{request}: {status}"),
        }
    }

    /// The sample as a line of the file.
    fn line(&self) -> String {
        let Self {
            title,
            scene,
            who,
            text,
            ..
        } = self;
        let from = match self.from {
            From::Client => "client",
            From::Server => "server",
        };
        let request = match self.request {
            None => String::new(),
            Some((request, None)) => format!(r#""request": "{request}", "#),
            Some((request, Some(status))) => {
                format!(r#""request": "{request}", "status": {status}, "#)
            }
        };
        format!(
            r#"{{"title": "{title}", "scene": "{scene}", "who": "{who}", "from": "{from}", {request}"message": {text}}}"#
        )
    }
}

/// All samples. The scenes are played once for all tests.
pub fn all() -> &'static [Sample] {
    static ALL: OnceLock<Vec<Sample>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut samples = http::play();
        samples.extend(scenes::play());
        let mut titles = BTreeSet::new();
        for sample in &samples {
            assert!(
                titles.insert(sample.title),
                "two samples have the title {}",
                sample.title
            );
        }
        samples
    })
}

#[test]
fn the_samples_are_current() {
    let lines: Vec<String> = all().iter().map(Sample::line).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    let read: Vec<Value> = serde_json::from_str(&text).expect("the file is JSON");
    assert_eq!(read.len(), all().len());
    check("docs/wire/samples.json", &text);
}

#[test]
fn every_message_type_has_a_sample() {
    let shown = |from| -> BTreeSet<String> {
        let samples = all()
            .iter()
            .filter(|sample| sample.from == from && sample.request.is_none());
        samples
            .filter_map(|sample| Some(sample.value()["type"].as_str()?.to_owned()))
            .collect()
    };
    let known = ClientMessage::VARIANTS.iter();
    let known: BTreeSet<String> = known.map(|name| (*name).to_owned()).collect();
    let mut of_client = shown(From::Client);
    // One sample is a message of an unknown type.
    of_client.remove("dance");
    assert_eq!(of_client, known);
    let of_server = [
        "chat",
        "closing",
        "game",
        "games",
        "handover",
        "notice",
        "nudged",
        "ok",
        "reacted",
        "refused",
        "room",
        "round_log",
        "sheet",
        "waiting",
        "welcome",
    ];
    assert_eq!(shown(From::Server), of_server.map(str::to_owned).into());
}

/// The targets of `docs/performance.md`, for a move at a table of four with the default options.
#[test]
fn the_messages_of_a_move_are_within_their_size_limits() {
    let size = |title| {
        all()
            .iter()
            .find(|sample| sample.title == title)
            .unwrap()
            .text
            .len()
    };
    let on_turn = size("game: a card was played, to the seat on turn");
    assert!(on_turn <= 1300, "{on_turn} bytes");
    let average = (on_turn + 3 * size("game: a card was played, to another seat")) / 4;
    assert!(average <= 750, "{average} bytes");
}
