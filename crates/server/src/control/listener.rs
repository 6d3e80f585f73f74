//! The server's end of the control socket. Anybody who can open the socket can give commands, so only the user of the server
//! may: the socket has mode 0600.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sticheln_record::MAX_FILE_BYTES;
use sticheln_room::Notice;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::messages::{
    ControlError, ControlReply, ControlRequest, ControlResult, MAX_DRAIN_SECONDS,
};
use super::records;
use crate::cluster::commands::{CommandResult, NodeCommand};
use crate::cluster::node::ClusterNode;
use crate::room_code::RoomCode;
use crate::rooms::registry::RoomRegistry;
use crate::rooms::services::Services;

/// The most connections. An operator gives few commands at a time.
const MAX_CONNECTIONS: usize = 8;
/// The most bytes of a request: the longest text of `say`, with each byte escaped.
pub const MAX_REQUEST_BYTES: u64 = 16 * 1024;
/// The most bytes of a request that begins with `IMPORT_PREFIX`: the longest record, and the command.
pub const MAX_IMPORT_REQUEST_BYTES: u64 = MAX_FILE_BYTES as u64 + 1024;
/// The beginning of a request with a record. Clients must write `command` first.
const IMPORT_PREFIX: &[u8] = br#"{"command":"import","#;
/// The time limit for a request, and again for its response to be read.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for a command, below that of its client. A command that waits for a disk must not keep a connection for
/// good. The command may still complete after the time limit.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(25);
/// The pause after a failed accept, for example with too many open files.
const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(100);

/// The control socket. Its file is removed when this is dropped, unless another server has replaced it.
#[derive(Debug)]
pub struct ControlSocket {
    listener: UnixListener,
    path: PathBuf,
    file: FileId,
}

/// The identity of a file: its device and its inode.
type FileId = (u64, u64);

