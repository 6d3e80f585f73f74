//! The handle of the writer, by which the server ends it.

use std::thread;

use tokio::sync::{mpsc, oneshot};
use tokio::task;

use super::write::WriterRequest;

/// The handle of the writer. It holds the lock on the data folder until it ends.
#[derive(Debug)]
pub struct WriterHandle {
    requests: mpsc::Sender<WriterRequest>,
    writer: Writer,
}

/// The thread of SQLite, or the task of PostgreSQL.
#[derive(Debug)]
enum Writer {
    Thread {
        /// Ends with the thread.
        ended: oneshot::Receiver<()>,
        thread: thread::JoinHandle<()>,
    },
    Task(task::JoinHandle<()>),
}

impl WriterHandle {
    /// The handle of a thread. `ended` ends with it.
    pub(super) fn of_thread(
        requests: mpsc::Sender<WriterRequest>,
        ended: oneshot::Receiver<()>,
        thread: thread::JoinHandle<()>,
    ) -> Self {
        let writer = Writer::Thread { ended, thread };
        Self { requests, writer }
    }

    /// The handle of a task.
    pub(super) fn of_task(
        requests: mpsc::Sender<WriterRequest>,
        task: task::JoinHandle<()>,
    ) -> Self {
        let writer = Writer::Task(task);
        Self { requests, writer }
    }

    /// Completes all waiting writes and ends the writer. After that nothing can be written.
    pub async fn finish(self) {
        let _ = self.requests.send(WriterRequest::ShutDown).await;
        drop(self.requests);
        let has_panicked = match self.writer {
            Writer::Thread { ended, thread } => {
                let _ = ended.await;
                thread.join().is_err()
            }
            Writer::Task(task) => task.await.is_err(),
        };
        if has_panicked {
            tracing::error!("the writer panicked");
        }
    }
}
