//! The messages between a room and its clients, as `docs/protocol.md` describes them.
//!
//! These types define the wire. Rooms decide what is sent. [`Raw`] holds a part that many clients
//! receive alike and that is serialised once. [`GameText`] is a message whose events can be replaced.

mod client;
mod close_code;
mod connection_check;
mod game_text;
mod http;
pub mod limits;
mod raw;
mod replay;
mod round_log;
#[cfg(feature = "schema")]
pub mod schema;
mod server;
mod shallow_value;
mod strict;
mod table;
mod text;
mod time;
mod version;

pub use crate::client::{ClientMessage, Incoming, ReadError, SettingsPatch, TurnSeconds};
pub use crate::close_code::CloseCode;
pub use crate::connection_check::{
    AddressFinding, ConnectionCheck, ConnectionFindings, HostFinding, IdleMessage, PathFinding,
    SchemeFinding,
};
pub use crate::game_text::{GameBody, GameEvents, GameText};
pub use crate::http::{
    CurrentPage, ErrorBody, OpenRoom, PlayOn, RoomList, RoomOpened, RoomSummary,
};
pub use crate::raw::{Encodes, Raw};
pub use crate::replay::{
    FinishedRound, GameListMessage, GameOptions, GameOwn, GameReplay, GameStatus, ListedGame,
    PlayedOn, ReplayAccess, ReplayFormat, ReplayOrigin, ReplayPlayer, ReplayStep, RoundReplay,
};
pub use crate::round_log::{ChangedSetting, RoundLogEntry, RoundLogMessage, TableAct};
#[cfg(feature = "schema")]
pub use crate::server::GameMessage;
pub use crate::server::{
    ActedFor, Actions, Actor, GameEvent, GameTable, GameView, Guest, Reaction, ReconnectReason,
    RoomMessage, ServerMessage, SheetMessage, You,
};
pub use crate::shallow_value::read as read_shallow_value;
pub use crate::strict::{ActionError, has_same_form, read_action};
pub use crate::table::{
    Chair, Claim, Idle, Level, Pause, Phase, PresenceState, Spectator, Table, TableState,
};
pub use crate::text::MessageText;
pub use crate::time::Timestamp;
pub use crate::version::ProtocolVersion;
