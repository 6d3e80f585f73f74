//! The logs of rounds and the lists of games, which people read.

use std::time::Duration;

use sticheln_bots::Player;
use sticheln_protocol::MessageText;
use sticheln_room::{ConnId, Owner, Refusal, RoundLogRequest, round_log};
use thiserror::Error;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::RoomTask;
use crate::rooms::mailbox::MailboxMessage;
use crate::rooms::replays::{ReplayError, decode_round, game_list};
use crate::storage::{DatabaseError, StoredRound};

/// The longest time until a request is answered. The page reconnects if an answer takes 10 s.
const READ_TIMEOUT: Duration = Duration::from_secs(8);

/// The reason why a round cannot be read. It names no contents, because they are secret.
#[derive(Debug, Error)]
enum RoundError {
    /// The database cannot be read.
    #[error(transparent)]
    Rows(#[from] DatabaseError),
    /// The texts are not those of a round of this game.
    #[error("its entries are invalid")]
    Invalid,
    /// It takes too long.
    #[error("it was not read in time")]
    Late,
}

impl<G: Player> RoomTask<G> {
    /// Reads a round beside the task. The room gets an answer in each case. Moves do not wait for it.
    pub(super) fn read_round(&self, conn: ConnId, read: RoundLogRequest) {
        let reply = self.mailbox.reply();
        let services = self.services.clone();
        // The room counts as awake until the read is done, so the sweep does not delete it meanwhile.
        let claim = self.claim.clone();
        let room = self.listing.summary.public.room.clone();
        tokio::spawn(async move {
            let log = async {
                let permit = services.store.permit_round_read().await?;
                let reading = services
                    .store
                    .round(permit.clone(), &claim, read.deal_entry);
                let Some(round) = reading.await? else {
                    return Ok(None);
                };
                // A long round takes a while. After a panic the answer is the same as for an invalid round.
                let log = spawn_blocking(move || {
                    // After the time limit this goes on, and so does the permit.
                    let _permit = permit;
                    log_of::<G>(&round, &read)
                });
                log.await.unwrap_or(Err(RoundError::Invalid)).map(Some)
            };
            let log = timeout(READ_TIMEOUT, log).await;
            let log = log
                .unwrap_or(Err(RoundError::Late))
                .unwrap_or_else(|error| {
                    tracing::warn!(%room, %error, "the log of a round could not be read");
                    None
                });
            let log = log.ok_or(Refusal::RoundUnavailable);
            reply(MailboxMessage::ReadDone(conn, log));
        });
    }

    /// Reads the list of games beside the task, likewise.
    pub(super) fn list_games(&self, conn: ConnId, owner: Owner) {
        let reply = self.mailbox.reply();
        let services = self.services.clone();
        let claim = self.claim.clone();
        let public = &self.listing.summary.public;
        let (room, access) = (public.room.clone(), public.replays);
        tokio::spawn(async move {
            let list = timeout(READ_TIMEOUT, game_list(&services, &claim, access, owner)).await;
            let list = list.unwrap_or(Err(ReplayError::TimedOut));
            let list = list.map_err(|error| {
                tracing::warn!(%room, %error, "the list of games could not be read");
                Refusal::GamesUnavailable
            });
            reply(MailboxMessage::ReadDone(conn, list));
        });
    }
}

/// The message with the log of a round.
fn log_of<G: Player>(
    round: &StoredRound,
    read: &RoundLogRequest,
) -> Result<MessageText, RoundError> {
    let (snapshot, entries) = decode_round::<G>(round).map_err(|_| RoundError::Invalid)?;
    round_log(snapshot, entries, &read.shuffle).map_err(|_| RoundError::Invalid)
}
