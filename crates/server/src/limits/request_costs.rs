//! The costs of requests, in units of the buckets of an address.

use std::num::NonZero;

use axum::http::Method;

/// The most health checks of one address in a minute. They have a bucket of their own, so that other
/// requests from the address of a monitor do not block its checks.
pub const HEALTH_CHECKS_PER_MINUTE: NonZero<u32> = NonZero::new(600).expect("600 is not 0");

/// The most connection checks of one address in a minute: requests and sockets. They have a bucket of their own, because
/// the server also answers those of other sites' pages, if the browser does not name the site.
pub const CONNECTION_CHECKS_PER_MINUTE: NonZero<u32> = NonZero::new(60).expect("60 is not 0");

/// A small response from memory.
const SMALL: Cost = Cost::Request(1);
/// A response that reads the database.
const READ: Cost = Cost::Request(2);
/// An upgrade, which takes a task and memory.
const SOCKET: Cost = Cost::Request(2);
/// A finished round, which is applied again.
const REPLAY: Cost = Cost::Request(6);
/// A whole game of up to 30 rounds, which are applied again. One reader must not keep the only permit from the others.
const RECORD: Cost = Cost::Request(240);
/// A new room, which is written to the database.
const OPENING: Cost = Cost::Request(5);

/// The cost of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// This many units of `--requests-per-minute`.
    Request(u32),
    /// One unit of `--files-per-minute`.
    File,
    /// One unit of [`HEALTH_CHECKS_PER_MINUTE`].
    HealthCheck,
    /// One unit of [`CONNECTION_CHECKS_PER_MINUTE`].
    ConnectionCheck,
}

/// A route of the server with its cost.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The method; `HEAD` counts as `GET`.
    pub method: &'static str,
    /// The path pattern of the router.
    pub path: &'static str,
    /// The cost.
    pub cost: Cost,
}

/// All routes.
pub const ROUTES: [Route; 16] = [
    route("GET", "/", SMALL),
    route("GET", "/t/{room}", SMALL),
    route("GET", "/g/{id}", SMALL),
    route("GET", "/api/page", SMALL),
    route("POST", "/api/connection-check", Cost::ConnectionCheck),
    route("GET", "/api/connection-check", Cost::ConnectionCheck),
    route("GET", "/api/rooms", READ),
    route("POST", "/api/rooms", OPENING),
    route("GET", "/api/rooms/{room}", READ),
    route("GET", "/api/rooms/{room}/socket", SOCKET),
    route("GET", "/api/games/{game}", READ),
    route("GET", "/api/games/{game}/rounds/{round}", REPLAY),
    route("GET", "/api/games/{game}/record", RECORD),
    route("GET", "/healthz", Cost::HealthCheck),
    route("GET", "/readyz", Cost::HealthCheck),
    route("GET", "/a/{hash}/{*path}", Cost::File),
];

const fn route(method: &'static str, path: &'static str, cost: Cost) -> Route {
    Route { method, path, cost }
}

/// The cost of a request. An unknown path costs as much as a file.
pub fn cost(method: &Method, path: &str) -> Cost {
    let method = match method.as_str() {
        "HEAD" => "GET",
        other => other,
    };
    let mut is_known = false;
    for route in ROUTES {
        if is_match(route.path, path) {
            is_known = true;
            if route.method == method {
                return route.cost;
            }
        }
    }
    // A known path with another method costs one unit for requests, an unknown path one for files.
    if is_known { SMALL } else { Cost::File }
}

/// Whether a path matches the pattern of a route.
fn is_match(route: &str, path: &str) -> bool {
    let mut parts = path.split('/');
    for wanted in route.split('/') {
        let Some(part) = parts.next() else {
            return false;
        };
        if wanted.starts_with("{*") {
            return true;
        }
        let fits = match wanted.starts_with('{') {
            true => !part.is_empty(),
            false => wanted == part,
        };
        if !fits {
            return false;
        }
    }
    parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_cost_of_its_route() {
        for (method, path, expected) in [
            (Method::GET, "/", SMALL),
            (Method::HEAD, "/", SMALL),
            (Method::POST, "/", SMALL),
            (Method::GET, "/t/k7qm2x4p", SMALL),
            (Method::GET, "/g/AbCdEfGhIjKlMnOpQrStUv", SMALL),
            (Method::GET, "/api/rooms", READ),
            (Method::POST, "/api/rooms", OPENING),
            (Method::DELETE, "/api/rooms", SMALL),
            (Method::GET, "/api/rooms/k7qm2x4p", READ),
            (Method::GET, "/api/rooms/k7qm2x4p/socket", SOCKET),
            (Method::GET, "/healthz", Cost::HealthCheck),
            (Method::GET, "/healthz/", Cost::File),
            (Method::GET, "/a/0/js/table/card-drawing.js", Cost::File),
            (Method::GET, "/a/0", Cost::File),
            (Method::GET, "/icon.svg", Cost::File),
            (Method::GET, "/api/rooms/k7qm2x4p/socket/more", Cost::File),
            (Method::GET, "//", Cost::File),
            (Method::GET, "/t/", Cost::File),
            (Method::GET, "/g/", Cost::File),
            (Method::GET, "/api/rooms/", Cost::File),
            (Method::GET, "/api/rooms//socket", Cost::File),
            (Method::GET, "*", Cost::File),
        ] {
            assert_eq!(cost(&method, path), expected, "{method} {path}");
        }
    }
}
