//! Start and stop of a server.

use std::fs;
use std::net::TcpListener;
use std::process::Command;
use std::time::Instant;

use rusqlite::Connection;

use crate::common::folder::Folder;
use crate::process::{PROGRAM, TIMEOUT, command, free_port, send_request, start, startup_error};

const HOSTING: &str = include_str!("../../../../docs/hosting.md");

#[test]
fn the_program_prints_the_address_of_the_page() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let output = program.output.join("\n");
    let url = format!("http://localhost:{}/", program.port);
    assert!(output.contains(&url), "{output}");
    assert!(output.contains("On this machine"), "{output}");
    assert_eq!(send_request(program.port, "GET /readyz", "").status, 200);
    let page = send_request(program.port, "GET /", "");
    assert!(page.text().starts_with("<!doctype html>"), "{page:?}");
}

#[test]
fn a_taken_port_is_refused() {
    let taken = TcpListener::bind("[::]:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error = startup_error(command(&Folder::new(), port));
    assert!(error.contains(&format!("Port {port} is taken")), "{error}");
}

#[test]
fn an_unwritable_folder_is_refused() {
    let folder = Folder::new();
    fs::write(folder.path(), "a file in its place").unwrap();
    let error = startup_error(command(&folder, free_port()));
    assert!(error.contains("cannot be written"), "{error}");
    fs::remove_file(folder.path()).unwrap();
}

#[test]
fn a_second_program_on_the_same_folder_is_refused() {
    let folder = Folder::new();
    let _first = start(&folder, &[]);
    let error = startup_error(command(&folder, free_port()));
    assert!(error.contains("Another server is using"), "{error}");
}

#[test]
fn a_database_of_an_unknown_format_is_refused_and_not_changed() {
    for (change, reason) in [
        (
            "INSERT INTO migration VALUES (9999, 'CREATE TABLE later (id)')",
            "another version of the server",
        ),
        (
            "UPDATE migration SET sql = sql || ' '",
            "another version of the server",
        ),
        (
            "UPDATE database_state SET entry_format = 99",
            "another version of the server",
        ),
        ("DELETE FROM migration", "another version of the server"),
        (
            "ALTER TABLE migration RENAME COLUMN sql TO checksum",
            "another version of the server",
        ),
        (
            "ALTER TABLE migration RENAME TO refinery_schema_history",
            "another version of the server",
        ),
        ("DROP TABLE database_state", "not written by this server"),
    ] {
        let folder = Folder::new();
        let (status, _) = start(&folder, &[]).stop("-TERM");
        assert!(status.success());
        let file = folder.database();
        let database = Connection::open(&file).unwrap();
        database.execute_batch(change).unwrap();
        database.close().unwrap();
        let before = fs::read(&file).unwrap();
        let error = startup_error(command(&folder, free_port()));
        assert!(error.contains(reason), "{change}: {error}");
        assert!(error.contains("changed"), "{change}: {error}");
        assert!(fs::read(&file).unwrap() == before, "{change}");
    }
}

#[test]
fn help_lists_every_limit() {
    let help = Command::new(PROGRAM).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, page) = HOSTING.split_once("<!-- settings -->").unwrap();
    let (_, limits) = page.split_once("### Limits").unwrap();
    let (limits, _) = limits.split_once("<!-- end -->").unwrap();
    let rows = limits.lines().filter_map(|row| row.strip_prefix("| `"));
    let flags: Vec<_> = rows.filter_map(|row| row.split('`').next()).collect();
    assert!(flags.contains(&"--shutdown-seconds"), "{flags:?}");
    for flag in flags {
        assert!(help.contains(&format!("{flag} ")), "{flag}");
    }
}

#[test]
fn both_signals_shut_the_program_down_in_time() {
    for signal in ["-TERM", "-INT"] {
        let folder = Folder::new();
        let program = start(&folder, &[]);
        let started = Instant::now();
        let (status, _) = program.stop(signal);
        assert_eq!(status.code(), Some(0), "{signal}");
        assert!(started.elapsed() < TIMEOUT, "{signal}");
        let files: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(files.len(), 2, "the database and the lock: {files:?}");
    }
}
