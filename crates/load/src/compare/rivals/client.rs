//! A player of a rival, with their own connection.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Protocol, Received, View};
use crate::closed_loop_rooms::Tracker;
use crate::socket::{ConnectionError, Socket};
use crate::sync::locked;

/// A player who has received their first hand.
pub(super) struct Player {
    pub(super) socket: Socket,
    pub(super) protocol: Box<dyn Protocol + Send>,
    pub(super) view: View,
}

/// A client that plays as soon as its view shows that it may.
pub(super) struct Client {
    seat: usize,
    player: Player,
    /// The number of moves that the client has received.
    moves: u64,
    /// When the move was sent that the client has not received yet.
    sent_at: Option<Instant>,
    rng: ChaCha8Rng,
    tracker: Tracker,
    may_move: Arc<AtomicBool>,
}

impl Client {
    /// A client on this seat.
    pub(super) fn new(
        seat: usize,
        player: Player,
        rng: ChaCha8Rng,
        tracker: Tracker,
        may_move: Arc<AtomicBool>,
    ) -> Self {
        Self {
            seat,
            player,
            moves: 0,
            sent_at: None,
            rng,
            tracker,
            may_move,
        }
    }

    /// Plays until the connection fails.
    pub(super) async fn play(mut self) -> Result<Infallible, ConnectionError> {
        self.act().await?;
        loop {
            let (at, frame) = self.player.socket.receive_frame().await?;
            locked(&self.tracker).add_bytes(frame.len());
            match self.player.protocol.read(&frame)? {
                Received::View(view) => {
                    self.player.view = view;
                    self.record_move(at);
                    self.act().await?;
                }
                Received::Answer(frame) => self.player.socket.send_frame(frame).await?,
                Received::Other => {}
            }
        }
    }

    /// Counts a move. Seats play in turn, so the first move after an own one was sent is that one.
    fn record_move(&mut self, at: Instant) {
        self.moves += 1;
        let mut tracker = locked(&self.tracker);
        if let Some(sent_at) = self.sent_at.take() {
            tracker.record_sent(self.moves, sent_at);
        }
        tracker.record_received(self.seat, self.moves, at);
    }

    /// Plays a random card if the player is on turn.
    async fn act(&mut self) -> Result<(), ConnectionError> {
        let View {
            is_on_turn,
            hand_size,
        } = self.player.view;
        if !is_on_turn || hand_size == 0 || !self.may_move.load(Ordering::Relaxed) {
            return Ok(());
        }
        let hand_index = self.rng.random_range(0..hand_size);
        self.sent_at = Some(Instant::now());
        let frame = self.player.protocol.play(hand_index);
        self.player.socket.send_frame(frame).await
    }
}
