//! HTTP requests.

use std::io;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::connector::Connector;

/// The time limit for a response.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The most bytes of a response.
const MAX_RESPONSE_BYTES: u64 = 1 << 16;

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Response {
    /// The text in this field of the body, which is a JSON object.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let body: Value = serde_json::from_str(&self.body).ok()?;
        Some(body.get(name)?.as_str()?.to_owned())
    }

    fn parse(text: &str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let body = body.to_owned();
        Some(Self { status, body })
    }
}

/// Sends a GET request.
pub(crate) async fn get(connector: impl Into<Connector>, path: &str) -> io::Result<Response> {
    let connector = connector.into();
    let address = connector.server;
    exchange(
        connector,
        format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"),
    )
    .await
}

/// Sends GET requests on one connection without waiting for responses. Reads up to the first response with the
/// status `stop_at`, and returns the status of each response.
pub(crate) async fn get_pipelined(
    connector: Connector,
    paths: &[&str],
    stop_at: u16,
) -> io::Result<Vec<u16>> {
    let address = connector.server;
    let mut requests: Vec<_> = paths
        .iter()
        .map(|path| format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n"))
        .collect();
    if let Some(request) = requests.last_mut() {
        request.insert_str(request.len() - 2, "connection: close\r\n");
    }
    let exchange = async {
        let mut stream = connector.connect().await?;
        stream.write_all(requests.concat().as_bytes()).await?;
        let mut bytes = Vec::new();
        let mut stream = stream.take(MAX_RESPONSE_BYTES * paths.len() as u64);
        loop {
            let length = stream.read_buf(&mut bytes).await?;
            let found: Vec<_> = statuses(&String::from_utf8_lossy(&bytes)).collect();
            if length == 0 || found.contains(&stop_at) {
                return Ok(found);
            }
        }
    };
    timeout(TIMEOUT, exchange).await?
}

/// The statuses of consecutive responses.
fn statuses(text: &str) -> impl Iterator<Item = u16> {
    let responses = text.split("HTTP/1.1 ").skip(1);
    responses.filter_map(|response| response.get(..3)?.parse().ok())
}

/// Sends a POST request with a JSON body.
pub(crate) async fn post(
    connector: impl Into<Connector>,
    path: &str,
    body: &impl Serialize,
) -> io::Result<Response> {
    let connector = connector.into();
    exchange(connector, post_request(connector, path, body)?).await
}

/// Sends a POST request with a JSON body, and closes the connection before the response.
pub(crate) async fn post_without_response(
    connector: Connector,
    path: &str,
    body: &impl Serialize,
) -> io::Result<()> {
    let request = post_request(connector, path, body)?;
    let mut stream = connector.connect().await?;
    stream.write_all(request.as_bytes()).await
}

fn post_request(connector: Connector, path: &str, body: &impl Serialize) -> io::Result<String> {
    let address = connector.server;
    let body = serde_json::to_string(body)?;
    let length = body.len();
    Ok(format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    ))
}

async fn exchange(connector: Connector, request: String) -> io::Result<Response> {
    let exchange = async {
        let mut stream = connector.connect().await?;
        stream.write_all(request.as_bytes()).await?;
        let mut text = String::new();
        let mut stream = stream.take(MAX_RESPONSE_BYTES);
        stream.read_to_string(&mut text).await?;
        Response::parse(&text).ok_or_else(|| io::ErrorKind::InvalidData.into())
    };
    timeout(TIMEOUT, exchange).await?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_has_a_status_and_a_body() {
        let text = "HTTP/1.1 201 Created\r\ncontent-length: 19\r\n\r\n{\"room\":\"k7qm2x4p\"}";
        let response = Response::parse(text).expect("this is a response");
        assert_eq!(response.status, 201);
        assert_eq!(response.field("room").as_deref(), Some("k7qm2x4p"));
        assert_eq!(response.field("url"), None);
        assert!(Response::parse("HTTP/1.1").is_none());
    }

    #[test]
    fn pipelined_responses_have_statuses() {
        let text =
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 429 Too Many Requests\r\n\r\n";
        assert_eq!(statuses(text).collect::<Vec<_>>(), [200, 429]);
    }
}
