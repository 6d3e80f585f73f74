//! The databases of tests that run with both engines.

use std::collections::BTreeMap;

use serde_json::Value;
use sticheln_server::storage::postgres::{DatabaseAddress, DatabaseSettings};
use sticheln_server::storage::{OpenError, Store, WriterHandle};

use crate::common::folder::Folder;
use crate::common::postgres::Schema;
use crate::harness;

/// Runs each of these tests with both engines.
macro_rules! on_both_engines {
    ($($test:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $test() {
                super::$test($crate::store::engine::Engine::Sqlite).await;
            })+
        }

        mod postgres {
            $(#[tokio::test]
            async fn $test() {
                super::$test($crate::store::engine::Engine::Postgres).await;
            })+
        }
    };
}
pub(super) use on_both_engines;

/// The engine of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// The database of a test.
pub enum TestDatabase {
    Sqlite(Folder),
    Postgres { folder: Folder, schema: Schema },
}

/// The settings for the database at this address.
pub fn settings(url: &str) -> DatabaseSettings {
    DatabaseSettings {
        address: DatabaseAddress {
            url: Some(url.parse().unwrap()),
        },
        ..DatabaseSettings::default()
    }
}

impl Engine {
    /// A new database.
    pub async fn create(self) -> TestDatabase {
        let folder = Folder::new();
        match self {
            Self::Sqlite => TestDatabase::Sqlite(folder),
            Self::Postgres => TestDatabase::Postgres {
                folder,
                schema: Schema::create().await,
            },
        }
    }

    /// A new database with its store.
    pub async fn opened(self) -> (Store, WriterHandle, TestDatabase) {
        let database = self.create().await;
        let (store, writer) = database.open().await.unwrap();
        (store, writer, database)
    }

    /// One of two texts.
    pub fn choose<'a>(self, sqlite: &'a str, postgres: &'a str) -> &'a str {
        match self {
            Self::Sqlite => sqlite,
            Self::Postgres => postgres,
        }
    }
}

impl TestDatabase {
    pub fn engine(&self) -> Engine {
        match self {
            Self::Sqlite(_) => Engine::Sqlite,
            Self::Postgres { .. } => Engine::Postgres,
        }
    }

    /// The data folder.
    pub fn folder(&self) -> &Folder {
        match self {
            Self::Sqlite(folder) | Self::Postgres { folder, .. } => folder,
        }
    }

    /// The settings that name the database.
    pub fn settings(&self) -> DatabaseSettings {
        match self {
            Self::Sqlite(_) => DatabaseSettings::default(),
            Self::Postgres { schema, .. } => settings(&schema.url()),
        }
    }

    /// Opens the store, as a server does.
    pub async fn open(&self) -> Result<(Store, WriterHandle), OpenError> {
        match self {
            Self::Sqlite(folder) => Store::open(folder.path()).await,
            Self::Postgres { folder, schema } => {
                Store::open_with(folder.path(), &settings(&schema.url()), None).await
            }
        }
    }

    /// Executes statements beside the store.
    pub async fn execute(&self, sql: &str) {
        match self {
            Self::Sqlite(folder) => harness::database(folder).execute_batch(sql).unwrap(),
            Self::Postgres { schema, .. } => {
                schema.client().await.batch_execute(sql).await.unwrap();
            }
        }
    }

    /// The rows of texts and numbers that a query returns, all as text.
    pub async fn rows_of(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        match self {
            Self::Sqlite(folder) => {
                let database = harness::database(folder);
                let mut statement = database.prepare(sql).unwrap();
                let columns = statement.column_count();
                let rows = statement.query_map([], |row| {
                    let column = |column| {
                        let value: rusqlite::types::Value = row.get_unwrap(column);
                        match value {
                            rusqlite::types::Value::Null => None,
                            rusqlite::types::Value::Integer(number) => Some(number.to_string()),
                            rusqlite::types::Value::Text(text) => Some(text),
                            other => panic!("{other:?}"),
                        }
                    };
                    Ok((0..columns).map(column).collect())
                });
                rows.unwrap().map(Result::unwrap).collect()
            }
            Self::Postgres { schema, .. } => {
                let messages = schema.client().await.simple_query(sql).await.unwrap();
                let rows = messages.iter().filter_map(|message| match message {
                    tokio_postgres::SimpleQueryMessage::Row(row) => Some(row),
                    _ => None,
                });
                let texts = |row: &tokio_postgres::SimpleQueryRow| {
                    let text = |column| row.get(column).map(str::to_owned);
                    (0..row.len()).map(text).collect()
                };
                rows.map(texts).collect()
            }
        }
    }

