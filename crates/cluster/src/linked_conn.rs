//! A connection of a gateway to a room.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::net::IpAddr;

use serde::Deserialize;
use sticheln_protocol::ClientMessage;
use sticheln_room::{
    AdmissionRecord, ClientRequest, ConnId, Hello, MAX_IDS_PER_OWNER, OutgoingGame,
    ProtocolVersion, RequestContent,
};

use crate::{ConnEvent, SeenRev};

/// The most messages of a connection that are kept until they are answered. They are sent again, so the room must remember the ids of
/// as many.
pub(crate) const MAX_UNANSWERED: usize = MAX_IDS_PER_OWNER;

/// A connection of this gateway.
pub(crate) struct LinkedConn {
    address: IpAddr,
    protocol: ProtocolVersion,
    /// The `hello` that was accepted, with its id. A client that has one is admitted.
    hello: Option<(String, Hello)>,
    /// The record of the admission.
    admission: Option<AdmissionRecord>,
    /// Whether the accepted `hello` is not answered in this session.
    awaits_hello: bool,
    /// The last `game` for the client.
    game: Option<OutgoingGame>,
    /// Whether that `game` is of this session.
    is_game_current: bool,
    /// The messages that are not answered, and those that wait for a session or for the answer to `hello`. They are in the order of
    /// arrival.
    unanswered: VecDeque<Unanswered>,
}

/// A message that is not answered.
struct Unanswered {
    request: ClientRequest,
    /// The last `game` when it came.
    game: Option<OutgoingGame>,
}

/// The part of an answer that a gateway reads.
#[derive(Deserialize)]
struct AnswerHead<'a> {
    #[serde(rename = "type", borrow)]
    kind: &'a str,
    #[serde(default, borrow)]
    id: Option<AnswerId<'a>>,
}

/// The id in an answer. It is not borrowed if the text of the answer has escapes in it.
#[derive(Deserialize)]
struct AnswerId<'a>(#[serde(borrow)] Cow<'a, str>);

/// The handling of a reliable message to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerHandling {
    /// The client gets it.
    Forward,
    /// The client does not get it: it answers a `hello` that the gateway has sent again. Messages may wait for it.
    Readmitted,
    /// The client gets it: it was admitted before, and has to wait for the host now.
    AwaitsHost,
    /// The client was admitted before, and is refused now.
    ReadmissionRefused,
}

impl LinkedConn {
    pub(crate) fn new(address: IpAddr, protocol: ProtocolVersion) -> Self {
        Self {
            address,
            protocol,
            hello: None,
            admission: None,
            awaits_hello: false,
            game: None,
            is_game_current: false,
            unanswered: VecDeque::new(),
        }
    }

    /// The number of messages that are kept.
    pub(crate) fn unanswered(&self) -> usize {
        self.unanswered.len()
    }

    /// Keeps a message of the client until it is answered. Returns the message if it is to be sent now; an error if too many are
    /// unanswered. `has_session` says whether there is a session in which it could be sent.
    pub(crate) fn keep(
        &mut self,
        request: ClientRequest,
        has_session: bool,
    ) -> Result<Option<ClientRequest>, ()> {
        if self.is_repeated_hello(&request) {
            // It shares the answer.
            return Ok(None);
        }
        let waits = !has_session || self.awaits_hello;
        // A message without an id has an answer without one.
        if request.id.is_some() || waits {
            if self.unanswered.len() >= MAX_UNANSWERED {
                return Err(());
            }
            self.unanswered.push_back(Unanswered {
                request: request.clone(),
                game: self.game.clone(),
            });
        }
        Ok((!waits).then_some(request))
    }

    /// Whether a message is a `hello` with the id of one that is not answered.
    fn is_repeated_hello(&self, request: &ClientRequest) -> bool {
        let is_same = |kept: &Unanswered| kept.is_hello() && kept.request.id == request.id;
        let is_hello = matches!(request.content, RequestContent::Hello(_));
        is_hello && request.id.is_some() && self.unanswered.iter().any(is_same)
    }