fn file_id(path: &Path) -> io::Result<FileId> {
    let about = fs::symlink_metadata(path)?;
    Ok((about.dev(), about.ino()))
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        if file_id(&self.path).is_ok_and(|file| file == self.file) {
            // The next server replaces a file that is left.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The parts of the server that commands use.
#[derive(Clone, Debug)]
pub struct ControlContext {
    /// All rooms.
    pub registry: Arc<RoomRegistry>,
    /// The services of rooms.
    pub services: Arc<Services>,
    /// The cluster of which this server is a node; `None` if the server is alone.
    pub node: Option<Arc<ClusterNode>>,
    /// The address of the page, which ends with `/`.
    pub page: String,
}

impl ControlContext {
    /// Executes a command at all other nodes.
    async fn command_others(&self, command: NodeCommand) -> Vec<CommandResult> {
        match &self.node {
            Some(node) => node.command_others(command).await,
            None => Vec::new(),
        }
    }

    /// Executes a command at all other nodes. Returns the sum of their counts.
    async fn count_at_others(&self, command: NodeCommand) -> usize {
        let results = self.command_others(command).await;
        results.iter().map(|result| result.count).sum()
    }
}

impl ControlSocket {
    /// Listens at this path. A socket that nobody listens to any more is replaced. In the data folder no other server replaces
    /// it at the same time, because the server holds the lock of the folder.
    ///
    /// # Errors
    /// If another program listens there, the path has another file, or the volume cannot hold sockets.
    pub async fn bind(path: &Path) -> io::Result<Self> {
        match fs::symlink_metadata(path) {
            Ok(about) if about.file_type().is_socket() => {
                if UnixStream::connect(path).await.is_ok() {
                    return Err(io::ErrorKind::AddrInUse.into());
                }
                fs::remove_file(path)?;
            }
            Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let listener = UnixListener::bind(path)?;
        let socket = Self {
            listener,
            path: path.to_owned(),
            file: file_id(path)?,
        };
        // The umask of the program keeps others out until then.
        fs::set_permissions(path, Permissions::from_mode(0o600))?;
        Ok(socket)
    }

    /// Serves commands until the program ends.
    pub async fn serve(self, context: ControlContext) {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        loop {
            let Ok(permit) = permits.clone().acquire_owned().await else {
                return;
            };
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a control connection could not be accepted");
                    sleep(ACCEPT_RETRY_PAUSE).await;
                    continue;
                }
            };
            let context = context.clone();
            tokio::spawn(async move {
                if let Err(error) = answer(stream, &context).await {
                    tracing::debug!(%error, "a control connection failed");
                }
                drop(permit);
            });
        }
    }
}

/// Reads one command, and answers it.
async fn answer(mut stream: UnixStream, context: &ControlContext) -> io::Result<()> {
    let mut line = Vec::new();
    let (reader, mut writer) = stream.split();
    let read = timeout(TIMEOUT, read_line(reader, &mut line)).await;
    let request = match read {
        Err(_) => Err(ControlError::TooSlow),
        Ok(Err(error)) => return Err(error),
        Ok(Ok(())) if line.last() == Some(&b'\n') => {
            serde_json::from_slice(&line).map_err(|_| ControlError::Malformed)
        }
        Ok(Ok(())) if line.len() as u64 >= MAX_REQUEST_BYTES => Err(ControlError::TooLarge),
        Ok(Ok(())) => Err(ControlError::Malformed),
    };
    let replies = match request {
        Ok(request) => match timeout(COMMAND_TIMEOUT, execute(request, context)).await {
            Ok(replies) => replies,
            Err(_) => vec![ControlReply::Failed {
                error: ControlError::Unfinished,
            }],
        },
        Err(error) => vec![ControlReply::Failed { error }],
    };
    let mut text = Vec::new();
    for reply in replies {
        serde_json::to_writer(&mut text, &reply)?;
        text.push(b'\n');
    }
    timeout(TIMEOUT, async {
        writer.write_all(&text).await?;
        writer.shutdown().await
    })
    .await?
}

/// Reads a line, or as many of its bytes as a request can have.
async fn read_line(reader: impl AsyncRead + Unpin, line: &mut Vec<u8>) -> io::Result<()> {
    let mut reader = BufReader::new(reader.take(MAX_REQUEST_BYTES));
    reader.read_until(b'\n', line).await?;
    let is_whole = line.last() == Some(&b'\n');
    if !is_whole && line.starts_with(IMPORT_PREFIX) {
        let read = line.len() as u64;
        reader.get_mut().set_limit(MAX_IMPORT_REQUEST_BYTES - read);
        reader.read_until(b'\n', line).await?;
    }
    Ok(())
}

/// Executes a command. Returns the lines of the response.
async fn execute(request: ControlRequest, context: &ControlContext) -> Vec<ControlReply> {
    let mut replies = Vec::new();
    let result = match request {
        ControlRequest::Rooms {} => {
            let rooms = context.registry.awake_rooms().into_iter();
            let rooms = rooms.map(|(code, connections)| (code.as_str().to_owned(), connections));
            let others = context.command_others(NodeCommand::Rooms).await;
            let rooms = rooms.chain(others.into_iter().flat_map(|result| result.rooms));
            replies
                .extend(rooms.map(|(room, connections)| ControlReply::Room { room, connections }));
            let rooms = replies.len();
            Ok(ControlResult::Rooms { rooms })
        }
        ControlRequest::Close { room } => close(&room, context).await,
        ControlRequest::Say { text } => say(text, context).await,
        ControlRequest::Drain { seconds, all } => drain(seconds, all, context).await,
        ControlRequest::CancelDrain {} => cancel_drain(context).await,
        ControlRequest::Export { replay, names } => records::export(&replay, names, context).await,
        ControlRequest::Import { record } => records::import(&record, context).await,
    };
    replies.push(match result {
        Ok(done) => ControlReply::Done { done },
        Err(error) => ControlReply::Failed { error },
    });
    replies
}

async fn close(code: &str, context: &ControlContext) -> Result<ControlResult, ControlError> {
    let code = RoomCode::parse(code).ok_or(ControlError::NoSuchRoom)?;
    match context.registry.delete_room(&code).await {
        Ok(true) => {
            let closed = NodeCommand::RoomClosed(code.as_str().to_owned());
            context.command_others(closed).await;
            Ok(ControlResult::Close {})
        }
        Ok(false) => Err(ControlError::NoSuchRoom),
        Err(_) => Err(ControlError::Storage),
    }
}

async fn say(text: String, context: &ControlContext) -> Result<ControlResult, ControlError> {
    let notice = Notice::new(&text).map_err(|_| ControlError::BadText)?;
    let here = context.registry.post_notice(&notice);
    let rooms = here + context.count_at_others(NodeCommand::Say(text)).await;
    tracing::info!(rooms, "the operator has said something");
    Ok(ControlResult::Say { rooms })
}

async fn drain(
    seconds: u64,
    all: bool,
    context: &ControlContext,
) -> Result<ControlResult, ControlError> {
    if seconds > MAX_DRAIN_SECONDS {
        return Err(ControlError::BadTime);
    }
    if let Some(node) = &context.node
        && !all
        && !node.peers().is_empty()
    {
        let nodes = node.peers().len();
        tracing::info!(nodes, "the operator has asked this node to drain");
        node.request_drain();
        return Ok(ControlResult::DrainNode { nodes });
    }
    let services = &context.services;
    let restart = &services.planned_restart;
    let restart_at = restart.plan(services.now(), Duration::from_secs(seconds));
    let rounds = restart.rounds()
        + context
            .count_at_others(NodeCommand::PlanRestart(seconds))
            .await;
    tracing::info!(seconds, rounds, "a restart is planned");
    Ok(ControlResult::Drain { restart_at, rounds })
}

async fn cancel_drain(context: &ControlContext) -> Result<ControlResult, ControlError> {
    let others = context.count_at_others(NodeCommand::CancelRestart).await;
    if !context.services.planned_restart.cancel() && others == 0 {
        return Err(ControlError::NotPlanned);
    }
    tracing::info!("the planned restart is called off");
    Ok(ControlResult::CancelDrain {})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Otherwise the server would refuse a long record.
    #[test]
    fn a_request_with_a_record_begins_with_its_command() {
        let record = json!({"format": "sticheln/record/1"});
        let request = serde_json::to_vec(&ControlRequest::Import { record });
        let request = request.expect("a command can be written as JSON");
        assert!(request.starts_with(IMPORT_PREFIX));
    }
}
