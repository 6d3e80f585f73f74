//! The probe: it finds out whether the database can be written, also while no player moves.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard, mpsc, watch};
use tokio::time::{Instant, timeout};

use super::engine::{AnyEngine, Engine};
use super::fault::StorageFault;
use super::post;
use super::write::{Write, WriterRequest};

/// The time for which the result of a probe is used.
const VALIDITY: Duration = Duration::from_secs(5);

/// The longest wait for the write of a probe.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// The time and the result of the last probe.
type LastProbe = Option<(Instant, Option<StorageFault>)>;

/// A probe of the disk and of the database.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    engine: AnyEngine,
    requests: mpsc::Sender<WriterRequest>,
    fault: watch::Receiver<Option<StorageFault>>,
    last: Arc<Mutex<LastProbe>>,
}

impl Probe {
    /// A probe that nobody has run yet.
    pub(super) fn new(
        engine: AnyEngine,
        requests: mpsc::Sender<WriterRequest>,
        fault: watch::Receiver<Option<StorageFault>>,
    ) -> Self {
        Self {
            engine,
            requests,
            fault,
            last: Arc::default(),
        }
    }

    /// The reason why the database cannot be written now; `None` if it can. A result is used for a moment.
    pub(super) async fn check(&self) -> Option<StorageFault> {
        let last = self.last.clone().lock_owned().await;
        if let Some((at, found)) = *last
            && at.elapsed() < VALIDITY
        {
            return found.or(*self.fault.borrow());
        }
        // The probe has its own task. Otherwise each cancelled caller would leave a running probe.
        let found = tokio::spawn(self.clone().run(last)).await;
        found.unwrap_or(Some(StorageFault::Other))
    }

    /// Runs the probe and stores its result. The guard keeps other probes out.
    async fn run(self, mut last: OwnedMutexGuard<LastProbe>) -> Option<StorageFault> {
        let found = self.find().await;
        let before = last.replace((Instant::now(), found));
        // The writer has logged a failure that it met itself.
        if let Some(fault) = found
            && before.is_none_or(|(_, before)| before != found)
            && self.fault.borrow().is_none()
        {
            tracing::error!("{}", fault.description());
        }
        found
    }

    async fn find(&self) -> Option<StorageFault> {
        let fault = self.engine.check().await;
        if fault.is_some() {
            return fault;
        }
        let write = |sender| WriterRequest::Write(Write::Probe { sender });
        match timeout(WRITE_TIMEOUT, post(&self.requests, write)).await {
            Ok(Ok(())) => None,
            Ok(Err(_)) => Some(self.fault.borrow().unwrap_or(StorageFault::Other)),
            Err(_) => Some(self.engine.slow_write()),
        }
    }
}
