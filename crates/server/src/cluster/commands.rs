//! The commands of the operator that one node forwards to the others.

use std::time::Duration;

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use sticheln_cluster::NodeId;
use sticheln_room::Notice;

use super::node::{ClusterNode, NodeRequest};
use crate::room_code::RoomCode;

/// The longest wait for another node to execute a command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(2);

/// A command of the operator for the rooms of a node.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeCommand {
    /// List the rooms that are awake.
    Rooms,
    /// A room was closed for good: end its task.
    RoomClosed(String),
    /// Show a line in all rooms that are awake.
    Say(String),
    /// Plan a restart in this many seconds at the latest.
    PlanRestart(u64),
    /// Call a planned restart off.
    CancelRestart,
}

/// The result of a [`NodeCommand`] at one node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandResult {
    /// The rooms that were listed, and the number of connections to each.
    pub rooms: Vec<(String, usize)>,
    /// The number of rooms or rounds that the command concerns.
    pub count: usize,
}

impl ClusterNode {
    /// Executes a command at all other nodes. Those that do not answer are logged.
    pub async fn command_others(&self, command: NodeCommand) -> Vec<CommandResult> {
        let results = self.peers().into_iter().map(|node| {
            let command = command.clone();
            async move {
                let result = self.command(node, command).await;
                if result.is_none() {
                    tracing::warn!(%node, "a node has not answered a command");
                }
                result
            }
        });
        join_all(results).await.into_iter().flatten().collect()
    }

    async fn command(&self, node: NodeId, command: NodeCommand) -> Option<CommandResult> {
        let request = self.encode(&NodeRequest::Command(command));
        let result = self.bus.request(node, request, COMMAND_TIMEOUT).await;
        self.decode(&result.ok()?).ok()
    }

    /// Executes a command of another node at this one.
    pub(super) async fn execute(&self, command: NodeCommand) -> CommandResult {
        let restart = &self.services.planned_restart;
        let mut result = CommandResult::default();
        match command {
            NodeCommand::Rooms => {
                let rooms = self.registry.awake_rooms().into_iter();
                let rooms = rooms.map(|(code, conns)| (code.as_str().to_owned(), conns));
                result.rooms = rooms.collect();
            }
            NodeCommand::RoomClosed(code) => {
                if let Some(code) = RoomCode::parse(&code) {
                    self.registry.end_closed_room(&code).await;
                }
            }
            NodeCommand::Say(text) => {
                if let Ok(notice) = Notice::new(&text) {
                    result.count = self.registry.post_notice(&notice);
                }
            }
            NodeCommand::PlanRestart(seconds) => {
                restart.plan(self.services.now(), Duration::from_secs(seconds));
                result.count = restart.rounds();
                tracing::info!(seconds, "another node has planned a restart of all nodes");
            }
            NodeCommand::CancelRestart => {
                result.count = usize::from(restart.cancel());
            }
        }
        result
    }
}
