//! HTTP requests, and one socket, of a whole server.

use std::num::NonZero;
use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use sticheln_room::{Entropy, Timestamp};
use sticheln_server::games;
use sticheln_server::http::listener::serve;
use sticheln_server::http::routes::AppState;
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::rooms::services::Clocks;
use sticheln_server::storage::Store;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::common::folder::Folder;
use crate::common::http::Reply;
use crate::samples::{CONNECTION_CHECK, From, Sample};
use crate::scene::sample_token;

const SCENE: &str = "over HTTP";

/// Plays the scene on a server of its own.
pub fn play() -> Vec<Sample> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(record(&Folder::new()))
}

async fn record(folder: &Folder) -> Vec<Sample> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (store, writer) = Store::open(folder.path()).await.unwrap();
    let limits = Limits {
        rooms_per_address: NonZero::new(2).unwrap(),
        // The disk of the machine may be nearly full.
        max_data_mib: 1_000_000,
        ..Limits::default()
    };
    let clocks = Clocks::same(Arc::new(|| Timestamp(1_767_225_600_000)));
    let entropy_source = Arc::new(|_: &_| Entropy::new(|| [8; 32]));
    let mut app = AppState::new(games::all(), store, limits, clocks, entropy_source);
    app.proxy.public_url = Some("https://table.example/".parse().unwrap());
    let (end, ended) = oneshot::channel::<()>();
    let server = tokio::spawn(serve(listener, Arc::new(app), writer, async {
        // A dropped sender stops the server too.
        let _ = ended.await;
    }));

    let mut requests = Requests {
        address: address.to_string(),
        code: String::new(),
        samples: Vec::new(),
    };
    let body = r#"{"game":"sticheln","seats":4,"title":"Friday","options":{"edition":"nsv","end":{"type":"rounds","rounds":4},"all_zero_trick":null,"show_last_trick":true,"show_history":"last_trick","show_running_score":false},"listed":true,"password":"swordfish"}"#;
    requests
        .post(
            "opening a room: a seat too many",
            "opening a room: refused",
            r#"{"game":"nyet","seats":6}"#,
        )
        .await;
    requests
        .post(
            "opening a room: the password of the server",
            "opening a room: done with the password of the server",
            r#"{"game":"nyet","seats":3,"open_password":"Tischlein"}"#,
        )
        .await;
    requests
        .post(
            "opening a room: from a position",
            "opening a room: no such game",
            r#"{"game":"nyet","seats":3,"play_on":{"replay":"AAECAwQFBgcICQoLDA0ODw","round":2,"rev":57}}"#,
        )
        .await;
    requests
        .post("opening a room", "opening a room: done", body)
        .await;
    requests
        .post(
            "opening a room: beyond the limit",
            "opening a room: too many rooms",
            r#"{"game":"nyet","seats":3}"#,
        )
        .await;
    requests
        .get("listed rooms", "GET /api/rooms", "/api/rooms")
        .await;
    let path = format!("/api/rooms/{}", requests.code);
    requests
        .get("the summary of a room", "GET /api/rooms/{room}", &path)
        .await;
    requests
        .get(
            "no such room",
            "GET /api/rooms/{room}",
            "/api/rooms/zzzzzzzz",
        )
        .await;
    requests
        .post_to(
            CONNECTION_CHECK,
            "the connection check",
            "the connection check: findings",
            r#"{"page":"https://table.example/"}"#,
        )
        .await;

    let url = format!("ws://{address}/api/rooms/{}/socket", requests.code);
    let mut request = url.into_client_request().unwrap();
    let protocol = HeaderValue::from_static("trick.v1");
    request
        .headers_mut()
        .insert("sec-websocket-protocol", protocol.clone());
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut socket, answer) = client_async(request, stream).await.unwrap();
    assert_eq!(
        answer.headers().get("sec-websocket-protocol"),
        Some(&protocol)
    );
    let hello = json!({"type": "hello", "id": "h7x2-1", "token": sample_token("Ada"), "password": "swordfish"});
    socket.send(Message::text(hello.to_string())).await.unwrap();
    for kind in ["welcome", "ok", "room"] {
        let text = next_text(&mut socket).await;
        let message: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(message["type"], kind);
    }

    end.send(()).unwrap();
    let closing = next_text(&mut socket).await;
    requests.record("closing", "Ada", From::Server, None, closing);
    match socket.next().await.unwrap().unwrap() {
        Message::Close(Some(frame)) => assert_eq!(u16::from(frame.code), 4000),
        other => panic!("{other:?}"),
    }
    drop(socket);
    server.await.unwrap();
    requests.samples
}

async fn next_text(socket: &mut WebSocketStream<TcpStream>) -> String {
    let frame = socket.next().await.unwrap().unwrap();
    frame.into_text().unwrap().to_string()
}

struct Requests {
    address: String,
    /// The code of the room that was opened.
    code: String,
    samples: Vec<Sample>,
}

impl Requests {
    async fn post(&mut self, title: &'static str, answered: &'static str, body: &str) {
        self.post_to("POST /api/rooms", title, answered, body).await;
    }

    async fn post_to(
        &mut self,
        request: &'static str,
        title: &'static str,
        answered: &'static str,
        body: &str,
    ) {
        self.record(
            title,
            "Ada",
            From::Client,
            Some((request, None)),
            body.to_owned(),
        );
        let length = body.len();
        let head = format!(
            "{request} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
        );
        let (status, answer) = self.request(&head, body).await;
        if status == 201 {
            let opened: Value = serde_json::from_str(&answer).unwrap();
            self.code = opened["room"].as_str().unwrap().to_owned();
        }
        self.record(
            answered,
            "Ada",
            From::Server,
            Some((request, Some(status))),
            answer,
        );
    }

    async fn get(&mut self, title: &'static str, request: &'static str, path: &str) {
        let (status, answer) = self.request(&format!("GET {path} HTTP/1.1\r\n"), "").await;
        self.record(
            title,
            "Ada",
            From::Server,
            Some((request, Some(status))),
            answer,
        );
    }

    async fn request(&self, head: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        let request = format!(
            "{head}Host: {}\r\nConnection: close\r\n\r\n{body}",
            self.address
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        let reply = Reply::read(&bytes);
        (reply.status, reply.text().to_owned())
    }

    /// Records a message, with a fixed code in place of the random code of the room.
    fn record(
        &mut self,
        title: &'static str,
        who: &'static str,
        from: From,
        request: Option<(&'static str, Option<u16>)>,
        text: String,
    ) {
        let text = if self.code.is_empty() {
            text
        } else {
            text.replace(&self.code, "k7qm2x4p")
        };
        self.samples.push(Sample {
            title,
            scene: SCENE,
            who,
            from,
            request,
            text,
        });
    }
}
