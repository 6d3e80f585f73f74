//! The task that owns a room that is awake.

mod conn_events;
mod passwords;
mod rounds;

use std::future::pending;
use std::iter;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use sticheln_bots::{Player, Searchable};
use sticheln_room::{
    Actor, AdmissionRecord, ConnId, Effect, Entry, Eviction, Format, GameOutline, Input, Outgoing,
    PasswordVerdict, PersonChange, ReplayId, Room, SearchRequest, Snapshot, Summary, Timestamp,
    UnsavedEntry, WriteCharge,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use self::passwords::PasswordLimits;
use crate::limits::address_limits::Permit;
use crate::limits::client_addr::ClientAddr;
use crate::limits::disk_reserve::GameReservation;
use crate::ops::metrics::{MoveLatency, RoomCounts, RoomGauge};
use crate::ops::planned_restart::CountedRound;
use crate::rooms::close_reason::CloseReason;
use crate::rooms::connections::{Connections, RoomConnection, Route};
use crate::rooms::gateways::Gateways;
use crate::rooms::mailbox::{Mailbox, MailboxMessage};
use crate::rooms::outbox::PutCounts;
use crate::rooms::registry::Registration;
use crate::rooms::retention;
use crate::rooms::room_handle::RoomHandle;
use crate::rooms::services::Services;
use crate::storage::{Claim, SerializedEntry, SerializedGame, SerializedSnapshot, WriteError};

/// The most results of searches that wait for a room: at least two for each seat.
const SEARCH_RESULTS: usize = 16;
/// The time from the start of the task of a room until its retention period begins again, if people are connected.
const FIRST_RENEWAL: Duration = Duration::from_secs(60);

/// Two times that differ by at most this count as equal: the conversion of a `Timestamp` to an `Instant` is inexact.
const TIMER_TOLERANCE: Duration = Duration::from_millis(5);

/// An entry as JSON with its time, the snapshot before it and the changes of persons, as `Store::append` takes it.
pub fn serialize_entry<G: Player>(
    entry: &Entry<G>,
    snapshot: Option<&Snapshot<G>>,
    persons: Vec<PersonChange>,
    format: Format,
) -> SerializedEntry {
    SerializedEntry {
        at: entry.at,
        body: format.encode(entry).expect("an entry has a text form"),
        snapshot: snapshot.map(|snapshot| SerializedSnapshot {
            body: format.encode(snapshot).expect("a snapshot has a text form"),
            begins_round: snapshot.is_before_deal(),
        }),
        persons,
        game: None,
    }
}

/// An entry of the outputs of a room, likewise.
pub(super) fn serialize_unsaved<G: Player>(
    unsaved: UnsavedEntry<G>,
    format: Format,
) -> SerializedEntry {
    let UnsavedEntry {
        entry,
        snapshot,
        persons,
        outline,
        charge: _,
    } = unsaved;
    let game = outline.map(|outline| Box::new(serialize_game(*outline)));
    SerializedEntry {
        game,
        ..serialize_entry(&entry, snapshot.as_deref(), persons, format)
    }
}

/// The outline of a game as JSON, as `Store::append` takes it.
fn serialize_game((id, outline): (ReplayId, GameOutline)) -> SerializedGame {
    let outline = serde_json::to_string(&outline).expect("an outline has a text form");
    SerializedGame { id, outline }
}

/// The task that owns a room.
pub(super) struct RoomTask<G: Player> {
    services: Arc<Services>,
    /// `None` once the task has ended.
    registration: Option<Registration>,
    room: Room<G>,
    listing: Listing,
    claim: Claim,
    mailbox: Mailbox,
    search_results: SearchResults<G>,
    connections: Connections,
    password_limits: PasswordLimits,
    unsaved: UnsavedOutputs<G>,
    gauge: RoomGauge,
    permits: RoomPermits,
}

/// The permits that an awake room holds.
pub(super) struct RoomPermits {
    /// The space for the game that is on; `None` without a game.
    pub(super) game: Option<GameReservation>,
    /// The round that a planned restart waits for, if there is one.
    pub(super) round: Option<CountedRound>,
    /// The room counts as awake for an address.
    pub(super) _awake: Permit,
}

/// The data by which the room is listed and deleted.
struct Listing {
    /// The last summary of the room.
    summary: Summary,
    /// The time at which the retention period of the room was last renewed.
    renewed_at: Timestamp,
}

impl Listing {
    /// The listing of a new task. It is backdated, so that the first renewal is due after [`FIRST_RENEWAL`] if people stay
    /// in a room that was woken.
    fn of_new_task(services: &Services, summary: Summary) -> Self {
        let before = (retention::time_kept(services, &summary) / 2).saturating_sub(FIRST_RENEWAL);
        let before = u64::try_from(before.as_millis()).unwrap_or(u64::MAX);
        Self {
            summary,
            renewed_at: Timestamp(services.now().0.saturating_sub(before)),
        }
    }
}

/// The outputs of the room since entries were last saved.
struct UnsavedOutputs<G: Player> {
    entries: Vec<SerializedEntry>,
    /// Whether one of the entries is public. Private ones do not renew the listing, which is public.
    has_public_entry: bool,
    /// The moves among the entries.
    moves: Vec<Move>,
    effects: Vec<Effect<G>>,
}

/// The outputs that have waited until their entries were saved. [`RoomTask::save`] alone makes them, and
/// [`RoomTask::perform`] takes nothing else: saving comes before sending.
struct SavedOutputs<G: Player> {
    moves: Vec<Move>,
    effects: Vec<Effect<G>>,
}

/// A move, and the time at which the message that has led to it arrived.
struct Move {
    by: Actor,
    arrived_at: Option<Instant>,
}

/// The channel for results of searches. It is made for the first search: most rooms have no expert.
struct SearchResults<G: Player>(Option<SearchChannel<G>>);

type SearchChannel<G> = (
    mpsc::Sender<SearchResult<G>>,
    mpsc::Receiver<SearchResult<G>>,
);

/// A time at which a room does something without a message.
#[derive(Clone, Copy)]
enum RoomTimer {
    /// A tick of the room is due.
    Tick(Instant),
    /// The room falls asleep, because nobody has been connected for a while.
    FallAsleep(Instant),
    /// The retention period of a room in which people are connected begins again.
    Renewal(Instant),
    /// The session of a silent gateway ends.
    SessionExpiry(Instant),
}

/// The result of a search.
struct SearchResult<G: Player> {
    request: SearchRequest,
    action: G::Action,
    requested_at: Instant,
}

impl<G: Player> RoomTask<G> {
    /// The task of a room that was opened or woken, and the handle by which it is reached. The task ends once nobody
    /// has been connected for a while.
    pub(super) fn with_handle(
        services: Arc<Services>,
        registration: Registration,
        mut room: Room<G>,
        claim: Claim,
        permits: RoomPermits,
    ) -> (impl Future<Output = ()> + Send + 'static, RoomHandle) {
        let limits = &services.limits;
        room.set_limits(limits.of_room());
        if services.cluster.is_some() {
            room.set_epoch(claim.number().get());
        }
        let gateways = services
            .cluster
            .as_ref()
            .map(|cluster| Box::new(Gateways::new(room.code(), cluster.updates.clone())));
        let gauge = RoomGauge::new(services.metrics.clone());
        let (mailbox, sender) = Mailbox::with_sender(gauge.shared());
        let handle = RoomHandle::new(sender, claim.number());
        let mut task = Self {
            listing: Listing::of_new_task(&services, room.summary()),
            room,
            claim,
            registration: Some(registration),
            mailbox,
            search_results: SearchResults(None),
            connections: Connections::new(gateways),
            password_limits: PasswordLimits::new(
                limits.wrong_passwords_per_minute,
                Instant::now().into_std(),
            ),
            unsaved: UnsavedOutputs::default(),
            gauge,
            permits,
            services,
        };
        let run = async move {
            let reason = task.serve().await;
            task.release(reason).await;
            task.close(reason);
        };
        (run, handle)
    }

    /// Serves the room until it sleeps or cannot go on. Returns why its connections are closed then.
    async fn serve(&mut self) -> CloseReason {
        let mut messages = Vec::new();
        self.update_gauge();
        self.begin_timeline();
        let mut restart = self.services.planned_restart.watch();
        if let Some(at) = restart.current() {
            // Nobody is connected yet, so nothing is sent.
            self.handle_input(Input::PlanRestart(Some(at)), None);
        }
        let mut timer = pin!(sleep_until(Instant::now()));
        loop {
            let next_timer = self.next_timer();
            if let Some(next) = next_timer {
                reset_timer_with_tolerance(timer.as_mut(), next.at());
            }
            tokio::select! {
                count = self.mailbox.receive(&mut messages) => {
                    if count == 0 {
                        // The shutdown: the people who are here come back later.
                        self.write_last_activity().await;
                        return CloseReason::Reconnect;
                    }
                    if let Some(reason) = messages.iter().find_map(|message| message.ends_task()) {
                        messages.drain(..).for_each(|message| message.reject(reason));
                        return reason;
                    }
                    messages.drain(..).for_each(|message| self.handle_mail(*message));
                }
                at = restart.changed() => self.handle_input(Input::PlanRestart(at), None),
                result = self.search_results.next() => self.take_search_result(result),
                () = timer.as_mut(), if next_timer.is_some() => match next_timer {
                    Some(RoomTimer::FallAsleep(_)) => {
                        self.write_last_activity().await;
                        // Somebody may have come meanwhile.
                        if self.mailbox.is_empty() {
                            return CloseReason::Reconnect;
                        }
                    }
                    Some(RoomTimer::Renewal(_)) => self.write_last_activity().await,
                    Some(RoomTimer::SessionExpiry(_)) => self.expire_sessions(),
                    Some(RoomTimer::Tick(_)) | None => self.handle_input(Input::Tick, None),
                },
            }
            match self.save().await {
                Ok(outputs) => self.perform(outputs),
                Err(error) => {
                    tracing::warn!(room = %self.listing.summary.public.room, %error, "the task of a room ended, because its entries were not saved");
                    return match error {
                        WriteError::Failed | WriteError::Corrupt => CloseReason::StorageFailed,
                        WriteError::ClaimLost | WriteError::CodeTaken => CloseReason::Reconnect,
                    };
                }
            }
        }
    }

    /// Tells the room if the database has another timeline than before. Messages wait until the entry for it is saved.
    fn begin_timeline(&mut self) {
        let timeline = self.claim.number().timeline();
        if timeline != self.room.timeline() {
            self.handle_input(Input::Timeline(timeline), None);
        }
        if let Some(gateways) = &mut self.connections.gateways {
            gateways.set_generation(self.room.generation());
        }
    }

    /// Releases the room, so that another node can claim it at once.
    async fn release(&mut self, reason: CloseReason) {
        if self.connections.gateways.is_none() || reason == CloseReason::StorageFailed {
            return;
        }
        // Boxed to keep the future of an idle room small.
        let released = Box::pin(self.services.store.release(self.claim.clone())).await;
        if let Err(error @ (WriteError::Failed | WriteError::Corrupt)) = released {
            tracing::warn!(room = %self.room.code(), %error, "a room could not be released");
        }
    }

    /// The next time at which the room does something without a message.
    fn next_timer(&self) -> Option<RoomTimer> {
        let time_kept = retention::time_kept(&self.services, &self.listing.summary);
        let unattended = match self.connections.empty_since() {
            Some(since) => RoomTimer::FallAsleep(since + self.idle_timeout(time_kept)),
            None => RoomTimer::Renewal(self.instant(self.listing.renewed_at.after(time_kept / 2))),
        };
        let tick = self.room.next_tick_at();
        let tick = tick.map(|at| RoomTimer::Tick(self.instant(at)));
        let gateways = self.connections.gateways.as_ref();
        let expiry = gateways.and_then(|gateways| gateways.next_expiry());
        let expiry = expiry.map(RoomTimer::SessionExpiry);
        tick.into_iter()
            .chain(expiry)
            .chain([unattended])
            .min_by_key(RoomTimer::at)
    }

    fn handle_mail(&mut self, message: MailboxMessage) {
        match message {
            MailboxMessage::Connect(conn, client_addr, protocol, outbox) => {
                let connection = RoomConnection {
                    route: Route::Socket(outbox),
                    client_addr,
                    closed: CancellationToken::new(),
                };
                self.connections.add(conn, connection);
                let connect = Input::Connect(conn, client_addr.customer(), protocol);
                self.handle_input(connect, None);
            }
            MailboxMessage::Message(conn, message, arrived_at) => {
                self.handle_input(Input::Message(conn, message), Some(arrived_at));
            }
            MailboxMessage::Disconnect(conn) => {
                self.connections.remove(conn);
                self.handle_input(Input::Disconnect(conn), None);
            }
            MailboxMessage::PasswordVerified(conn, client_addr, verdict) => {
                if matches!(verdict, PasswordVerdict::Right | PasswordVerdict::Failed) {
                    self.password_limits.attempts.refund(client_addr);
                }
                self.handle_input(Input::PasswordVerified(conn, verdict), None);
            }
            MailboxMessage::PasswordHashed(conn, hash) => {
                self.handle_input(Input::PasswordHashed(conn, hash), None);
            }
            MailboxMessage::ReadDone(conn, read) => {
                self.handle_input(Input::ReadDone(conn, read), None);
            }
            MailboxMessage::Notice(notice) => self.handle_input(Input::Notice(notice), None),
            MailboxMessage::Request(request, reply) => {
                reply(self.take_request(request));
            }
            MailboxMessage::EndSessionOf(gateway) => self.end_session_of(gateway),
            // The task ends before it handles these messages.
            MailboxMessage::RoomClosed | MailboxMessage::End => {}
        }
    }

    fn take_search_result(&mut self, result: SearchResult<G>) {
        let SearchResult {
            request,
            action,
            requested_at,
        } = result;
        self.services
            .search_pool
            .record_answer(requested_at.elapsed());
        self.handle_input(Input::SearchDone(request, action), None);
    }

    /// Handles an input, which arrived at this time if it is a message of a client. The address of its connection is charged
    /// for the entries of its command, that of the oldest connection with a seat for other entries.
    fn handle_input(&mut self, input: Input<G>, arrived_at: Option<Instant>) {
        let client_addr = self.addr_of(&input);
        let now = Instant::now().into_std();
        if let Some(client_addr) = client_addr {
            let budget = self.services.write_budgets.of(client_addr, now);
            self.room.set_write_budget(budget);
        }
        if self.room.is_game_over()
            && let Some(payer) = self.oldest_seated_addr()
        {
            let budget = self.services.write_budgets.of(payer, now);
            self.room.set_rematch_budget(budget);
        }
        let outputs = self.room.handle(self.services.now(), input);
        if !outputs.entries.is_empty() {
            self.reserve_space();
        }
        self.count_round();
        if let Some(summary) = outputs.summary {
            self.listing.summary = summary;
        }
        let format = self.services.store.format();
        for unsaved in outputs.entries {
            let (entry, charge) = (&unsaved.entry, unsaved.charge);
            if let Some(by) = entry.change.actor() {
                self.unsaved.moves.push(Move { by, arrived_at });
            }
            let of_command = client_addr.filter(|_| entry.command.is_some());
            self.unsaved.has_public_entry |= !entry.change.is_private();
            let entry = serialize_unsaved(unsaved, format);
            let bytes = match charge {
                WriteCharge::Prepaid => 0,
                WriteCharge::Entry => entry.stored_bytes(),
                WriteCharge::Game(bytes) => entry.stored_bytes() + bytes as usize,
            };
            self.unsaved.entries.push(entry);
            // A change that the room has made by itself has no command.
            if bytes > 0
                && let Some(payer) = of_command.or_else(|| self.oldest_seated_addr())
            {
                self.services.write_budgets.charge(payer, bytes, now);
            }
        }
        self.unsaved.effects.extend(outputs.effects);
    }

    /// Reserves space for the game if one has begun, and returns it if none is on any more.
    fn reserve_space(&mut self) {
        if self.room.running_game().is_none() {
            self.permits.game = None;
        } else if self.permits.game.is_none() {
            self.permits.game = Some(self.services.disk_reserve.reserve_game());
        }
    }

    /// Counts the round of this room as long as a planned restart has to wait for it.
    fn count_round(&mut self) {
        if !self.room.delays_restart() {
            self.permits.round = None;
        } else if self.permits.round.is_none() {
            self.permits.round = Some(self.services.planned_restart.count_round());
        }
    }

    fn update_gauge(&mut self) {
        let counts = RoomCounts::of(&self.listing.summary.public);
        self.gauge.set(counts, self.connections.count());
    }

    /// The address of the oldest connection with a seat.
    fn oldest_seated_addr(&self) -> Option<ClientAddr> {
        let conn = self.room.oldest_seated_conn()?;
        Some(self.connections.get(conn)?.client_addr)
    }

    /// The address of the connection of an input; `None` if it has none, or if the connection is closed.
    fn addr_of(&self, input: &Input<G>) -> Option<ClientAddr> {
        let conn = match input {
            Input::Connect(conn, ..)
            | Input::Message(conn, _)
            | Input::Disconnect(conn)
            | Input::PasswordVerified(conn, _)
            | Input::PasswordHashed(conn, _)
            | Input::ReadDone(conn, _) => *conn,
            Input::SearchDone(..)
            | Input::Timeline(_)
            | Input::PlanRestart(_)
            | Input::Notice(_)
            | Input::Tick => {
                return None;
            }
        };
        let connection = self.connections.get(conn);
        connection.map(|connection| connection.client_addr)
    }

    /// Saves the entries that are not saved. Returns what waits for that.
    async fn save(&mut self) -> Result<SavedOutputs<G>, WriteError> {
        let UnsavedOutputs {
            entries,
            has_public_entry,
            moves,
            effects,
        } = std::mem::take(&mut self.unsaved);
        // An admission waits until the claim is confirmed: one by a node that does not lead the room any more would not be ordered among
        // those of its leader.
        let must_confirm = self.connections.gateways.is_some()
            && effects
                .iter()
                .any(|effect| matches!(effect, Effect::MarkAdmitted(..)));
        if !entries.is_empty() || must_confirm {
            self.append(entries, has_public_entry).await?;
        }
        self.update_gauge();
        Ok(SavedOutputs { moves, effects })
    }

    /// Counts moves that are saved, and performs effects that have waited for that.
    fn perform(&mut self, SavedOutputs { moves, effects }: SavedOutputs<G>) {
        let latency = self.measure_moves(&moves);
        // All messages of a connection are put into its outbox at once.
        let mut messages: Vec<(ConnId, Outgoing)> = Vec::new();
        let mut admitted: Vec<(ConnId, AdmissionRecord)> = Vec::new();
        for effect in effects {
            match effect {
                Effect::Send(conn, message) => messages.push((conn, message)),
                Effect::Close(conn, reason) => {
                    let messages = messages.extract_if(.., |(to, _)| *to == conn);
                    self.send(conn, messages.map(|(_, message)| message), latency.as_ref());
                    self.close_connection(conn, reason);
                }
                Effect::MarkAdmitted(conn, number) => admitted.push((conn, number)),
                Effect::CountRefusal(refusal) => {
                    self.services.metrics.count_refusal(refusal.code())
                }
                Effect::VerifyPassword(conn, password, hash) => {
                    self.verify_password(conn, password, hash);
                }
                Effect::HashPassword(conn, password) => self.hash_password(conn, password),
                Effect::ReadRoundLog(conn, read) => self.read_round(conn, read),
                Effect::ListGames(conn, owner) => self.list_games(conn, owner),
                Effect::Search(request, position) => self.search(request, position),
            }
        }
        // The messages of one connection keep their order.
        messages.sort_by_key(|(conn, _)| *conn);
        let mut messages = messages.into_iter().peekable();
        while let Some((conn, first)) = messages.next() {
            let others = iter::from_fn(|| messages.next_if(|(to, _)| *to == conn));
            let of_conn = iter::once(first).chain(others.map(|(_, message)| message));
            self.send(conn, of_conn, latency.as_ref());
        }
        // From then on the socket answers pings. So the answer to a ping comes after `welcome`.
        for (conn, number) in admitted {
            match self
                .connections
                .get(conn)
                .map(|connection| &connection.route)
            {
                Some(Route::Socket(outbox)) => outbox.record_admitted(),
                Some(Route::Gateway) => {
                    if let Some(gateways) = &mut self.connections.gateways {
                        gateways.record_admitted(conn, number);
                    }
                }
                None => {}
            }
        }
        if let Some(gateways) = &mut self.connections.gateways {
            gateways.flush();
        }
    }

    /// Closes a connection after the messages before.
    fn close_connection(&mut self, conn: ConnId, reason: Eviction) {
        let Some(connection) = self.connections.remove(conn) else {
            return;
        };
        match (&connection.route, &mut self.connections.gateways) {
            (Route::Socket(outbox), _) => outbox.close(reason.into()),
            (Route::Gateway, Some(gateways)) => gateways.close(conn, reason),
            (Route::Gateway, None) => {}
        }
    }

    /// Counts moves that are saved. Returns the latency measurement of people's moves, which ends when the last
    /// view is sent.
    fn measure_moves(&self, moves: &[Move]) -> Option<Arc<MoveLatency>> {
        let metrics = &self.services.metrics;
        let mut arrival_times = Vec::new();
        for Move { by, arrived_at } in moves {
            metrics.count_move(*by);
            if let (Actor::Owner, Some(arrived_at)) = (by, arrived_at) {
                let to_commit = arrived_at.elapsed();
                metrics.to_commit.observe(to_commit.as_secs_f64());
                arrival_times.push(arrived_at.into_std());
            }
        }
        (!arrival_times.is_empty()).then(|| metrics.latency(arrival_times))
    }

    /// Submits a search to the pool. Its result is dropped if the channel is full; then the room plays on without it.
    fn search(&mut self, request: SearchRequest, position: G::Position) {
        let results = self.search_results.sender();
        let requested_at = Instant::now();
        // Any seed is good: it only selects determinizations, and no card that is dealt.
        let seed = getrandom::u64().unwrap_or_default();
        let wanted = request.clone();
        self.services.search_pool.submit(
            move || wanted.is_open(),
            move |time, is_over| {
                let playouts = G::Position::playout_budget(time);
                let action = position.search(seed, playouts, is_over);
                // Without a result the room plays on too.
                let _ = results.try_send(SearchResult {
                    request,
                    action,
                    requested_at,
                });
            },
        );
    }

    fn send(
        &mut self,
        conn: ConnId,
        messages: impl Iterator<Item = Outgoing>,
        latency: Option<&Arc<MoveLatency>>,
    ) {
        let outbox = match self
            .connections
            .get(conn)
            .map(|connection| &connection.route)
        {
            Some(Route::Socket(outbox)) => outbox,
            Some(Route::Gateway) => {
                if let Some(gateways) = &mut self.connections.gateways {
                    messages.for_each(|message| gateways.send(conn, message));
                }
                return;
            }
            None => return,
        };
        let PutCounts {
            replaced,
            overflows,
        } = outbox.put(messages, latency);
        self.services.metrics.replaced.inc_by(replaced);
        self.services.metrics.overflows.inc_by(overflows);
    }

    /// Saves entries. `renews_listing`: whether the room counts as active now.
    async fn append(
        &mut self,
        entries: Vec<SerializedEntry>,
        renews_listing: bool,
    ) -> Result<(), WriteError> {
        let now = self.services.now();
        let listing = renews_listing.then(|| {
            self.listing.renewed_at = now;
            retention::listing(&self.services, self.listing.summary.clone())
        });
        let store = &self.services.store;
        // Boxed to keep the future of an idle room small.
        Box::pin(store.append(&mut self.claim, now, entries, listing)).await
    }

    /// Writes the time of the last activity. The retention period of the room begins then.
    async fn write_last_activity(&mut self) {
        if let Err(error) = self.append(Vec::new(), true).await {
            tracing::warn!(room = %self.listing.summary.public.room, %error, "the last activity of a room could not be saved");
        }
    }

    /// The time for which a room without connections stays awake.
    fn idle_timeout(&self, time_kept: Duration) -> Duration {
        self.services.limits.room_idle_timeout().min(time_kept)
    }

    /// The instant of a point in time, by the monotonic clock.
    fn instant(&self, at: Timestamp) -> Instant {
        let wait = at.0.saturating_sub(self.services.now().0);
        Instant::now() + Duration::from_millis(wait)
    }
}

impl<G: Player> RoomTask<G> {
    /// Leaves the registry, then closes all connections. So a client that comes back does not find this task.
    fn close(&mut self, reason: CloseReason) {
        drop(self.registration.take());
        self.connections.close(reason);

        self.mailbox.close(reason);
    }
}

/// When a task ends, also by a panic, no caller waits forever.
impl<G: Player> Drop for RoomTask<G> {
    fn drop(&mut self) {
        if thread::panicking()
            && let Some(registration) = &self.registration
        {
            registration.record_panic();
        }
        self.close(CloseReason::Reconnect);
    }
}

impl RoomTimer {
    fn at(&self) -> Instant {
        match self {
            Self::Tick(at) | Self::FallAsleep(at) | Self::Renewal(at) | Self::SessionExpiry(at) => {
                *at
            }
        }
    }
}

impl<G: Player> Default for UnsavedOutputs<G> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            has_public_entry: false,
            moves: Vec::new(),
            effects: Vec::new(),
        }
    }
}

impl<G: Player> SearchResults<G> {
    /// The next result. Cancel safe.
    async fn next(&mut self) -> SearchResult<G> {
        match &mut self.0 {
            Some((_, receiver)) => match receiver.recv().await {
                Some(result) => result,
                None => pending().await,
            },
            None => pending().await,
        }
    }

    fn sender(&mut self) -> mpsc::Sender<SearchResult<G>> {
        let (sender, _) = self.0.get_or_insert_with(|| mpsc::channel(SEARCH_RESULTS));
        sender.clone()
    }
}

/// Sets the timer of a room, unless its time differs by [`TIMER_TOLERANCE`] at most.
fn reset_timer_with_tolerance(timer: Pin<&mut Sleep>, at: Instant) {
    let set = timer.deadline();
    if timer.is_elapsed() || set.max(at) - set.min(at) > TIMER_TOLERANCE {
        timer.reset(at);
    }
}
