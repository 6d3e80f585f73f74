//! A client: it plays by the messages that it gets, and connects again as `web/js/connection.js` does.

use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};
use sticheln_cluster::NodeId;
use sticheln_room::Owner;

use crate::node::Node;
use crate::time::{Time, ms};
use crate::world::{Event, NodeEvent, Way, World};

const FIRST_RETRY: Time = ms(500);
const MAX_RETRY: Time = ms(10_000);
const ANSWER_TIMEOUT: Time = ms(10_000);
const PING_AFTER: Time = ms(14_000);
const RESTART_JITTER: Time = ms(500);

/// A message of a client to its node.
pub enum FromClient {
    Open(usize, usize),
    Text(String),
    Closed,
}

/// A message of a node to a client.
pub enum FromServer {
    Text(String),
    Closed(ClosedBy),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosedBy {
    Elsewhere,
    Removed,
    Reconnect,
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Connecting,
    Open,
    Waiting,
    /// The person plays on another device.
    Ended,
}

/// A command without an answer.
struct Unanswered {
    id: String,
    text: String,
    is_repeated: bool,
    is_sent: bool,
    action: Option<Value>,
}

pub struct Client {
    pub room: usize,
    pub is_spectator: bool,
    pub owner: Owner,
    token: String,
    name: String,
    password: Option<String>,
    pub node: Option<NodeId>,
    pub socket: u64,
    pub status: Status,
    hello_id: Option<String>,
    ping_id: Option<String>,
    pub is_catching_up: bool,
    unanswered: Vec<Unanswered>,
    attempts: u32,
    timer: u64,
    ids: u64,
    thought: u64,
    is_thinking: bool,
    /// The revision up to which it has seen the events, as the page counts it.
    pub seen: Option<u64>,
    /// Whether that is the revision of a game.
    pub has_seen_game: bool,
    /// The generation of the last `welcome`.
    pub generation: u32,
    /// The highest revision on this connection.
    pub last_rev: u64,
    legal: Vec<Value>,
    pub phase: String,
    pub seat: Option<u64>,
    is_host: bool,
    people: usize,
    free: usize,
    /// The time of the last `welcome`.
    pub welcomed_at: Time,
    pub acknowledged: Vec<(String, bool)>,
    /// The newest view.
    pub view: Option<Value>,
    /// Whether it is a further device of a person.
    pub is_second: bool,
    /// The time when it opened its socket, and the time when it was first welcomed on it.
    opened_at: Time,
    admitted_at: Option<Time>,
}

impl Client {
    fn new(room: usize, token: String, name: &str, password: Option<String>) -> Self {
        Self {
            room,
            is_spectator: false,
            owner: Owner::of_token(&token).unwrap(),
            token,
            name: name.to_owned(),
            password,
            node: None,
            socket: 0,
            status: Status::Waiting,
            hello_id: None,
            ping_id: None,
            is_catching_up: false,
            unanswered: Vec::new(),
            attempts: 0,
            timer: 0,
            ids: 0,
            thought: 0,
            is_thinking: false,
            seen: None,
            has_seen_game: false,
            generation: 0,
            last_rev: 0,
            legal: Vec::new(),
            phase: String::new(),
            seat: None,
            is_host: false,
            people: 0,
            free: 0,
            welcomed_at: Time::ZERO,
            acknowledged: Vec::new(),
            view: None,
            is_second: false,
            opened_at: Time::ZERO,
            admitted_at: None,
        }
    }

    /// Its `hello` without a revision.
    pub fn hello(&self) -> Value {
        let mut hello = json!({"type": "hello", "token": self.token, "name": self.name});
        if let Some(password) = &self.password {
            hello["password"] = json!(password);
        }
        hello
    }
}

impl World {
    /// The clients of all tables, and a spectator at each.
    pub fn open_clients(&mut self) {
        for room in 0..self.openings.len() {
            let opening = self.openings[room].clone();
            let people = self.rng.random_range(2..=opening.seats);
            for number in 0..=people {
                let token = format!("{:A<43}", format!("room{room}person{number}"));
                let name = ["Ann", "Bob", "Cem", "Dora", "Eve", "Finn"][number];
                let mut client = Client::new(room, token, name, opening.password.clone());
                client.is_spectator = number == people;
                let delay = self.between(ms(20), ms(300));
                self.add_client(client, delay);
            }
        }
    }

    fn add_client(&mut self, client: Client, delay: Time) {
        self.clients.push(client);
        self.set_timer(self.clients.len() - 1, delay);
    }

