//! Start and stop of a server.

use std::collections::BTreeSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::time::Instant;

use rusqlite::Connection;

use crate::common::folder::Folder;
use crate::common::{http, skip};
use crate::process::{
    PROGRAM, Program, TIMEOUT, command, free_port, send_request, start, start_command,
    startup_error,
};

const HOSTING: &str = include_str!("../../../../docs/hosting.md");

#[test]
fn the_program_prints_the_address_of_the_page() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let output = program.output.join("\n");
    let url = format!("http://localhost:{}/", program.port);
    assert!(output.contains(&url), "{output}");
    assert!(output.contains("On this machine"), "{output}");
    let (own, others): (Vec<_>, Vec<_>) = if_addrs::get_if_addrs()
        .unwrap()
        .into_iter()
        .map(|interface| interface.ip())
        .filter(IpAddr::is_ipv4)
        .partition(IpAddr::is_loopback);
    assert!(!own.is_empty());
    for address in &others {
        let url = format!("On the local network: http://{address}:{}/", program.port);
        assert!(output.contains(&url), "{output}");
    }
    if others.is_empty() {
        skip("this machine has no address on a local network");
    }
    assert_eq!(send_request(program.port, "GET /readyz", "").status, 200);
    let page = send_request(program.port, "GET /", "");
    assert!(page.text().starts_with("<!doctype html>"), "{page:?}");
}

/// The ports on which a program listens.
fn listening_ports(program: &Program) -> BTreeSet<u16> {
    let process = format!("/proc/{}", program.child.id());
    let files = fs::read_dir(format!("{process}/fd")).unwrap();
    let links = files.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
    let sockets: Vec<_> = links
        .filter_map(|link| {
            let inode = link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
            Some(inode.to_owned())
        })
        .collect();
    let mut ports = BTreeSet::new();
    for table in ["tcp", "tcp6"] {
        let table = fs::read_to_string(format!("{process}/net/{table}")).unwrap_or_default();
        for row in table.lines().skip(1) {
            let columns: Vec<_> = row.split_whitespace().collect();
            // The columns are the address, the state and the inode. `0A` is the state of a listener.
            if columns[3] == "0A" && sockets.iter().any(|inode| inode == columns[9]) {
                let (_, port) = columns[1].split_once(':').unwrap();
                ports.insert(u16::from_str_radix(port, 16).unwrap());
            }
        }
    }
    ports
}

/// The status of a health check at this address; `None` if nothing listens there.
fn health(address: impl Into<IpAddr>, port: u16) -> Option<u16> {
    let address = SocketAddr::new(address.into(), port);
    TcpStream::connect(address).ok()?;
    Some(http::send_request(address, "GET /healthz", "", TIMEOUT).status)
}

/// Port 0 is any free port. The address `::` is all addresses, with IPv4 and IPv6.
#[test]
fn the_program_listens_on_all_addresses_and_one_port() {
    let folder = Folder::new();
    let mut command = command(&folder, 0);
    command.args(["--host", "::"]);
    let program = start_command(command, 0);
    let printed = program.output.iter();
    let mut ports = printed.filter_map(|line| line.split_once("http://localhost:"));
    let (_, port) = ports.next().unwrap();
    let port = port.trim_end_matches('/').parse().unwrap();
    assert_ne!(port, 0);
    assert_eq!(health(Ipv4Addr::LOCALHOST, port), Some(200));
    assert_eq!(health(Ipv6Addr::LOCALHOST, port), Some(200));
    // Metrics are off by default.
    assert_eq!(listening_ports(&program), BTreeSet::from([port]));
}

#[test]
fn the_metrics_are_at_the_given_address_only() {
    const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

    for (host, is_elsewhere) in [(None, false), (Some("127.0.0.2"), true)] {
        let admin = free_port();
        let text = admin.to_string();
        let mut arguments = vec!["--admin-port", &text];
        arguments.extend(host.iter().flat_map(|host| ["--admin-host", host]));
        let program = start(&Folder::new(), &arguments);
        let ports = BTreeSet::from([program.port, admin]);
        assert_eq!(listening_ports(&program), ports);
        let (here, elsewhere) = (health(Ipv4Addr::LOCALHOST, admin), health(ELSEWHERE, admin));
        let expected = if is_elsewhere {
            (None, Some(200))
        } else {
            (Some(200), None)
        };
        assert_eq!((here, elsewhere), expected, "{host:?}");
    }
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
            "UPDATE migration SET sql = sql || ' '",
            "another version of the server",
        ),
        (
            "UPDATE database_state SET format = 99",
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
