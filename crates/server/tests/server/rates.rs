//! The rate limits of requests, and the refusals above them.

use std::fs;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::Method;
use sticheln_server::http::listener::REFUSAL_PAUSE;
use sticheln_server::limits::address_limits::{AddressLimits, FILE_BURST_MINUTES};
use sticheln_server::limits::client_addr::ClientAddr;
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::limits::request_costs::{
    CONNECTION_CHECKS_PER_MINUTE, Cost, HEALTH_CHECKS_PER_MINUTE, ROUTES, cost,
};

use crate::harness::{Reply, Server, limits, local};
use crate::raw::RawConnection;

/// The number of people at one address who load the page at the same time.
const PEOPLE: usize = 40;

fn elsewhere() -> IpAddr {
    IpAddr::from([127, 0, 0, 2])
}

/// A server with so few requests and files per minute that no unit is refilled during a test.
async fn rate_limited(requests_per_minute: u32, files_per_minute: u32) -> Server {
    Server::with(Limits {
        requests_per_minute: limit!(requests_per_minute),
        files_per_minute: limit!(files_per_minute),
        ..limits()
    })
    .await
}

fn is_refused(reply: &Reply) -> bool {
    reply.status == 429 && reply.json()["code"] == "too_many_requests"
}

#[tokio::test]
async fn an_address_over_its_rate_is_refused_and_others_are_served() {
    let server = rate_limited(3, 2).await;
    for _ in 0..3 {
        assert_eq!(server.get("/api/page").await.status, 200);
    }
    let reply = server.get("/api/page").await;
    reply.refused(429, "too_many_requests");
    let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait} s");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    // Files and health checks have buckets of their own.
    for _ in 0..2 * FILE_BURST_MINUTES {
        assert_eq!(server.get("/icon.svg").await.status, 200);
    }
    assert!(is_refused(&server.get("/icon.svg").await));
    assert!(is_refused(&server.get("/nothing").await));
    assert_eq!(server.get("/healthz").await.status, 200);
    for path in ["/api/page", "/icon.svg"] {
        assert_eq!(server.get_from(elsewhere(), path).await.status, 200);
    }
}

/// Each route is answered as often as its cost allows. The server does not start with a route that
/// is missing in this list.
#[tokio::test]
async fn every_route_is_charged() {
    const UNITS: u32 = 10;

    for route in ROUTES {
        let server = rate_limited(UNITS, UNITS).await;
        let path = route.path.replace("{room}", "k7qm2x4p");
        let path = path.replace("{hash}/{*path}", "now/js/main.js");
        let (units, per_minute, minutes) = match route.cost {
            Cost::Request(units) => (units, UNITS, 1),
            Cost::File => (1, UNITS, FILE_BURST_MINUTES),
            Cost::HealthCheck => (1, HEALTH_CHECKS_PER_MINUTE.get(), 1),
            Cost::ConnectionCheck => (1, CONNECTION_CHECKS_PER_MINUTE.get(), 1),
        };
        let capacity = per_minute * minutes;
        // A cost above the capacity takes the whole bucket.
        let units = units.min(capacity);
        let started = Instant::now();
        let mut answered = 0;
        loop {
            let reply = server.send_request(route.method, &path, &[], "").await;
            // On a slow machine some units are refilled.
            let back = started.elapsed().as_secs_f64() / 60.0 * f64::from(per_minute);
            let most = ((f64::from(capacity) + back) / f64::from(units)) as u32;
            if is_refused(&reply) {
                break;
            }
            answered += 1;
            assert!(answered <= most, "{route:?} was answered {answered} times");
        }
        let least = capacity / units;
        assert!(answered >= least, "{route:?} was answered {answered} times");
    }
}

