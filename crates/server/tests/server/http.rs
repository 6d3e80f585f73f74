//! HTTP requests.

use std::time::Duration;

use serde_json::{Value, json};

use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::socket::closing::Shutdown;

use crate::harness::{Server, advance_timers, limits};

/// Headers of every response.
const GUARDS: [(&str, &str); 2] = [
    ("x-content-type-options", "nosniff"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Headers of every response that can be a document.
const DOCUMENT_GUARDS: [(&str, &str); 2] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    ("referrer-policy", "no-referrer"),
];

#[tokio::test]
async fn a_room_is_opened_with_a_code_and_an_address() {
    let server = Server::start().await;
    let reply = server.post(r#"{"game": "sticheln", "seats": 4}"#).await;
    assert_eq!(reply.status, 201);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let opened = reply.json();
    let code = opened["room"].as_str().unwrap();
    assert_eq!(code.len(), 8);
    let alphabet = "23456789abcdefghjkmnpqrstuvwxyz";
    assert!(
        code.chars().all(|letter| alphabet.contains(letter)),
        "{code}"
    );
    // The address of the page is relative to the request, so it works below any path.
    assert_eq!(opened, json!({"room": code, "url": format!("../t/{code}")}));
    assert_eq!(server.get(&format!("/t/{code}")).await.status, 200);
}

#[tokio::test]
async fn a_summary_contains_public_data_only() {
    let server = Server::start().await;
    let body = json!({
        "game": "nyet",
        "seats": 3,
        "title": "Thursdays",
        "options": {"no_trump_space": true},
        "password": "sesame",
    });
    let room = server.open_room(body).await;
    let reply = server.get(&format!("/api/rooms/{room}")).await;
    assert_eq!(reply.status, 200);
    assert_eq!(
        reply.json(),
        json!({
            "room": room,
            "game": "nyet",
            "title": "Thursdays",
            "seats": 3,
            "taken": 0,
            "phase": "lobby",
            "spectators": 0,
            "locked": true,
            "replays": "players",
        })
    );
    let nobody = server.get("/api/rooms/k7qm2x4p").await;
    nobody.refused(404, "no_such_room");
    server
        .get("/api/rooms/x")
        .await
        .refused(404, "no_such_room");
}

/// The list is sorted by the minute of the last activity, which everybody can see.
#[tokio::test]
async fn a_replaced_choice_does_not_move_a_room_in_the_list() {
    let server = Server::start().await;
    let (room, mut clients) = server.started(&["Ann", "Bob", "Cem"]).await;
    let list = json!({"type": "configure", "listed": true});
    clients[0].request(list).await.ok();
    clients[0].act().await;
    clients[0].sync().await;
    server.advance(Duration::from_secs(120));
    let body = json!({"game": "sticheln", "seats": 3, "listed": true});
    let newer = server.open_room(body).await;
    server.advance(Duration::from_secs(120));

    let action = clients[0].game["changes"][0].clone();
    let replace = json!({"type": "act", "action": action});
    clients[0].request(replace).await.ok();
    let codes = async || {
        let rooms = server.get("/api/rooms").await.json()["rooms"].clone();
        let rooms = rooms.as_array().unwrap().clone();
        rooms.iter().map(|room| room["room"].clone()).collect()
    };
    let before: Vec<Value> = codes().await;
    assert_eq!(before, [json!(newer), json!(room)]);
    clients[1].act().await;
    let after: Vec<Value> = codes().await;
    assert_eq!(after, [json!(room), json!(newer)], "a first choice does");
}

#[tokio::test]
async fn only_listed_rooms_are_in_the_list() {
    let server = Server::start().await;
    assert_eq!(server.get("/api/rooms").await.json(), json!({"rooms": []}));
    server.open_sticheln(3).await;
    let listed = server
        .open_room(json!({"game": "sticheln", "seats": 5, "listed": true, "title": "Open"}))
        .await;
    let rooms = server.get("/api/rooms").await.json();
    assert_eq!(
        rooms,
        json!({"rooms": [{
            "room": listed,
            "game": "sticheln",
            "title": "Open",
            "seats": 5,
            "taken": 0,
            "phase": "lobby",
            "spectators": 0,
            "locked": false,
            "replays": "everybody",
        }]})
    );

    // The list shows changes of the room, and the host can remove the room from it.
    let mut ann = server.sit("Ann", &listed).await;
    assert_eq!(
        server.get("/api/rooms").await.json()["rooms"][0]["taken"],
        1
    );
    ann.request(json!({"type": "configure", "listed": false}))
        .await
        .ok();
    assert_eq!(server.get("/api/rooms").await.json(), json!({"rooms": []}));
}

#[tokio::test]
async fn invalid_openings_are_refused_with_a_code() {
    let server = Server::with(Limits {
        rooms_per_address: limit!(1),
        ..limits()
    })
    .await;
    let usual = json!({"game": "sticheln", "seats": 4});
    let with = |field: &str, value: Value| {
        let mut body = usual.clone();
        body[field] = value;
        body.to_string()
    };
    let cases = [
        (String::new(), "malformed"),
        ("{".to_owned(), "malformed"),
        ("[]".to_owned(), "malformed"),
        (
            r#"["sticheln", 4, null, null, false, null]"#.to_owned(),
            "malformed",
        ),
        ("\u{0}".to_owned(), "malformed"),
        (with("game", json!("poker")), "malformed"),
        (with("game", Value::Null), "malformed"),
        (with("seats", json!(-1)), "malformed"),
        (with("seats", json!("4")), "malformed"),
        (with("seats", json!(1e300)), "malformed"),
        (with("listed", json!("yes")), "malformed"),
        (with("title", json!(7)), "malformed"),
        (with("secret", json!("x")), "malformed"),
        (r#"{"game":"sticheln","seats":4}x"#.to_owned(), "malformed"),
        (
            r#"{"game":"sticheln","game":"nyet","seats":4}"#.to_owned(),
            "malformed",
        ),
        (with("seats", json!(2)), "wrong_seats"),
        (with("seats", json!(7)), "wrong_seats"),
        (with("seats", json!(usize::MAX)), "wrong_seats"),
        (with("title", json!("")), "name_empty"),
        (with("title", json!("a".repeat(41))), "name_too_long"),
        (with("title", json!("a\u{202e}b")), "name_not_allowed"),
        (with("password", json!("")), "bad_password"),
        (with("password", json!("a".repeat(65))), "bad_password"),
        (with("options", json!({"edition": "x"})), "bad_options"),
        (
            with("options", json!({"no_trump_space": true})),
            "bad_options",
        ),
        (with("options", json!([])), "bad_options"),
        // The number of a name, and an object with a name.
        (
            with("options", json!({"end": {"type": 0, "rounds": 4}})),
            "bad_options",
        ),
        (
            with("options", json!({"edition": {"nsv": null}})),
            "bad_options",
        ),
        (
            with("options", json!({"end": {"type": "rounds", "rounds": 31}})),
            "bad_options",
        ),
    ];
    for (body, code) in cases {
        let reply = server.post(&body).await;
        assert_eq!(reply.json(), json!({"code": code}), "{body}");
        assert_eq!(reply.status, 400, "{body}");
    }
    // None of them counts as a room.
    server.open_sticheln(4).await;
    let reply = server.post(usual.to_string()).await;
    reply.refused(429, "too_many_rooms");
}

#[tokio::test]
async fn a_body_may_have_as_many_bytes_as_a_message() {
    let server = Server::start().await;
    let body = json!({"game": "sticheln", "seats": 4}).to_string();
    let most = server.setup.limits.message_bytes;
    let padded = |bytes: usize| body.clone() + &" ".repeat(bytes - body.len());
    assert_eq!(server.post(padded(most)).await.status, 201);
    server
        .post(padded(most + 1))
        .await
        .refused(413, "too_large");
    server
        .post(padded(1_000_000))
        .await
        .refused(413, "too_large");
}

/// `serde_json` would read the text of such a field as JSON again, at any depth, and overflow the stack.
#[tokio::test]
async fn a_body_is_shallow() {
    let server = Server::with(Limits {
        message_bytes: 1 << 20,
        ..limits()
    })
    .await;
    let mut text = String::from("0");
    for _ in 0..17 {
        text = json!({"$serde_json::private::RawValue": text}).to_string();
    }
    let raw = format!(r#"{{"game":"sticheln","seats":4,"options":{text}}}"#);
    let deep = format!(
        r#"{{"game":"sticheln","seats":4,"options":{{"a":{}{}}}}}"#,
        "[".repeat(40),
        "]".repeat(40)
    );
    for body in [raw, deep] {
        server.post(&body).await.refused(400, "malformed");
    }
}

#[tokio::test]
async fn the_page_is_at_the_root_and_one_folder_below() {
    let server = Server::start().await;
    let home = server.get("/").await;
    assert_eq!(home.status, 200);
    assert_eq!(
        home.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let room = server.open_sticheln(3).await;
    let replay = "/g/AbCdEfGhIjKlMnOpQrStUv".to_owned();
    for path in [format!("/t/{room}"), "/t/anything".to_owned(), replay] {
        let room_page = server.get(&path).await;
        assert_eq!(room_page.status, 200);
        assert_eq!(
            room_page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        // The same page except for its modules, whose addresses start one folder higher.
        let home = home.text().replace("=\"./", "=\"../");
        assert_eq!(without_modules(room_page.text()), without_modules(&home));
    }
    // Every file in the page is found from both places.
    let named = home.text().split("=\"./").skip(1);
    let named: Vec<_> = named.filter_map(|rest| rest.split('"').next()).collect();
    assert!(named.iter().any(|path| path.ends_with(".js")), "{named:?}");
    for path in named {
        let file = server.get(&format!("/{path}")).await;
        assert_eq!(file.status, 200, "{path}");
        let kind = match path.rsplit('.').next().unwrap() {
            "js" => "text/javascript",
            "css" => "text/css",
            "woff2" => "font/woff2",
            "svg" => "image/svg+xml",
            "png" => "image/png",
            "json" => "application/json",
            "webmanifest" => "application/manifest+json",
            _ => panic!("{path} is of an unknown kind"),
        };
        assert_eq!(file.header("content-type"), Some(kind), "{path}");
    }
}

fn without_modules(page: &str) -> Vec<&str> {
    let lines = page.lines();
    lines
        .filter(|line| !line.contains("modulepreload"))
        .collect()
}

#[tokio::test]
async fn all_responses_have_security_headers() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let requests = [
        ("GET", "/".to_owned(), 200),
        ("GET", format!("/t/{room}"), 200),
        ("GET", "/icon.svg".to_owned(), 200),
        ("GET", "/api/page".to_owned(), 200),
        ("GET", "/api/rooms".to_owned(), 200),
        ("GET", format!("/api/rooms/{room}"), 200),
        ("GET", "/api/rooms/k7qm2x4p".to_owned(), 404),
        ("GET", "/nothing".to_owned(), 404),
        ("DELETE", "/api/rooms".to_owned(), 405),
        ("POST", "/api/rooms".to_owned(), 400),
        ("GET", format!("/api/rooms/{room}/socket"), 400),
        ("GET", "/healthz".to_owned(), 200),
        ("GET", "/readyz".to_owned(), 200),
    ];
    for (method, path, status) in requests {
        let reply = server.send_request(method, &path, &[], "").await;
        assert_eq!(reply.status, status, "{method} {path}");
        // Only the inline script of the page may run.
        let is_page = method == "GET" && (path == "/" || path.starts_with("/t/"));
        let hash = |word: &&str| word.starts_with("'sha256-");
        for (name, value) in GUARDS.into_iter().chain(DOCUMENT_GUARDS) {
            let (hashes, words): (Vec<&str>, Vec<&str>) =
                reply.header(name).unwrap().split(' ').partition(hash);
            assert_eq!(words.join(" "), value, "{method} {path}");
            let many = usize::from(is_page && name == "content-security-policy");
            assert_eq!(hashes.len(), many, "{method} {path}");
        }
        assert_eq!(reply.header("set-cookie"), None);
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

#[tokio::test]
async fn unknown_paths_and_wrong_methods_are_refused() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    for path in [
        "/nothing",
        // The admin listener has them.
        "/metrics",
        "/index.html",
        "/js/",
        "/js/main.js",
        "/js/nothing.js",
        "/../Cargo.toml",
        "/js/../../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2fCargo.toml",
        "//etc/passwd",
        "/test/package.json",
        "/package.json",
        "/tsconfig.json",
        "/a",
        "/a/",
        "/a/now/",
        "/a/now/icon.svg",
        "/a/now/index.html",
        "/a/now/js/",
        "/a/now/js/protocol.d.ts",
        "/a/now/js/../../../Cargo.toml",
        "/a/now/js/%2e%2e/%2e%2e/%2e%2e/Cargo.toml",
        "/a/now/test/package.json",
        "/a/now//etc/passwd",
        "/api",
        "/api/rooms/",
        "/t",
        "/t/",
        "/sticheln.db",
    ] {
        let reply = server.get(path).await;
        assert_eq!(reply.status, 404, "{path}");
    }
    server.get("/nothing").await.refused(404, "not_found");
    // A path that cannot be decoded is not the code of a room.
    for code in ["%ff", "%", "%zz", "%c3%28", "a%00b", "%2f", "%e2%80%ae"] {
        let reply = server.get(&format!("/api/rooms/{code}")).await;
        reply.refused(404, "no_such_room");
    }
    for (method, path) in [
        ("PUT", "/api/rooms".to_owned()),
        ("DELETE", format!("/api/rooms/{room}")),
        ("POST", format!("/api/rooms/{room}")),
        ("POST", format!("/api/rooms/{room}/socket")),
        ("POST", "/".to_owned()),
        ("POST", "/healthz".to_owned()),
        ("POST", "/a/0/js/main.js".to_owned()),
        ("TRACE", "/".to_owned()),
    ] {
        let reply = server.send_request(method, &path, &[], "").await;
        reply.refused(405, "wrong_method");
    }
    let head = server.send_request("HEAD", "/", &[], "").await;
    assert_eq!((head.status, head.body.len()), (200, 0));
}

/// A test is next to its module, but it is no file of the page.
#[tokio::test]
async fn tests_of_modules_are_not_served() {
    const MODULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/js");

    let server = Server::start().await;
    let page = server.get("/api/page").await.json();
    let hash = page["files"].as_str().unwrap();
    let mut tests = 0;
    for folder in ["", "table/"] {
        for entry in std::fs::read_dir(format!("{MODULES}/{folder}")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let Some(module) = name.strip_suffix(".test.js") else {
                continue;
            };
            let status = async |path: String| server.get(&path).await.status;
            let test = format!("/a/{hash}/js/{folder}{name}");
            assert_eq!(status(test).await, 404, "{name}");
            let module = format!("/a/{hash}/js/{folder}{module}.js");
            assert_eq!(status(module.clone()).await, 200, "{module}");
            tests += 1;
        }
    }
    assert!(tests > 10, "{tests} tests");
}

#[tokio::test]
async fn health_and_readiness_are_reported() {
    let server = Server::start().await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.get(path).await.status, 200);
    }
    // A server that shuts down is alive but not ready.
    let closing_time = Duration::from_secs(1);
    server
        .app
        .shutdown
        .send_replace(Some(Shutdown::over(closing_time)));
    assert_eq!(server.get("/healthz").await.status, 200);
    assert_eq!(server.get("/readyz").await.status, 503);
}

/// The probe writes to the disk, so its result is used for a while.
#[tokio::test]
async fn the_disk_is_probed_again_after_five_seconds() {
    let server = Server::start().await;
    let status = async || server.get("/readyz").await.status;
    assert_eq!(status().await, 200);
    server.app.services.store.close().await;
    advance_timers(Duration::from_secs(4)).await;
    assert_eq!(status().await, 200);
    advance_timers(Duration::from_secs(2)).await;
    assert_eq!(status().await, 503);
}

/// If the database cannot be read, the response does not contain its error text.
#[tokio::test]
async fn an_unreadable_database_is_reported() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let mut ann = server.join("Ann", &room).await;
    server.app.services.store.close().await;
    assert_eq!(server.get("/healthz").await.status, 200);
    let ready = server.get("/readyz").await;
    assert_eq!(
        (ready.status, ready.text()),
        (503, "the database failed; changes cannot be saved")
    );
    server.get("/api/rooms").await.refused(503, "storage");
    let summary = server.get(&format!("/api/rooms/{room}")).await;
    summary.refused(503, "storage");
    // An awake room reads nothing from the database.
    ann.request(json!({"type": "sit", "name": "Ann"}))
        .await
        .ok();
    server.join("Bob", &room).await;
}
