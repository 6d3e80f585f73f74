//! Tests of the sources and documents of the repository. They start no program of it.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

mod commit_subjects;
mod container_files;
mod dependencies;
mod documents;
mod folders;
mod game_names;
mod saved_entries;
mod settings;
mod sql;
mod stated_numbers;
mod struct_sizes;
mod workflow;