    /// The person of a client comes on another device too.
    pub fn open_second_device(&mut self, client: usize) {
        let first = &self.clients[client];
        let mut second = Client::new(
            first.room,
            first.token.clone(),
            &first.name,
            first.password.clone(),
        );
        second.is_second = true;
        second.is_spectator = first.is_spectator;
        let delay = self.between(ms(300), ms(2_500));
        self.add_client(second, delay);
    }

    fn set_timer(&mut self, client: usize, delay: Time) {
        self.clients[client].timer += 1;
        let timer = self.clients[client].timer;
        self.push(delay, Event::ClientTimer(client, timer));
    }

    pub fn client_timer(&mut self, client: usize, timer: u64) {
        if self.clients[client].timer != timer {
            return;
        }
        match self.clients[client].status {
            Status::Ended => {}
            Status::Waiting => self.connect(client),
            Status::Open
                if self.clients[client].ping_id.is_none()
                    && self.clients[client].unanswered.is_empty() =>
            {
                self.send_ping(client);
            }
            Status::Open | Status::Connecting => {
                self.trace(format_args!("client {client} gives its socket up"));
                self.client_closed(client, ClosedBy::Lost);
            }
        }
    }

    /// Connects to a node that seems to be well.
    fn connect(&mut self, client: usize) {
        self.drop_socket(client);
        let is_well = |(_, node): &(&NodeId, &Node)| !node.is_frozen && !node.is_draining;
        let nodes: Vec<_> = self
            .nodes
            .iter()
            .filter(is_well)
            .map(|(id, _)| *id)
            .collect();
        let connected = nodes.iter().copied();
        let connected: Vec<_> = connected
            .filter(|id| self.bus.connected.contains(id))
            .collect();
        let node = connected
            .choose(&mut self.rng)
            .or_else(|| nodes.choose(&mut self.rng));
        let Some(node) = node.copied() else {
            self.client_closed(client, ClosedBy::Lost);
            return;
        };
        self.numbers.socket += 1;
        let socket = self.numbers.socket;
        let state = &mut self.clients[client];
        state.node = Some(node);
        state.socket = socket;
        state.status = Status::Connecting;
        state.last_rev = 0;
        state.admitted_at = None;
        state.opened_at = self.now;
        let room = state.room;
        self.trace(format_args!(
            "client {client} opens socket {socket} to {node}"
        ));
        self.send_to_node(client, FromClient::Open(client, room));
        self.say_hello(client);
    }

    fn say_hello(&mut self, client: usize) {
        let id = self.next_id(client);
        let state = &mut self.clients[client];
        state.hello_id = Some(id.clone());
        let mut hello = state.hello();
        hello["id"] = json!(id);
        if let Some(rev) = state.seen {
            hello["rev"] = json!(rev);
            hello["generation"] = json!(state.generation);
        }
        self.send_to_node(client, FromClient::Text(hello.to_string()));
        self.set_timer(client, ANSWER_TIMEOUT);
    }

    fn next_id(&mut self, client: usize) -> String {
        self.clients[client].ids += 1;
        format!("{client}-{}", self.clients[client].ids)
    }

    fn send_to_node(&mut self, client: usize, message: FromClient) {
        let Some(node) = self.clients[client].node else {
            return;
        };
        let socket = self.clients[client].socket;
        let delay = self.between(ms(4), ms(12));
        let event = Event::ToNode(node, NodeEvent::Socket(socket, message));
        self.push_ordered(Way::FromClient, socket, 0, delay, event);
    }

    fn drop_socket(&mut self, client: usize) {
        if self.clients[client].node.is_some() {
            self.send_to_node(client, FromClient::Closed);
        }
        let state = &mut self.clients[client];
        state.node = None;
        state.hello_id = None;
        state.ping_id = None;
        state.unanswered.retain(|command| command.is_repeated);
        for command in &mut state.unanswered {
            command.is_sent = false;
        }
    }

    fn client_closed(&mut self, client: usize, by: ClosedBy) {
        self.trace(format_args!("client {client} is closed: {by:?}"));
        assert_ne!(by, ClosedBy::Removed);
        if by == ClosedBy::Elsewhere {
            self.check_is_outdated(client);
            self.drop_socket(client);
            self.clients[client].status = Status::Ended;
            return;
        }
        self.drop_socket(client);
        let delay = match by {
            ClosedBy::Reconnect => FIRST_RETRY + self.between(Time::ZERO, RESTART_JITTER),
            _ => {
                let attempts = self.clients[client].attempts.min(5);
                self.clients[client].attempts += 1;
                let percent = self.rng.random_range(75..=125);
                (FIRST_RETRY * 2u32.pow(attempts)).min(MAX_RETRY) * percent / 100
            }
        };
        self.clients[client].status = Status::Waiting;
        self.set_timer(client, delay);
    }