    /// Notes the record of the admission. The answer to the `hello` says which one was accepted.
    pub(crate) fn admit(&mut self, record: AdmissionRecord) {
        self.admission = Some(record);
    }

    /// Whether the connection was admitted, and no new session can say for whom: the client has sent another message with the id of
    /// its `hello`.
    pub(crate) fn has_lost_hello(&self) -> bool {
        let may_say_hello =
            self.hello.is_some() || self.unanswered.iter().any(Unanswered::is_hello);
        self.admission.is_some() && !may_say_hello
    }

    /// Adds the first connection events of a new session. `seen` is the revision that the client has seen. Messages of an admitted client wait until
    /// its `hello` is answered.
    pub(crate) fn first_conn_events(
        &mut self,
        conn: ConnId,
        seen: Option<SeenRev>,
        conn_events: &mut Vec<ConnEvent>,
    ) {
        conn_events.push(ConnEvent::Connect(conn, self.address, self.protocol));
        self.is_game_current = false;
        self.awaits_hello = self.hello.is_some();
        let Some((id, hello)) = &mut self.hello else {
            // The record would be that of a `hello` whose answer was lost.
            self.admission = None;
            // The room refuses all but a `hello`.
            self.send_unanswered(conn, conn_events);
            return;
        };
        // A client that has seen no event yet has seen those of its `hello`.
        let (rev, generation) = match seen {
            Some(seen) => (seen.rev, Some(seen.generation)),
            None => (hello.rev.unwrap_or(0), hello.generation),
        };
        hello.rev = Some(rev);
        hello.generation = generation.filter(|generation| *generation > 0);
        let hello = Hello {
            earlier_admission: self.admission,
            ..hello.clone()
        };
        let request = hello_request(id.clone(), hello);
        conn_events.push(ConnEvent::Message(conn, request));
    }

    /// Lets the client wait for the host. It is not admitted any more, so its `hello` is a message without an answer, and the room
    /// refuses the messages that have waited.
    pub(crate) fn await_host(&mut self, conn: ConnId, conn_events: &mut Vec<ConnEvent>) {
        self.repeat_unanswered(conn, conn_events);
        self.admission = None;
        if let Some((id, hello)) = self.hello.take() {
            self.unanswered.push_front(Unanswered {
                request: hello_request(id, hello),
                game: None,
            });
        }
    }

    /// Sends the unanswered messages of an admitted client again, once it has the state of the room. A message that the client
    /// itself would not send again is marked as outdated, so the room does not execute it (`docs/wire/delivery.md`, section
    /// *Repetition*).
    pub(crate) fn repeat_unanswered(&mut self, conn: ConnId, conn_events: &mut Vec<ConnEvent>) {
        let game = self.game.as_ref().filter(|_| self.is_game_current);
        for unanswered in &mut self.unanswered {
            unanswered.request.is_outdated |= !unanswered.may_repeat(game);
        }
        self.send_unanswered(conn, conn_events);
    }

    fn send_unanswered(&mut self, conn: ConnId, conn_events: &mut Vec<ConnEvent>) {
        let requests = self.unanswered.iter().map(|kept| kept.request.clone());
        conn_events.extend(requests.map(|request| ConnEvent::Message(conn, request)));
        self.unanswered.retain(|kept| kept.request.id.is_some());
    }

    /// Records a `game` for the client.
    pub(crate) fn record_game(&mut self, game: &OutgoingGame) {
        self.game = Some(game.clone());
        self.is_game_current = true;
    }

