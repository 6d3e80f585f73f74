//! The servers of the comparison.

use serde::Serialize;
use strum::EnumIter;

use super::rivals::Rival;
use super::settings::CompareSettings;
use crate::disk::MEMORY_FOLDER;
use crate::server::Program;

/// A server of the comparison, in the order in which they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ServerKind {
    /// The bare server, with which the others are compared.
    Bare,
    /// The single-threaded baseline: one `read` and four `write` system calls for a move.
    Floor,
    /// The server without its room log.
    Unlogged,
    /// The server with its database in memory.
    Memory,
    /// The server with its database on a disk.
    Disk,
    /// Colyseus, which saves nothing.
    Colyseus,
    /// boardgame.io, which saves nothing.
    Boardgame,
}

impl ServerKind {
    /// The name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare server",
            Self::Floor => "floor",
            Self::Unlogged => "unlogged server",
            Self::Memory => "database in `/dev/shm`",
            Self::Disk => "database on disk",
            Self::Colyseus => "Colyseus",
            Self::Boardgame => "boardgame.io",
        }
    }

    /// The name in targets.
    pub(super) fn short_name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Floor => "floor",
            Self::Unlogged => "unlogged",
            Self::Memory => "`/dev/shm`",
            Self::Disk => "disk",
            Self::Colyseus | Self::Boardgame => self.name(),
        }
    }

    /// Whether the server has a room log. Then a single room and the start are measured too.
    pub(super) fn has_room_log(self) -> bool {
        match self {
            Self::Bare | Self::Floor | Self::Unlogged | Self::Colyseus | Self::Boardgame => false,
            Self::Memory | Self::Disk => true,
        }
    }

    /// Whether fixed rates are measured. Only servers with a target for rates, and the bare server, are measured, because
    /// it takes long.
    pub(super) fn has_rates(self) -> bool {
        match self {
            Self::Floor | Self::Unlogged | Self::Colyseus | Self::Boardgame => false,
            Self::Bare | Self::Memory | Self::Disk => true,
        }
    }

    /// The server of another project, if it is one. Idle rooms are not measured for it.
    pub(super) fn rival(self) -> Option<Rival> {
        match self {
            Self::Colyseus => Some(Rival::Colyseus),
            Self::Boardgame => Some(Rival::Boardgame),
            Self::Bare | Self::Floor | Self::Unlogged | Self::Memory | Self::Disk => None,
        }
    }

    /// The program that is run. Only this project's own server gets the further arguments of the command line.
    pub(super) fn program(self, program: &Program, settings: &CompareSettings) -> Program {
        let rivals_folder = &settings.others.rivals.rivals_folder;
        let example = |name| Program {
            server: settings.others.examples.join(name),
            server_args: Vec::new(),
            ..program.clone()
        };
        match self {
            Self::Bare => example("bare"),
            Self::Floor => example("floor"),
            Self::Unlogged => Program {
                server_args: program.server_args.clone(),
                ..example("unlogged")
            },
            Self::Memory => Program {
                folder: Some(MEMORY_FOLDER.into()),
                ..program.clone()
            },
            Self::Disk => program.clone(),
            Self::Colyseus => Rival::Colyseus.program(rivals_folder, program),
            Self::Boardgame => Rival::Boardgame.program(rivals_folder, program),
        }
    }
}
