//! The appends of PostgreSQL alone: the rooms of a group append at the same time, so that they share a statement and a commit.

use std::path::Path;
use std::time::{Duration, Instant};

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use sticheln_server::storage::Store;
use sticheln_server::storage::postgres::{DatabaseAddress, DatabaseSettings};

use crate::NOW;
use crate::moves::RecordedRound;

/// The metric with the number of commits.
const COMMITS: &str = "commit_group_count ";

/// Appends to this many rooms again and again for this time. The database is that of `STICHELN_DATABASE_URL`; the lock of the server
/// is in this folder. Prints a line when all rooms are open, and at the end the appends, the commits and the seconds.
pub async fn measure(folder: &Path, rooms: usize, time: Duration) {
    let url = std::env::var("STICHELN_DATABASE_URL").unwrap();
    let database = DatabaseSettings {
        address: DatabaseAddress {
            url: url.parse().ok(),
        },
        ..DatabaseSettings::default()
    };
    let (store, writer) = Store::open_with(folder, &database, None).await.unwrap();
    let round = RecordedRound::play();
    let mut played = round.open_rooms(&store, rooms).await;
    println!("{rooms} rooms are open");
    let (commits, begun) = (commits(&store), Instant::now());
    let mut appends = 0;
    while begun.elapsed() < time {
        round.append(&store, &mut played, NOW).await;
        appends += rooms;
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("{appends} {} {seconds}", self::commits(&store) - commits);
    drop(played);
    store.close().await;
    writer.finish().await;
}

/// The commits of the store up to now.
fn commits(store: &Store) -> u64 {
    let (mut registry, mut text) = (Registry::default(), String::new());
    store.metrics().register(&mut registry);
    encode(&mut text, &registry).unwrap();
    let mut lines = text.lines();
    let commits = lines.find_map(|line| line.strip_prefix(COMMITS));
    commits.unwrap().parse().unwrap()
}
