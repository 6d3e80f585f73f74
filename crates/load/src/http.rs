//! A question over HTTP, and its answer.

use std::io;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::route::Route;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of an answer.
const LONGEST: u64 = 1 << 16;

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Answer {
    /// A field of the object that the body is, if it is a text.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let body: Value = serde_json::from_str(&self.body).ok()?;
        Some(body.get(name)?.as_str()?.to_owned())
    }

    fn read(text: &str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let body = body.to_owned();
        Some(Self { status, body })
    }
}

/// Asks for a page.
pub(crate) async fn get(route: impl Into<Route>, path: &str) -> io::Result<Answer> {
    let route = route.into();
    let address = route.to;
    ask(
        route,
        format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"),
    )
    .await
}

/// Asks for pages on one connection, all at once. Returns the status of each answer that has come when the first one with
/// the status `stop_at` is read.
pub(crate) async fn get_until(route: Route, paths: &[&str], stop_at: u16) -> io::Result<Vec<u16>> {
    let address = route.to;
    let mut questions: Vec<_> = paths
        .iter()
        .map(|path| format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n"))
        .collect();
    if let Some(question) = questions.last_mut() {
        question.insert_str(question.len() - 2, "connection: close\r\n");
    }
    let exchange = async {
        let mut stream = route.connect().await?;
        stream.write_all(questions.concat().as_bytes()).await?;
        let mut bytes = Vec::new();
        let mut stream = stream.take(LONGEST * paths.len() as u64);
        loop {
            let length = stream.read_buf(&mut bytes).await?;
            let found: Vec<_> = statuses(&String::from_utf8_lossy(&bytes)).collect();
            if length == 0 || found.contains(&stop_at) {
                return Ok(found);
            }
        }
    };
    let late = |_| io::Error::from(io::ErrorKind::TimedOut);
    timeout(PATIENCE, exchange).await.map_err(late)?
}

/// The statuses of answers that follow each other.
fn statuses(text: &str) -> impl Iterator<Item = u16> {
    let answers = text.split("HTTP/1.1 ").skip(1);
    answers.filter_map(|answer| answer.get(..3)?.parse().ok())
}

/// Sends an object of JSON.
pub(crate) async fn post(route: impl Into<Route>, path: &str, body: &Value) -> io::Result<Answer> {
    let route = route.into();
    ask(route, posted(route, path, body)).await
}

/// Sends an object of JSON, and closes the connection before the answer comes.
pub(crate) async fn post_and_leave(route: Route, path: &str, body: &Value) -> io::Result<()> {
    let mut stream = route.connect().await?;
    stream
        .write_all(posted(route, path, body).as_bytes())
        .await?;
    Ok(())
}

/// The text of a call with an object of JSON.
fn posted(route: Route, path: &str, body: &Value) -> String {
    let address = route.to;
    let body = body.to_string();
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

async fn ask(route: Route, question: String) -> io::Result<Answer> {
    let exchange = async {
        let mut stream = route.connect().await?;
        stream.write_all(question.as_bytes()).await?;
        let mut text = String::new();
        stream.take(LONGEST).read_to_string(&mut text).await?;
        Answer::read(&text).ok_or_else(|| io::ErrorKind::InvalidData.into())
    };
    let late = |_| io::Error::from(io::ErrorKind::TimedOut);
    timeout(PATIENCE, exchange).await.map_err(late)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_status_and_a_body() {
        let text = "HTTP/1.1 201 Created\r\ncontent-length: 19\r\n\r\n{\"room\":\"k7qm2x4p\"}";
        let answer = Answer::read(text).expect("this is an answer");
        assert_eq!(answer.status, 201);
        assert_eq!(answer.field("room").as_deref(), Some("k7qm2x4p"));
        assert_eq!(answer.field("url"), None);
        assert!(Answer::read("HTTP/1.1").is_none());
    }

    #[test]
    fn answers_that_follow_each_other_have_statuses() {
        let text =
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 429 Too Many Requests\r\n\r\n";
        assert_eq!(statuses(text).collect::<Vec<_>>(), [200, 429]);
    }
}
