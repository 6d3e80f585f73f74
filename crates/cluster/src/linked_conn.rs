//! A connection of a gateway to a room.

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
    /// The last `hello` with its id, unless it was refused.
    hello: Option<(String, Hello)>,
    /// Whether a `hello` was accepted in any session.
    is_admitted: bool,
    /// The record of the admission.
    admission: Option<AdmissionRecord>,
    /// Whether the `hello` is not answered in this session.
    awaits_hello: bool,
    /// The last `game` for the client.
    game: Option<OutgoingGame>,
    /// Whether that `game` is of this session.
    is_game_current: bool,
    /// The messages that are not answered, and those that wait for the answer to `hello`. They are in the order of arrival.
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
    id: Option<&'a str>,
}

/// The handling of a reliable message to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerHandling {
    /// The client gets it.
    Forward,
    /// The client does not get it: it answers a `hello` that the gateway has sent again. Messages may wait for it.
    Readmitted,
    /// The client was admitted before, and is refused now.
    ReadmissionRefused,
}

impl LinkedConn {
    pub(crate) fn new(address: IpAddr, protocol: ProtocolVersion) -> Self {
        Self {
            address,
            protocol,
            hello: None,
            is_admitted: false,
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
    /// unanswered.
    pub(crate) fn keep(&mut self, request: ClientRequest) -> Result<Option<ClientRequest>, ()> {
        if let (Some(id), RequestContent::Hello(hello), false) =
            (&request.id, &request.content, self.is_admitted)
        {
            self.hello = Some((id.clone(), hello.clone()));
            return Ok(Some(request));
        }
        let waits = self.is_admitted && self.awaits_hello;
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

    /// Records that the owner of the connection was admitted.
    pub(crate) fn admit(&mut self, record: AdmissionRecord) {
        self.is_admitted = true;
        self.admission = Some(record);
    }

    /// Adds the first connection events in a new session. `seen` is the revision that the client has seen. Messages of an admitted client
    /// wait until its `hello` is answered.
    pub(crate) fn first_conn_events(
        &mut self,
        conn: ConnId,
        seen: Option<SeenRev>,
        conn_events: &mut Vec<ConnEvent>,
    ) {
        conn_events.push(ConnEvent::Connect(conn, self.address, self.protocol));
        self.awaits_hello = self.hello.is_some();
        self.is_game_current = false;
        if let Some((id, hello)) = &self.hello {
            // An admitted client that has seen no event yet has seen those of its `hello`.
            let (rev, generation) = match (self.is_admitted, seen) {
                (true, Some(seen)) => (Some(seen.rev), Some(seen.generation)),
                (true, None) => (hello.rev.or(Some(0)), hello.generation),
                (false, _) => (hello.rev, hello.generation),
            };
            let hello = Hello {
                rev,
                generation: generation.filter(|generation| *generation > 0),
                earlier_admission: self.admission,
                ..hello.clone()
            };
            conn_events.push(ConnEvent::Message(
                conn,
                ClientRequest {
                    id: Some(id.clone()),
                    content: RequestContent::Hello(hello),
                    is_outdated: false,
                },
            ));
        }
        if !self.is_admitted {
            // The room refuses them all.
            self.send_unanswered(conn, conn_events);
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

    /// Records a reliable message to the client, which may be an answer. Returns what the gateway does with it.
    pub(crate) fn record_answer(&mut self, text: &str) -> AnswerHandling {
        let Ok(AnswerHead { kind, id: Some(id) }) = serde_json::from_str(text) else {
            return AnswerHandling::Forward;
        };
        let is_ok = match kind {
            "ok" => true,
            "refused" => false,
            _ => return AnswerHandling::Forward,
        };
        let answers_hello = self.hello.as_ref().is_some_and(|(hello, _)| hello == id);
        if !answers_hello || !self.awaits_hello && self.is_admitted {
            self.unanswered
                .retain(|kept| kept.request.id.as_deref() != Some(id));
            return AnswerHandling::Forward;
        }
        self.awaits_hello = false;
        match (self.is_admitted, is_ok) {
            (true, true) => AnswerHandling::Readmitted,
            (true, false) => AnswerHandling::ReadmissionRefused,
            (false, true) => {
                self.is_admitted = true;
                AnswerHandling::Forward
            }
            (false, false) => {
                self.hello = None;
                AnswerHandling::Forward
            }
        }
    }
}

impl Unanswered {
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
