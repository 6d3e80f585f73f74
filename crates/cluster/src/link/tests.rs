//! A link with one connection, and a leader that is played by hand.

use std::net::Ipv4Addr;

use serde_json::json;
use sticheln_room::RequestContent;

use super::*;

const GATEWAY: NodeId = NodeId(1);
const LEADER: NodeId = NodeId(2);
const CONN: ConnId = ConnId(7);
const SECOND: Duration = Duration::from_secs(1);

struct Linked {
    link: Link,
    now: Instant,
    seen: Option<SeenRev>,
    generation: u32,
    sent: u64,
}

impl Linked {
    /// A link whose leader was found.
    fn new() -> Self {
        let now = Instant::now();
        let mut link = Link::new("room".to_owned(), GATEWAY, SessionCounter::default(), now);
        link.connect(
            now,
            CONN,
            Ipv4Addr::LOCALHOST.into(),
            ProtocolVersion::FIRST,
        );
        link.set_leader(LEADER);
        Self {
            link,
            now,
            seen: None,
            generation: 0,
            sent: 0,
        }
    }

    /// The same, whose client was admitted.
    fn admitted() -> Self {
        let mut linked = Self::new();
        linked.say(r#"{"type":"hello","id":"h","token":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","rev":3}"#);
        linked.requests();
        linked.answer("h", "ok");
        linked.taken(1);
        linked
    }

    fn effects(&mut self) -> Vec<LinkEffect> {
        let seen = self.seen;
        self.link.poll_effects(self.now, |_| seen)
    }

    fn requests(&mut self) -> Vec<SessionRequest> {
        let requests = self
            .effects()
            .into_iter()
            .filter_map(|effect| match effect {
                LinkEffect::Request(LEADER, request) => Some(request),
                _ => None,
            });
        requests.collect()
    }

    fn say(&mut self, text: &str) {
        self.link.message(CONN, ClientRequest::read(text));
    }

    fn number(&self) -> u64 {
        match &self.link.state {
            State::Open(open) => open.number,
            _ => 0,
        }
    }

    fn taken(&mut self, sent: u64) {
        let number = self.number();
        self.link
            .handle_reply(self.now, number, Ok(Reply::Accepted { updates_sent: sent }));
    }

    fn deliver(&mut self, deliveries: Vec<Delivery>) {
        let update = Update {
            room: "room".to_owned(),
            session: self.number(),
            sequence: self.sent,
            generation: self.generation,
            content: UpdateContent::Deliveries(deliveries),
        };
        self.sent += 1;
        self.link.handle_update(self.now, update);
    }

    fn answer(&mut self, id: &str, kind: &str) {
        let text = format!(r#"{{"type":"{kind}","id":"{id}"}}"#);
        self.deliver(vec![Delivery::Send(CONN, Outgoing::Reliable(text.into()))]);
    }

    /// The leader does not know the session any more, and a new one begins. Returns its first request.
    fn restart_session(&mut self) -> SessionRequest {
        self.now += STABLE_AGE;
        let number = self.number();
        self.link
            .handle_reply(self.now, number, Ok(Reply::NoSession));
        self.sent = 0;
        self.requests().remove(0)
    }
}

fn hello_of(request: &SessionRequest) -> &sticheln_room::Hello {
    let hello = request.conn_events.iter().find_map(|event| match event {
        ConnEvent::Message(_, message) => match &message.content {
            RequestContent::Hello(hello) => Some(hello),
            _ => None,
        },
        _ => None,
    });
    hello.expect("the connection says hello")
}

fn ids_of(request: &SessionRequest) -> Vec<&str> {
    let ids = request.conn_events.iter().filter_map(|event| match event {
        ConnEvent::Message(_, message) => message.id.as_deref(),
        ConnEvent::Connect(..) | ConnEvent::Disconnect(_) => None,
    });
    ids.collect()
}

#[test]
fn a_new_session_says_what_the_client_has_seen() {
    let mut linked = Linked::admitted();
    assert_eq!(
        hello_of(&linked.restart_session()).rev,
        Some(3),
        "that of its hello"
    );
    linked.answer("h", "ok");
    linked.seen = Some(SeenRev {
        rev: 9,
        generation: 0,
    });
    let request = linked.restart_session();
    let hello = hello_of(&request);
    assert_eq!((hello.rev, hello.generation), (Some(9), None));
    linked.seen = Some(SeenRev {
        rev: 9,
        generation: 2,
    });
    let request = linked.restart_session();
    let hello = hello_of(&request);
    assert_eq!((hello.rev, hello.generation), (Some(9), Some(2)));
}

#[test]
fn a_command_waits_for_the_admission_in_a_new_session_and_is_sent_until_it_is_answered() {
    let mut linked = Linked::admitted();
    linked.say(r#"{"type":"stand","id":"1"}"#);
    assert_eq!(linked.requests().len(), 1);
    assert_eq!(
        linked.restart_session().conn_events.len(),
        2,
        "to connect, and to say hello"
    );
    linked.answer("h", "ok");
    let effects = linked.effects();
    let [LinkEffect::Request(_, request)] = &effects[..] else {
        panic!("the client sees no answer to the hello");
    };
    assert_eq!(request.conn_events.len(), 1);
    linked.answer("1", "ok");
    assert_eq!(linked.link.unanswered(), 0);
}

/// A `game` message with this revision, own hand and legal cards.
fn game(rev: u64, hand: &[u8], legal: &[u8]) -> Delivery {
    let start = format!(r#"{{"type":"game","rev":{rev},"events":["#);
    let view = json!({"table": {"played": rev}, "own": {"hand": hand}});
    let text = format!(r#"{start}],"view":{view},"legal":{}}}"#, json!(legal));
    let at = start.len();
    let fields = format!(r#""rev":{rev},"has_gap":false,"events":{{"start":{at},"end":{at}}}"#);
    let outgoing =
        format!(r#"{{"game":{{"game_sequence":1,"message":{{{fields},"text":{text}}}}}}}"#);
    Delivery::Send(CONN, serde_json::from_str(&outgoing).unwrap())
}

/// Whether the message with the id `1` is outdated in a new session that shows these deliveries first.
fn is_outdated_after(linked: &mut Linked, deliveries: Vec<Delivery>) -> bool {
    linked.restart_session();
    linked.deliver(deliveries);
    linked.answer("h", "ok");
    let requests = linked.requests();
    let conn_events = requests.iter().flat_map(|request| &request.conn_events);
    let sent: Vec<_> = conn_events
        .filter_map(|event| match event {
            ConnEvent::Message(CONN, message) if message.id.as_deref() == Some("1") => {
                Some(message)
            }
            _ => None,
        })
        .collect();
    let [message] = sent[..] else {
        panic!("the message is sent once");
    };
    message.is_outdated
}

#[test]
fn a_move_is_outdated_if_there_is_another_decision() {
    for (rev, hand, legal, is_outdated) in [
        (4, &[1, 2][..], &[1, 2][..], false),
        (5, &[1, 2], &[1, 2], false),
        (5, &[1, 2], &[2], true),
        (5, &[2], &[1, 2], true),
    ] {
        let mut linked = Linked::admitted();
        linked.deliver(vec![game(4, &[1, 2], &[1, 2])]);
        linked.say(r#"{"type":"act","id":"1","action":{}}"#);
        linked.requests();
        let deliveries = vec![game(rev, hand, legal)];
        assert_eq!(
            is_outdated_after(&mut linked, deliveries),
            is_outdated,
            "{rev} {hand:?} {legal:?}"
        );
        assert!(!linked.link.is_empty(), "the connection stays");
    }
}

#[test]
fn a_move_of_a_client_that_waits_for_a_session_is_compared_with_the_game_that_it_has() {
    for (legal, is_outdated) in [(&[1, 2][..], false), (&[2], true)] {
        let mut linked = Linked::admitted();
        linked.deliver(vec![game(4, &[1, 2], &[1, 2])]);
        linked.restart_session();
        linked.say(r#"{"type":"act","id":"1","action":{}}"#);
        let deliveries = vec![game(5, &[1, 2], legal)];
        assert_eq!(is_outdated_after(&mut linked, deliveries), is_outdated);
    }
}

#[test]
fn a_move_is_outdated_if_the_session_has_shown_no_game() {
    let mut linked = Linked::admitted();
    linked.deliver(vec![game(4, &[1, 2], &[1, 2])]);
    linked.say(r#"{"type":"act","id":"1","action":{}}"#);
    linked.requests();
    assert!(is_outdated_after(&mut linked, vec![]));
}

#[test]
fn a_message_stays_outdated_and_others_may_come_later() {
    for (message, is_outdated) in [
        (r#"{"type":"pause","id":"1"}"#, true),
        (r#"{"type":"remove","id":"1","seat":2}"#, true),
        (r#"{"type":"sit","id":"1","name":"Ann","seat":2}"#, false),
        (r#"{"type":"chat","id":"1","text":"Hello"}"#, false),
    ] {
        let mut linked = Linked::admitted();
        linked.say(message);
        linked.requests();
        for _ in 0..2 {
            let now = is_outdated_after(&mut linked, vec![]);
            assert_eq!(now, is_outdated, "{message}");
        }
    }
}

#[test]
fn a_client_that_is_not_admitted_again_connects_anew() {
    let mut linked = Linked::admitted();
    linked.restart_session();
    linked.answer("h", "refused");
    let closes =
        |effect: &LinkEffect| matches!(effect, LinkEffect::Close(CONN, LinkCloseReason::Reconnect));
    assert!(linked.effects().iter().any(closes));
    assert!(linked.link.is_empty());
}

#[test]
fn a_gateway_asks_also_while_updates_come() {
    let mut linked = Linked::admitted();
    let end = linked.now + KEEPALIVE_INTERVAL;
    while linked.now < end {
        linked.now += SECOND;
        linked.deliver(vec![]);
        linked.link.tick(linked.now);
    }
    assert_eq!(linked.requests().len(), 1);
}

#[test]
fn an_update_that_does_not_come_ends_the_session() {
    let mut linked = Linked::admitted();
    linked.now += STABLE_AGE;
    linked.taken(3);
    linked.taken(4);
    linked.now += UPDATE_TIMEOUT / 2;
    linked.deliver(vec![]);
    linked.deliver(vec![]);
    assert_eq!(
        linked.link.next_tick_at(),
        Some(linked.now + UPDATE_TIMEOUT)
    );
    linked.now += UPDATE_TIMEOUT;
    linked.link.tick(linked.now);
    assert_eq!(linked.requests().remove(0).sequence, 0);
}

#[test]
fn a_young_session_is_not_followed_by_another_one_at_once() {
    let mut linked = Linked::admitted();
    for pause in [MIN_BACKOFF, 2 * MIN_BACKOFF] {
        let number = linked.number();
        linked
            .link
            .handle_reply(linked.now, number, Ok(Reply::NoSession));
        assert_eq!(linked.link.next_tick_at(), Some(linked.now + pause));
        linked.now += pause;
        linked.link.tick(linked.now);
        linked.link.set_leader(LEADER);
        assert_eq!(linked.requests().len(), 1);
        linked.taken(0);
    }
}

#[test]
fn many_messages_are_sent_in_several_requests() {
    let mut linked = Linked::admitted();
    for id in 0..MAX_CONN_EVENTS + 1 {
        linked.say(&format!(r#"{{"type":"stand","id":"{id}"}}"#));
    }
    let requests = linked.requests();
    let conn_events: Vec<_> = requests
        .iter()
        .map(|request| request.conn_events.len())
        .collect();
    assert_eq!(conn_events, [MAX_CONN_EVENTS, 1]);
}

#[test]
fn long_messages_are_sent_in_several_requests() {
    let mut linked = Linked::admitted();
    let text = "x".repeat(60 * 1024);
    let longest = "x".repeat(MAX_REQUEST_BYTES);
    for id in 0..10 {
        let text = if id == 7 { &longest } else { &text };
        linked.say(&format!(r#"{{"type":"chat","id":"{id}","text":"{text}"}}"#));
    }
    let requests = linked.requests();
    let ids: Vec<Vec<_>> = requests.iter().map(ids_of).collect();
    assert_eq!(
        ids,
        [
            vec!["0", "1", "2", "3"],
            vec!["4", "5", "6"],
            vec!["7"],
            vec!["8", "9"]
        ]
    );
}

#[test]
fn an_excluded_node_is_remembered_until_a_leader_is_found() {
    let mut linked = Linked::admitted();
    linked.now += STABLE_AGE;
    let number = linked.number();
    linked
        .link
        .handle_reply(linked.now, number, Ok(Reply::NotLeader));
    for _ in 0..2 {
        let is_excluded = |effect: &LinkEffect| {
            matches!(
                effect,
                LinkEffect::Locate {
                    excluded: Some(LEADER)
                }
            )
        };
        assert!(linked.effects().iter().any(is_excluded));
        linked
            .link
            .retry_later(linked.now, LinkCloseReason::StorageFailed);
        linked.now += MAX_BACKOFF;
        linked.link.tick(linked.now);
    }
}

#[test]
fn without_a_leader_the_connections_are_closed_after_a_while() {
    let mut linked = Linked::admitted();
    let begin = linked.now;
    linked.link.handle_lost_node(linked.now, LEADER);
    while !linked.link.is_empty() {
        linked
            .link
            .retry_later(linked.now, LinkCloseReason::StorageFailed);
        linked.now += MAX_BACKOFF;
        linked.link.tick(linked.now);
    }
    assert!(linked.now >= begin + LEADER_TIMEOUT && linked.now < begin + 2 * LEADER_TIMEOUT);
    // A client that comes now waits for as long.
    linked.link.connect(
        linked.now,
        CONN,
        Ipv4Addr::LOCALHOST.into(),
        ProtocolVersion::FIRST,
    );
    linked
        .link
        .retry_later(linked.now, LinkCloseReason::StorageFailed);
    assert!(!linked.link.is_empty());
}

#[test]
fn the_connections_are_closed_if_the_lookup_of_the_leader_takes_too_long() {
    let mut linked = Linked::admitted();
    linked.now += STABLE_AGE;
    linked.link.handle_lost_node(linked.now, LEADER);
    let end = linked.now + LEADER_TIMEOUT;
    assert_eq!(linked.link.next_tick_at(), Some(end));
    linked.link.tick(end - Duration::from_millis(1));
    assert!(!linked.link.is_empty());
    linked.link.tick(end);
    assert!(linked.link.is_empty());
    assert_eq!(linked.link.next_tick_at(), None);
}

/// Another node.
const OTHER: NodeId = NodeId(3);

/// A link with one connection and a session with [`LEADER`].
fn open_link(now: Instant) -> Link {
    let counter = SessionCounter::default();
    let mut link = Link::new("k7qm2x4p".into(), NodeId(1), counter, now);
    link.connect(
        now,
        ConnId(1),
        Ipv4Addr::LOCALHOST.into(),
        ProtocolVersion::FIRST,
    );
    let _ = link.poll_effects(now, |_| None);
    link.set_leader(LEADER);
    assert_eq!(next_session(&mut link, now), Some(1));
    link.handle_reply(now, 1, Ok(Reply::Accepted { updates_sent: 0 }));
    link
}

/// The number of the session of the next request.
fn next_session(link: &mut Link, now: Instant) -> Option<u64> {
    let effects = link.poll_effects(now, |_| None).into_iter();
    let mut requests = effects.filter_map(|effect| match effect {
        LinkEffect::Request(_, request) => Some(request.session),
        _ => None,
    });
    requests.next()
}

#[test]
fn a_session_is_restarted_if_messages_of_its_leader_may_be_lost() {
    let now = Instant::now();
    let mut link = open_link(now);
    link.restart_session_if_led_by(OTHER);
    assert_eq!(next_session(&mut link, now), None);
    link.restart_session_if_led_by(LEADER);
    assert_eq!(next_session(&mut link, now), Some(2));
    link.restart_session();
    assert_eq!(next_session(&mut link, now), Some(3));
}

/// The stalls that the effects record.
fn stalls(link: &mut Link, now: Instant) -> Vec<Duration> {
    let effects = link.poll_effects(now, |_| None).into_iter();
    let stalls = effects.filter_map(|effect| match effect {
        LinkEffect::RecordStall(stall) => Some(stall),
        _ => None,
    });
    stalls.collect()
}

#[test]
fn a_stall_begins_with_the_first_request_without_a_reply() {
    let begin = Instant::now();
    let mut link = open_link(begin);
    let reply = || Ok(Reply::Accepted { updates_sent: 0 });
    let stable = begin + STABLE_AGE;
    // A link has no stall before its first leader.
    link.handle_reply(stable, 1, reply());
    assert_eq!(stalls(&mut link, stable), []);
    // Two keepalives; the second one is sent before the first one fails.
    let [first, second] = [1, 2].map(|number| stable + number * KEEPALIVE_INTERVAL);
    for at in [first, second] {
        link.tick(at);
        assert_eq!(next_session(&mut link, at), Some(1));
    }
    let failed = second + Duration::from_millis(1);
    link.handle_reply(failed, 1, Err(RequestFailure::NoReply));
    assert_eq!(stalls(&mut link, failed), []);
    link.set_leader(OTHER);
    assert_eq!(next_session(&mut link, failed), Some(2));
    let replied = failed + STABLE_AGE;
    link.handle_reply(replied, 2, reply());
    assert_eq!(stalls(&mut link, replied), [replied - first]);
    assert_eq!(link.stall(replied), None);
}

#[test]
fn a_stall_ends_when_the_connections_are_closed() {
    let begin = Instant::now();
    let mut link = open_link(begin);
    let stable = begin + STABLE_AGE;
    link.handle_reply(stable, 1, Ok(Reply::Accepted { updates_sent: 0 }));
    link.handle_lost_node(stable, LEADER);
    assert_eq!(stalls(&mut link, stable), []);
    let closed = stable + LEADER_TIMEOUT;
    link.tick(closed);
    assert_eq!(stalls(&mut link, closed), [LEADER_TIMEOUT]);
    assert_eq!(link.stall(closed), None);
}

#[test]
fn nobody_waits_while_there_is_no_connection() {
    let begin = Instant::now();
    let mut link = open_link(begin);
    let reply = || Ok(Reply::Accepted { updates_sent: 0 });
    let stable = begin + STABLE_AGE;
    link.handle_reply(stable, 1, reply());
    link.disconnect(ConnId(1));
    link.handle_lost_node(stable, LEADER);
    link.set_leader(OTHER);
    assert_eq!(next_session(&mut link, stable), None);
    let later = stable + 3 * SECOND;
    let address = Ipv4Addr::LOCALHOST.into();
    link.connect(later, ConnId(2), address, ProtocolVersion::FIRST);
    assert_eq!(next_session(&mut link, later), Some(2));
    let replied = later + STABLE_AGE;
    link.handle_reply(replied, 2, reply());
    assert_eq!(stalls(&mut link, replied), [STABLE_AGE]);
}

#[test]
fn a_lost_node_is_not_excluded() {
    let now = Instant::now();
    for (node, is_located) in [(OTHER, false), (LEADER, true)] {
        let mut link = open_link(now);
        let later = now + STABLE_AGE;
        link.handle_reply(later, 1, Ok(Reply::Accepted { updates_sent: 0 }));
        link.handle_lost_node(later, node);
        let effects = link.poll_effects(later, |_| None);
        let locates = |effect: &LinkEffect| matches!(effect, LinkEffect::Locate { excluded: None });
        assert_eq!(effects.iter().any(locates), is_located, "{node}");
        assert_eq!(effects.len(), usize::from(is_located));
    }
}

/// The generations that the effects begin at connections.
fn begun(effects: &[LinkEffect]) -> Vec<(ConnId, u32)> {
    let begun = effects.iter().filter_map(|effect| match effect {
        LinkEffect::BeginGeneration(conn, generation) => Some((*conn, *generation)),
        _ => None,
    });
    begun.collect()
}

#[test]
fn a_newer_generation_begins_before_its_messages_and_also_for_later_connections() {
    let mut linked = Linked::admitted();
    linked.effects();
    linked.generation = 2;
    linked.deliver(vec![game(3, &[1], &[])]);
    let effects = linked.effects();
    assert!(matches!(
        effects[..],
        [
            LinkEffect::BeginGeneration(CONN, 2),
            LinkEffect::Send(CONN, _)
        ]
    ));
    linked.deliver(vec![game(4, &[1], &[])]);
    assert!(begun(&linked.effects()).is_empty());
    let later = ConnId(8);
    linked.link.connect(
        linked.now,
        later,
        Ipv4Addr::LOCALHOST.into(),
        ProtocolVersion::FIRST,
    );
    assert_eq!(begun(&linked.effects()), [(later, 2)]);
}

#[test]
fn a_leader_of_an_older_generation_is_left() {
    let mut linked = Linked::admitted();
    linked.generation = 2;
    linked.deliver(vec![game(3, &[1], &[])]);
    linked.effects();
    linked.now += STABLE_AGE;
    linked.generation = 1;
    linked.deliver(vec![game(9, &[1], &[])]);
    let effects = linked.effects();
    assert!(matches!(
        effects[..],
        [LinkEffect::Locate {
            excluded: Some(LEADER)
        }]
    ));
}

#[test]
fn an_unreadable_request_moves_no_room_and_is_not_repeated() {
    const OTHER: ConnId = ConnId(2);
    let mut linked = Linked::admitted();
    linked.link.connect(
        linked.now,
        OTHER,
        Ipv4Addr::LOCALHOST.into(),
        ProtocolVersion::FIRST,
    );
    linked.say(r#"{"type":"stand","id":"1"}"#);
    linked.requests();
    linked.now += STABLE_AGE;
    let number = linked.number();
    linked
        .link
        .handle_reply(linked.now, number, Ok(Reply::Unreadable));
    let effects = linked.effects();
    assert!(matches!(
        effects[..],
        [
            LinkEffect::Close(CONN, LinkCloseReason::Unreadable),
            LinkEffect::Locate { excluded: None }
        ]
    ));
    linked.link.set_leader(LEADER);
    let conn_events = linked.requests().remove(0).conn_events;
    assert!(matches!(conn_events[..], [ConnEvent::Connect(OTHER, ..)]));
}

fn hello(id: &str, token: char) -> String {
    let token = token.to_string().repeat(43);
    format!(r#"{{"type":"hello","id":"{id}","token":"{token}"}}"#)
}

fn record() -> sticheln_room::AdmissionRecord {
    serde_json::from_str(r#"{"epoch":5,"count":1}"#).unwrap()
}

impl Linked {
    /// The leader admits the `hello` with this id.
    fn admit(&mut self, id: &str) {
        self.deliver(vec![Delivery::Admitted(CONN, record())]);
        self.answer(id, "ok");
    }

    /// The types of the messages to the client, and the causes of closes.
    fn sent(&mut self) -> Vec<String> {
        let effects = self.effects().into_iter();
        let sent = effects.filter_map(|effect| match effect {
            LinkEffect::Send(CONN, Outgoing::Reliable(text)) => {
                let message: serde_json::Value = serde_json::from_str(&text).unwrap();
                Some(message["type"].as_str().unwrap().to_owned())
            }
            LinkEffect::Close(CONN, cause) => Some(format!("{cause:?}")),
            _ => None,
        });
        sent.collect()
    }

    /// A new session, in which the room lets the client wait for the host. Returns its first request.
    fn wait_for_host(&mut self) -> SessionRequest {
        let request = self.restart_session();
        let text = r#"{"type":"waiting"}"#.to_owned();
        self.deliver(vec![Delivery::Send(CONN, Outgoing::Reliable(text.into()))]);
        request
    }
}

#[test]
fn the_hello_that_waits_is_kept_when_another_one_is_refused() {
    for is_admitted in [true, false] {
        let mut linked = Linked::new();
        linked.say(&hello("1", 'A'));
        linked.say(&hello("2", 'A'));
        linked.requests();
        linked.answer("2", "refused");
        if is_admitted {
            linked.admit("1");
        }
        let request = linked.restart_session();
        assert_eq!(ids_of(&request), ["1"], "{is_admitted}");
        assert_eq!(
            hello_of(&request).earlier_admission,
            is_admitted.then(record)
        );
    }
}

#[test]
fn answers_to_ids_with_escapes_are_recognized() {
    for id in [r#"q\"1"#, r"q\\1"] {
        let mut linked = Linked::new();
        linked.say(&hello(id, 'A'));
        linked.requests();
        linked.admit(id);
        linked.say(&format!(r#"{{"type":"start","id":"{id}2"}}"#));
        linked.answer(&format!("{id}2"), "refused");
        assert_eq!(linked.link.unanswered(), 0, "{id}");
        let request = linked.restart_session();
        assert_eq!(ids_of(&request).len(), 1);
        assert_eq!(hello_of(&request).earlier_admission, Some(record()));
    }
}

#[test]
fn a_refused_hello_changes_neither_the_owner_nor_the_record() {
    let mut linked = Linked::new();
    linked.say(&hello("a", 'A'));
    linked.say(&hello("b", 'E'));
    // Neither is answered in this session, so the record of one of them counts for none.
    linked.requests();
    linked.deliver(vec![Delivery::Admitted(CONN, record())]);
    let request = linked.restart_session();
    assert_eq!(ids_of(&request), ["a", "b"]);
    let owner = hello_of(&request).owner;
    linked.answer("a", "ok");
    linked.answer("b", "refused");
    assert_eq!(linked.sent(), ["ok", "refused"]);
    let request = linked.restart_session();
    assert_eq!(ids_of(&request), ["a"]);
    let again = hello_of(&request);
    assert_eq!((again.owner, again.earlier_admission), (owner, None));
    linked.admit("a");
    linked.say(&hello("c", 'I'));
    linked.answer("c", "refused");
    assert_eq!(linked.sent(), ["refused"]);
    let request = linked.restart_session();
    assert_eq!(ids_of(&request), ["a"]);
    let again = hello_of(&request);
    assert_eq!(
        (again.owner, again.earlier_admission),
        (owner, Some(record()))
    );
}

#[test]
fn an_admitted_connection_without_a_hello_is_closed() {
    let mut linked = Linked::new();
    linked.say(r#"{"type":"ready","id":"x","ready":true}"#);
    linked.say(&hello("x", 'A'));
    linked.requests();
    linked.answer("x", "refused");
    linked.admit("x");
    assert_eq!(linked.sent(), ["refused", "ok"]);
    linked.now += STABLE_AGE;
    linked.link.restart_session();
    assert_eq!(linked.sent(), ["Reconnect"]);
    assert!(linked.link.is_empty());
}

#[test]
fn a_client_that_waits_for_the_host_again_gets_the_decision() {
    let mut linked = Linked::admitted();
    linked.deliver(vec![Delivery::Admitted(CONN, record())]);
    linked.wait_for_host();
    assert_eq!(linked.sent(), ["waiting"]);
    linked.answer("h", "ok");
    assert_eq!(linked.sent(), ["ok"]);
    assert_eq!(linked.link.unanswered(), 0);
    linked.wait_for_host();
    linked.answer("h", "refused");
    linked.deliver(vec![Delivery::Close(CONN, Eviction::Removed)]);
    assert_eq!(linked.sent(), ["waiting", "refused", "Evicted(Removed)"]);
}

#[test]
fn a_client_that_waits_for_the_host_again_is_not_admitted() {
    let mut linked = Linked::admitted();
    linked.deliver(vec![Delivery::Admitted(CONN, record())]);
    linked.say(r#"{"type":"chat","id":"1","text":"Hello"}"#);
    linked.requests();
    linked.seen = Some(SeenRev {
        rev: 9,
        generation: 0,
    });
    let request = linked.wait_for_host();
    assert_eq!(hello_of(&request).earlier_admission, Some(record()));
    // The room refuses what has waited.
    let requests = linked.requests();
    assert_eq!(requests.iter().flat_map(ids_of).collect::<Vec<_>>(), ["1"]);
    linked.answer("1", "refused");
    linked.say(r#"{"type":"chat","id":"2","text":"Hello"}"#);
    assert_eq!(linked.requests().len(), 1);
    linked.answer("2", "refused");
    let request = linked.restart_session();
    assert_eq!(ids_of(&request), ["h"]);
    let hello = hello_of(&request);
    assert_eq!((hello.rev, hello.earlier_admission), (Some(9), None));
}

/// The answers are the same as if there were a session already.
#[test]
fn all_messages_wait_for_a_session_in_their_order() {
    let texts = [
        "garbage".to_owned(),
        r#"{"type":"ready"}"#.to_owned(),
        r#"{"type":"stand","id":"1"}"#.to_owned(),
        hello("2", 'A'),
        hello("2", 'A'),
        hello("3", 'E'),
        r#"{"type":"stand","id":"4"}"#.to_owned(),
    ];
    let mut sent = Vec::new();
    for is_open in [false, true] {
        let mut linked = Linked::new();
        if is_open {
            linked.requests();
        }
        texts.iter().for_each(|text| linked.say(text));
        let requests = linked.requests();
        let conn_events = requests.into_iter().flat_map(|request| request.conn_events);
        let ids = conn_events.filter_map(|step| match step {
            ConnEvent::Message(CONN, message) => Some(message.id),
            _ => None,
        });
        sent.push(ids.collect::<Vec<_>>());
    }
    let ids = [None, None, Some("1"), Some("2"), Some("3"), Some("4")];
    assert_eq!(sent[0], ids.map(|id| id.map(str::to_owned)));
    assert_eq!(sent[0], sent[1]);
}

#[test]
fn a_message_without_an_id_waits_for_the_next_session() {
    let mut linked = Linked::admitted();
    linked.now += STABLE_AGE;
    linked.link.handle_lost_node(linked.now, LEADER);
    linked.say("garbage");
    linked.link.set_leader(LEADER);
    linked.sent = 0;
    assert_eq!(ids_of(&linked.requests().remove(0)), ["h"]);
    linked.answer("h", "ok");
    let conn_events = linked.requests().remove(0).conn_events;
    assert!(
        matches!(&conn_events[..], [ConnEvent::Message(CONN, message)] if message.id.is_none())
    );
    assert_eq!(linked.link.unanswered(), 0);
}