#[tokio::test]
async fn the_body_of_a_refused_request_is_not_read() {
    let server = rate_limited(1, 1).await;
    assert_eq!(server.get("/api/page").await.status, 200);
    let mut ann = RawConnection::connect(&server).await;
    // Its body is never sent.
    ann.send("POST /api/rooms HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
        .await;
    ann.reply().await.refused(429, "too_many_requests");
}

/// Each refusal is delayed and keeps its connection busy, so one client cannot cause many refusals.
#[tokio::test]
async fn refusals_on_a_connection_are_delayed() {
    const REFUSALS: u32 = 3;

    let server = rate_limited(1, 1).await;
    assert_eq!(server.get("/api/page").await.status, 200);
    let mut ann = RawConnection::connect(&server).await;
    let started = Instant::now();
    ann.send("GET /api/page HTTP/1.1\r\nhost: x\r\n\r\n".repeat(REFUSALS as usize))
        .await;
    for _ in 0..REFUSALS {
        ann.reply().await.refused(429, "too_many_requests");
    }
    assert!(started.elapsed() >= REFUSALS * REFUSAL_PAUSE);
}

#[test]
fn units_are_refilled_over_time() {
    let address_limits = Arc::new(AddressLimits::new(Limits {
        requests_per_minute: limit!(60),
        files_per_minute: limit!(6),
        ..Limits::default()
    }));
    let client_addr = |last| ClientAddr::from(IpAddr::from([192, 0, 2, last]));
    let (one, two) = (client_addr(1), client_addr(2));
    // Later than the creation of the buckets.
    let started = Instant::now() + Duration::from_secs(1);
    let at = |millis| started + Duration::from_millis(millis);
    for _ in 0..30 {
        assert_eq!(
            address_limits.try_charge_request(one, Cost::Request(2), started),
            Ok(())
        );
    }
    let wait = address_limits.try_charge_request(one, Cost::Request(2), started);
    assert_eq!(wait, Err(Duration::from_secs(2)));
    assert_eq!(
        address_limits.try_charge_request(two, Cost::Request(2), started),
        Ok(())
    );
    assert_eq!(
        address_limits.try_charge_request(one, Cost::File, started),
        Ok(())
    );
    // A refused request costs no units, so the wait for the next one does not grow.
    let wait = address_limits.try_charge_request(one, Cost::Request(2), at(1500));
    assert_eq!(wait, Err(Duration::from_millis(500)));
    assert_eq!(
        address_limits.try_charge_request(one, Cost::Request(1), at(1500)),
        Ok(())
    );
    assert!(
        address_limits
            .try_charge_request(one, Cost::Request(1), at(1500))
            .is_err()
    );
    // The capacity of a bucket is the rate of one minute.
    let requests = |millis| {
        (0..100).filter(move |_| {
            address_limits
                .try_charge_request(one, Cost::Request(1), at(millis))
                .is_ok()
        })
    };
    assert_eq!(requests(3_600_000).count(), 60);
}

#[test]
fn both_health_checks_share_a_bucket() {
    let address_limits = AddressLimits::new(Limits::default());
    let now = Instant::now();
    let charge = |path| address_limits.try_charge_request(local(), cost(&Method::GET, path), now);
    let paths = ["/healthz", "/readyz"].into_iter().cycle();
    let answered = paths.take_while(|path| charge(path).is_ok());
    assert_eq!(answered.count(), 600);
    assert!(charge("/healthz").is_err() && charge("/readyz").is_err());
    assert_eq!(charge("/"), Ok(()));
}

/// A request that costs more than the capacity is answered when the bucket is full.
#[test]
fn no_request_costs_more_than_the_bucket_holds() {
    let address_limits = Arc::new(AddressLimits::new(Limits {
        requests_per_minute: limit!(3),
        ..Limits::default()
    }));
    let client_addr = ClientAddr::from(IpAddr::from([192, 0, 2, 1]));
    let now = Instant::now();
    assert_eq!(
        address_limits.try_charge_request(client_addr, Cost::Request(5), now),
        Ok(())
    );
    assert!(
        address_limits
            .try_charge_request(client_addr, Cost::Request(1), now)
            .is_err()
    );
}

/// The limits allow several people at one address to load all files, as after an upgrade of the server.
#[test]
fn people_at_one_address_can_load_the_whole_page() {
    let web = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
    let files = files(web);
    assert!(files > 100, "{files} files");
    let asked = PEOPLE * files;
    let most = (Limits::default().files_per_minute.get() * FILE_BURST_MINUTES) as usize;
    assert!(asked <= most, "{asked} files, and {most} are allowed");
}

/// The number of files in a folder of the page. The server has no tests of modules.
fn files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = entries.map(|entry| match entry.file_type().unwrap().is_dir() {
        true if ["test", "node_modules"]
            .iter()
            .any(|name| entry.file_name() == *name) =>
        {
            0
        }
        true => files(&entry.path()),
        false => usize::from(!entry.file_name().to_string_lossy().ends_with(".test.js")),
    });
    files.sum()
}
