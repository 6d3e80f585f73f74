//! The program with the settings of a bus.

use std::process::{Command, Output};

use crate::common::folder::Folder;
use crate::common::nats::{Nats, PASSWORD};
use crate::common::postgres::Schema;
use crate::process::{PROGRAM, command, free_port, startup_error};

/// The variables with the addresses of the database and of the bus.
const DATABASE_URL: &str = "STICHELN_DATABASE_URL";
const BUS_URL: &str = "STICHELN_BUS_URL";

#[test]
fn a_bus_needs_a_database_and_a_safe_address() {
    let folder = Folder::new();
    let remote = format!("nats://u:{PASSWORD}@nats.example");
    for (database, bus, words) in [
        (None, "nats://localhost", "set `--database-url` too"),
        (Some("postgres://localhost/d"), &remote, "--insecure-bus"),
    ] {
        let mut command = command(&folder, free_port());
        command.env(BUS_URL, bus);
        if let Some(database) = database {
            command.env(DATABASE_URL, database);
        }
        let error = startup_error(command);
        assert!(error.contains(words), "{error}");
        assert!(!error.contains(PASSWORD), "{error}");
        assert!(!folder.path().exists());
    }
}

/// `check-config` connects to NATS.
#[tokio::test]
async fn the_bus_is_checked() {
    let schema = Schema::create().await;
    let folder = Folder::create();
    let check = |url: &str| -> Output {
        let mut command = Command::new(PROGRAM);
        command.args(["check-config", "--port", "0", "--data-folder"]);
        command.arg(folder.path()).env(DATABASE_URL, schema.url());
        command.env(BUS_URL, url).output().unwrap()
    };
    let nats = Nats::with(&format!(
        "authorization {{ user: tests, password: '{PASSWORD}' }}"
    ));
    let url = |password: &str| nats.url().replace("//", &format!("//tests:{password}@"));
    let good = check(&url(PASSWORD));
    assert!(good.status.success(), "{good:?}");
    for (wrong, words) in [
        (url("wrong-secret"), "NATS refuses the user"),
        ("nats://127.0.0.1:1".to_owned(), "NATS cannot be reached"),
    ] {
        let bad = check(&wrong);
        let errors = String::from_utf8(bad.stderr).unwrap();
        assert_eq!(bad.status.code(), Some(1));
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(
            errors.contains(words) && errors.trim_end().ends_with('.'),
            "{errors}"
        );
        assert!(!errors.contains("wrong-secret"), "{errors}");
    }
}
