//! Servers of other projects: the same workload over their own protocols.
//!
//! `crates/load/rivals` has their programs and says what they do.

mod boardgame;
mod client;
mod colyseus;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use clap::Args;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;

use self::client::{Client, Player};
use super::SEATS;
use crate::Failure;
use crate::closed_loop_rooms::PlayingRooms;
use crate::move_tracker::MoveTracker;
use crate::rng::fork_rng;
use crate::server::{Program, Server};
use crate::socket::ConnectionError;

/// The command that installs the rivals, from the folder of the repository.
const INSTALL: &str = "npm ci --prefix crates/load/rivals";
/// The Node.js that is installed with them, in their folder.
const NODE: &str = "node_modules/.bin/node";
/// The cards that each seat is dealt.
const HAND_SIZE: usize = 15;

/// The rivals in the source of this program.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/rivals");

/// The settings for servers of other projects.
#[derive(Clone, Debug, Args, Serialize)]
pub struct RivalSettings {
    /// Also measures Colyseus and boardgame.io, which `npm ci --prefix crates/load/rivals` installs.
    #[arg(id = "rivals", long = "rivals")]
    pub is_enabled: bool,
    /// The folder in which they are installed.
    #[arg(long, value_name = "DIR", default_value = FOLDER, hide_default_value = true)]
    pub rivals_folder: PathBuf,
}

/// A server of another project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rival {
    /// Colyseus.
    Colyseus,
    /// boardgame.io.
    Boardgame,
}

/// The content of a message of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Received {
    /// A move was made.
    View(View),
    /// The frame must be answered with this one.
    Answer(Message),
    /// Nothing that a player needs.
    Other,
}

/// The facts after a move that a client needs to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct View {
    is_on_turn: bool,
    /// The number of cards in their hand.
    hand_size: usize,
}

/// The messages between a player and their server.
trait Protocol {
    /// Reads a frame of the server.
    ///
    /// # Errors
    /// [`ConnectionError::Malformed`] if it is none of the protocol, [`ConnectionError::Refused`] if it is an error.
    fn read(&mut self, frame: &Message) -> Result<Received, ConnectionError>;

    /// The frame that plays the card with this index in the hand.
    fn play(&self, hand_index: usize) -> Message;
}

impl Rival {
    fn script(self) -> &'static str {
        match self {
            Self::Colyseus => "colyseus.mjs",
            Self::Boardgame => "boardgame.mjs",
        }
    }

    /// The package that shows that the rival is installed.
    fn package(self) -> &'static str {
        match self {
            Self::Colyseus => "@colyseus/core",
            Self::Boardgame => "boardgame.io",
        }
    }

    /// The program of the rival in this folder, run with the same data folder as another program.
    pub(super) fn program(self, folder: &Path, other: &Program) -> Program {
        Program {
            server: folder.join(NODE),
            script: Some(folder.join(self.script())),
            folder: other.folder.clone(),
            server_args: Vec::new(),
        }
    }

    /// Checks that the rival is installed in this folder.
    ///
    /// # Errors
    /// [`Failure::Aborted`] with the command that installs it.
    pub(super) fn check(self, folder: &Path) -> Result<(), Failure> {
        let package = folder.join("node_modules").join(self.package());
        let paths = [folder.join(NODE), package, folder.join(self.script())];
        match paths.iter().find(|path| !path.exists()) {
            None => Ok(()),
            Some(missing) => Err(Failure::Aborted(format!(
                "{} is missing. Install the rivals with `{INSTALL}`.",
                missing.display()
            ))),
        }
    }

    /// Opens a room, and returns its players in the order of their seats. Each of them has received their first hand.
    async fn open_room(self, address: SocketAddr) -> Result<Vec<Player>, ConnectionError> {
        match self {
            Self::Colyseus => colyseus::open_room(address).await,
            Self::Boardgame => boardgame::open_room(address).await,
        }
    }
}

/// Rooms of a rival in which nobody has moved.
pub(super) struct RivalRooms {
    rooms: Vec<Vec<Player>>,
    rng: ChaCha8Rng,
}

impl RivalRooms {
    /// Opens this number of rooms.
    pub(super) async fn open(
        rival: Rival,
        server: &Server,
        count: u32,
        rng: ChaCha8Rng,
    ) -> Result<Self, Failure> {
        let mut rooms = Vec::new();
        for _ in 0..count {
            let room = rival.open_room(server.address()).await;
            rooms.push(room.map_err(ConnectionError::failed_room)?);
        }
        Ok(Self { rooms, rng })
    }

    /// The number of connections.
    pub(super) fn connections(&self) -> usize {
        self.rooms.len() * SEATS
    }

    /// Lets all players play.
    pub(super) fn play(mut self) -> PlayingRooms {
        let may_move = Arc::new(AtomicBool::new(true));
        let mut clients = JoinSet::new();
        let mut trackers = Vec::new();
        for players in self.rooms {
            let tracker = Arc::new(Mutex::new(MoveTracker::new(vec![0; SEATS])));
            for (seat, player) in players.into_iter().enumerate() {
                let rng = fork_rng(&mut self.rng);
                let client = Client::new(seat, player, rng, tracker.clone(), may_move.clone());
                clients.spawn(client.play());
            }
            trackers.push(tracker);
        }
        PlayingRooms::new(clients, trackers, may_move)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_rival_is_an_error_with_the_command_that_installs_it() {
        let failure = Rival::Colyseus.check(Path::new("no/such/folder"));
        let failure = failure.expect_err("the folder does not exist");
        assert_eq!(
            failure.to_string(),
            "no/such/folder/node_modules/.bin/node is missing. Install the rivals with \
             `npm ci --prefix crates/load/rivals`."
        );
    }
}