    /// The number that a query returns.
    pub async fn number(&self, sql: &str) -> i64 {
        let rows = self.rows_of(sql).await;
        rows[0][0].as_ref().unwrap().parse().unwrap()
    }

    /// The number of rows in these tables.
    pub async fn rows<const N: usize>(&self, tables: [&str; N]) -> [i64; N] {
        let mut numbers = [0; N];
        for (number, table) in numbers.iter_mut().zip(tables) {
            *number = self.number(&format!("SELECT COUNT(*) FROM {table}")).await;
        }
        numbers
    }

    /// The number of entries that are not archived. When all were compacted, SQLite has them in one table.
    pub async fn entries(&self) -> i64 {
        match self {
            Self::Sqlite(_) => {
                let [recent, older] = self.rows(["recent_entry", "older_entry"]).await;
                recent + older
            }
            Self::Postgres { .. } => self.rows(["entry"]).await[0],
        }
    }

    /// The texts of the entries of the room with this code that are not archived.
    pub async fn bodies(&self, code: &str) -> Vec<String> {
        match self {
            Self::Sqlite(folder) => harness::bodies(folder, code),
            Self::Postgres { .. } => {
                let select = format!(
                    "SELECT body FROM entry WHERE room_id = (SELECT id FROM room WHERE code = '{code}') ORDER BY rev"
                );
                let rows = self.rows_of(&select).await.into_iter();
                rows.map(|mut row| row.remove(0).unwrap()).collect()
            }
        }
    }

    /// The numbers of the entries of each archived round, the oldest first.
    pub async fn archived(&self) -> Vec<Vec<u64>> {
        let rows = self
            .rows_of("SELECT body FROM finished_round ORDER BY rev")
            .await;
        let round = |row: Vec<Option<String>>| -> Vec<u64> {
            let round: Value = serde_json::from_str(row[0].as_ref().unwrap()).unwrap();
            let entries = round["entries"].as_array().unwrap().iter();
            let numbers: Vec<_> = entries
                .map(|entry| entry["entry"].as_u64().unwrap())
                .collect();
            assert_eq!(round["snapshot"]["before"].as_u64(), Some(numbers[0]));
            numbers
        };
        rows.into_iter().map(round).collect()
    }

    /// The people in the database, with the `rev`s with which they have left.
    pub async fn persons(&self) -> BTreeMap<u64, Option<u64>> {
        let rows = self.rows_of("SELECT person, left_rev FROM person").await;
        let number = |text: &Option<String>| text.as_ref().unwrap().parse::<u64>().unwrap();
        let person = |row: Vec<Option<String>>| {
            let left = number(&row[1]);
            (number(&row[0]), (left < i64::MAX as u64).then_some(left))
        };
        rows.into_iter().map(person).collect()
    }

    /// Makes the database refuse to write the entry `broken`.
    pub async fn refuse_broken(&self) {
        self.refuse("broken", "INSERT", "NEW.body = 'broken'").await;
    }

    /// Makes the database refuse an operation on the table of new entries, or on `room`, if this condition holds.
    pub async fn refuse(&self, name: &str, operation: &str, condition: &str) {
        let is_delete = operation == "DELETE";
        let table = match (is_delete, self.engine()) {
            (true, _) => "room",
            (false, Engine::Sqlite) => "recent_entry",
            (false, Engine::Postgres) => "entry",
        };
        let trigger = match self.engine() {
            Engine::Sqlite => format!(
                "CREATE TRIGGER {name} BEFORE {operation} ON {table} WHEN {condition} \
                 BEGIN SELECT RAISE(ABORT, 'it cannot be written'); END"
            ),
            Engine::Postgres => format!(
                "CREATE FUNCTION {name}_function() RETURNS trigger LANGUAGE plpgsql AS \
                 $$ BEGIN RAISE 'it cannot be written'; END $$; \
                 CREATE TRIGGER {name} BEFORE {operation} ON {table} FOR EACH ROW WHEN ({condition}) \
                 EXECUTE FUNCTION {name}_function()"
            ),
        };
        self.execute(&trigger).await;
    }
}