    /// A connection is closed for a newer one only: not for one that was admitted before it was opened.
    fn check_is_outdated(&self, client: usize) {
        let state = &self.clients[client];
        let is_newer = |other: &Client| {
            let is_late = other.admitted_at.is_none_or(|at| at > state.opened_at);
            other.opened_at > state.opened_at || is_late
        };
        let mut others = self.clients.iter().enumerate();
        let is_closed_for = others.any(|(number, other)| {
            number != client && other.owner == state.owner && is_newer(other)
        });
        assert!(
            is_closed_for,
            "the newest connection of client {client} is closed"
        );
    }

    pub fn receive(&mut self, client: usize, socket: u64, message: FromServer) {
        if self.clients[client].socket != socket || self.clients[client].node.is_none() {
            return;
        }
        let text = match message {
            FromServer::Closed(by) => {
                self.clients[client].node = None;
                self.client_closed(client, by);
                return;
            }
            FromServer::Text(text) => text,
        };
        self.trace(format_args!("client {client} gets {text}"));
        let message: Value = serde_json::from_str(&text).unwrap();
        let kind = message["type"].as_str().unwrap().to_owned();
        match kind.as_str() {
            "ok" | "refused" => self.client_answered(client, &message),
            "welcome" => {
                self.check_welcome(client, &message);
                let now = self.now;
                self.clients[client].welcomed_at = now;
                self.clients[client].admitted_at.get_or_insert(now);
            }
            "room" => self.take_room(client, &message),
            "game" => {
                self.check_game(client, &message);
                let state = &mut self.clients[client];
                state.seen = message["rev"].as_u64();
                state.has_seen_game = true;
                state.view = Some(message["view"].clone());
                state.legal = message["legal"].as_array().cloned().unwrap_or_default();
                self.think(client);
            }
            _ => {}
        }
        if self.clients[client].status == Status::Open && self.clients[client].node.is_some() {
            let state = &self.clients[client];
            let awaits = state.ping_id.is_some() || !state.unanswered.is_empty();
            self.set_timer(client, if awaits { ANSWER_TIMEOUT } else { PING_AFTER });
        }
    }

    fn take_room(&mut self, client: usize, message: &Value) {
        self.check_rev(client, message);
        let state = &mut self.clients[client];
        let table = &message["table"];
        state.phase = table["phase"].as_str().unwrap().to_owned();
        state.seat = message["you"]["seat"].as_u64();
        state.is_host = message["you"]["host"] == true;
        let chairs = table["chairs"].as_array().unwrap();
        let count = |kind: &str| chairs.iter().filter(|chair| chair["kind"] == kind).count();
        state.people = count("person");
        state.free = count("free");
        if state.phase == "lobby" {
            state.seen = message["rev"].as_u64();
            state.has_seen_game = false;
        }
        self.think(client);
    }

    fn client_answered(&mut self, client: usize, message: &Value) {
        let id = message["id"].as_str().unwrap_or_default().to_owned();
        let is_ok = message["type"] == "ok";
        let state = &mut self.clients[client];
        if state.hello_id.as_deref() == Some(&id) {
            state.hello_id = None;
            if !is_ok {
                self.client_closed(client, ClosedBy::Lost);
                return;
            }
            state.attempts = 0;
            state.is_catching_up = !state.unanswered.is_empty();
            state.status = Status::Open;
            self.send_ping(client);
        } else if state.ping_id.as_deref() == Some(&id) {
            state.ping_id = None;
            state.is_catching_up = false;
            self.send_unsent(client);
            self.think(client);
        } else if let Some(place) = state.unanswered.iter().position(|command| command.id == id) {
            let command = state.unanswered.remove(place);
            if is_ok {
                let is_logged = !command.text.contains("\"chat\"");
                state.acknowledged.push((id.clone(), is_logged));
                self.check_acknowledged(client, &id, is_logged);
            } else if message["code"] == "malformed" {
                panic!("client {client} has sent {}", command.text);
            }
            self.think(client);
        }
    }