    /// Notes a reliable message to the client. It may be an answer.
    pub(crate) fn record_answer(&mut self, text: &str) -> AnswerHandling {
        let Ok(AnswerHead { kind, id }) = serde_json::from_str(text) else {
            return AnswerHandling::Forward;
        };
        let (is_ok, AnswerId(id)) = match (kind, id) {
            ("ok", Some(id)) => (true, id),
            ("refused", Some(id)) => (false, id),
            ("waiting", None) if self.awaits_hello => {
                self.awaits_hello = false;
                return AnswerHandling::AwaitsHost;
            }
            _ => return AnswerHandling::Forward,
        };
        let is_accepted = self.hello.as_ref().is_some_and(|(hello, _)| *hello == id);
        if is_accepted && self.awaits_hello {
            self.awaits_hello = false;
            return match is_ok {
                true => AnswerHandling::Readmitted,
                false => AnswerHandling::ReadmissionRefused,
            };
        }
        if is_ok && self.hello.is_none() {
            let mut hellos = self.unanswered.iter().filter_map(Unanswered::hello);
            self.hello = hellos.find(|(hello, _)| *hello == id);
        }
        self.unanswered
            .retain(|kept| kept.request.id.as_deref() != Some(&*id));
        AnswerHandling::Forward
    }
}

/// The message with this `hello`.
fn hello_request(id: String, hello: Hello) -> ClientRequest {
    ClientRequest {
        id: Some(id),
        content: RequestContent::Hello(hello),
        is_outdated: false,
    }
}

impl Unanswered {
    fn is_hello(&self) -> bool {
        matches!(self.request.content, RequestContent::Hello(_))
    }

    /// The `hello` with its id, if it is one.
    fn hello(&self) -> Option<(String, Hello)> {
        match (&self.request.id, &self.request.content) {
            (Some(id), RequestContent::Hello(hello)) => Some((id.clone(), hello.clone())),
            _ => None,
        }
    }

    /// Whether the room may execute the message in a later session, in which this is the last `game`. If not, it could concern
    /// another decision, another person or another game.
    fn may_repeat(&self, game: Option<&OutgoingGame>) -> bool {
        let RequestContent::Command(command) = &self.request.content else {
            // The room refuses it in any case.
            return true;
        };
        match command {
            ClientMessage::Act { .. } => match (&self.game, game) {
                (Some(before), Some(now)) => before.has_same_decision(now),
                _ => false,
            },
            ClientMessage::Back {}
            | ClientMessage::Chat { .. }
            | ClientMessage::ChooseCharacter { .. }
            | ClientMessage::Claim { .. }
            | ClientMessage::Configure(_)
            | ClientMessage::Games {}
            | ClientMessage::Handover { .. }
            | ClientMessage::Hello { .. }
            | ClientMessage::Ping {}
            | ClientMessage::Queue { .. }
            | ClientMessage::Rename { .. }
            | ClientMessage::RoundLog { .. }
            | ClientMessage::Sit { .. }
            | ClientMessage::Stand {} => true,
            ClientMessage::AddBot { .. }
            | ClientMessage::Admit { .. }
            | ClientMessage::AgreeToEnd { .. }
            | ClientMessage::AllowWatching { .. }
            | ClientMessage::AnswerClaim { .. }
            | ClientMessage::AskHost {}
            | ClientMessage::End {}
            | ClientMessage::GiveHost { .. }
            | ClientMessage::Hold {}
            | ClientMessage::MoreTime {}
            | ClientMessage::MuteSpectator { .. }
            | ClientMessage::Nudge { .. }
            | ClientMessage::Pause {}
            | ClientMessage::React { .. }
            | ClientMessage::Ready { .. }
            | ClientMessage::Rematch {}
            | ClientMessage::Remove { .. }
            | ClientMessage::RemoveSpectator { .. }
            | ClientMessage::Resume {}
            | ClientMessage::ReturnToLobby {}
            | ClientMessage::SetBot { .. }
            | ClientMessage::StandIn { .. }
            | ClientMessage::Start {}
            | ClientMessage::Swap { .. }
            | ClientMessage::WatchHands { .. } => false,
        }
    }
}