    fn send_ping(&mut self, client: usize) {
        let id = self.next_id(client);
        self.clients[client].ping_id = Some(id.clone());
        let ping = json!({"type": "ping", "id": id}).to_string();
        self.send_to_node(client, FromClient::Text(ping));
        self.set_timer(client, ANSWER_TIMEOUT);
    }

    /// Sends the commands that were not sent on this connection. Moves whose decision is over are dropped.
    fn send_unsent(&mut self, client: usize) {
        let state = &mut self.clients[client];
        let legal = &state.legal;
        state.unanswered.retain(|command| {
            let action = command.action.as_ref();
            command.is_sent || action.is_none_or(|action| legal.contains(action))
        });
        let unsent = state
            .unanswered
            .iter_mut()
            .filter(|command| !command.is_sent);
        let unsent = unsent.map(|command| {
            command.is_sent = true;
            command.text.clone()
        });
        let texts: Vec<_> = unsent.collect();
        for text in texts {
            self.send_to_node(client, FromClient::Text(text));
        }
    }

    fn send_command(&mut self, client: usize, mut command: Value, is_repeated: bool) {
        let id = self.next_id(client);
        command["id"] = json!(id);
        let state = &mut self.clients[client];
        state.unanswered.push(Unanswered {
            id,
            text: command.to_string(),
            is_repeated,
            is_sent: false,
            action: command.get("action").cloned(),
        });
        let is_first = state.unanswered.len() == 1 && state.ping_id.is_none();
        self.send_unsent(client);
        if is_first {
            self.set_timer(client, ANSWER_TIMEOUT);
        }
    }

    /// Lets the person think for a while.
    fn think(&mut self, client: usize) {
        if self.clients[client].is_thinking {
            return;
        }
        self.clients[client].is_thinking = true;
        self.clients[client].thought += 1;
        let thought = self.clients[client].thought;
        let pause = self.between(ms(60), ms(400));
        self.push(pause, Event::ClientThinks(client, thought));
    }

    pub fn client_acts(&mut self, client: usize, thought: u64) {
        let state = &mut self.clients[client];
        if state.thought != thought {
            return;
        }
        state.is_thinking = false;
        let is_ready = state.status == Status::Open && !state.is_catching_up;
        if !is_ready || !state.unanswered.is_empty() {
            return;
        }
        if self.rng.random_bool(0.03) {
            self.send_command(client, json!({"type": "chat", "text": "hello"}), true);
        }
        let state = &self.clients[client];
        if state.is_spectator {
            return;
        }
        let expected = self
            .clients
            .iter()
            .filter(|other| other.room == state.room && !other.is_spectator && !other.is_second);
        let expected = expected.count();
        match state.phase.as_str() {
            "lobby" if state.seat.is_none() => {
                let name = state.name.clone();
                self.send_command(client, json!({"type": "sit", "name": name}), true);
            }
            "lobby" if state.is_host && state.people == expected && state.free > 0 => {
                let bot = json!({"type": "add_bot", "level": "beginner"});
                self.send_command(client, bot, false);
            }
            "lobby" if state.is_host && state.free == 0 => {
                self.send_command(client, json!({"type": "start"}), false);
            }
            "playing" if !state.legal.is_empty() => {
                if self.rng.random_bool(0.03) {
                    // If the first one is executed again after the second one, it changes the room again.
                    // No name is one from before a failover.
                    let names = [1, 2].map(|more| format!("{} {}", state.name, state.ids + more));
                    for name in names {
                        let rename = json!({"type": "rename", "name": name});
                        self.send_command(client, rename, true);
                    }
                }
                if self.rng.random_bool(0.004) {
                    self.send_command(client, json!({"type": "pause"}), false);
                    return;
                }
                let action = self.clients[client].legal.choose(&mut self.rng).cloned();
                let act = json!({"type": "act", "action": action});
                self.send_command(client, act, true);
            }
            "paused" if state.is_host => {
                self.send_command(client, json!({"type": "resume"}), false);
            }
            _ => {}
        }
    }

    /// Whether a client shows the present state of its table.
    pub fn is_in_play(&self, client: &Client) -> bool {
        if client.status == Status::Ended {
            return true;
        }
        let rev = self
            .leader_of(client.room)
            .map(|(_, task)| (task.table.generation(), task.table.shown_rev()));
        client.status == Status::Open
            && !client.is_catching_up
            && rev == Some((client.generation, client.last_rev))
    }
}
