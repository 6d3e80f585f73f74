//! `sticheln serve`: runs the server from its settings to its shutdown.

use std::io::{IsTerminal, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use sticheln_cluster::NodeId;
use sticheln_room::Entropy;
use thiserror::Error;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tracing::Level;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{Targets, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::PROGRAM;
use crate::clock::{RetentionClock, SteadyClock};
use crate::cluster::bus::{Bus, BusError, Inbox};
use crate::cluster::bus_settings::BusServer;
use crate::cluster::links::Links;
use crate::cluster::metrics::NodeMetrics;
use crate::cluster::node::{BusUpdateSender, ClusterNode};
use crate::control::listener::{ControlContext, ControlSocket};
use crate::http::admin;
use crate::http::listener::serve;
use crate::http::pages::Pages;
use crate::http::public_url::PublicUrl;
use crate::http::routes::AppState;
use crate::ops::panic_hook;
use crate::rooms::game_list::GameList;
use crate::rooms::services::{Clocks, Services};
use crate::settings::{Listen, LogAndMetrics, LogFormat, Problems, ServerSettings};
use crate::storage::{DatabaseError, OpenError, Store, WriteFormat, WriterHandle};

/// The most connections that wait to be accepted. The default of 128 is full after a short burst.
const BACKLOG: u32 = 1024;
/// The flag for the port of the server.
pub(crate) const PORT_FLAG: &str = "--port";
/// The flag for the port of the metrics and health checks.
pub(crate) const ADMIN_PORT_FLAG: &str = "--admin-port";

/// The reason why the server cannot run, as one sentence.
#[derive(Debug, Error)]
pub enum Failure {
    /// Settings are invalid.
    #[error(transparent)]
    Settings(Problems),
    /// The filter of the program log is invalid.
    #[error("`--log`: `{0}` is not a valid log filter.")]
    Log(String),
    /// The data folder cannot be used.
    #[error(transparent)]
    Store(OpenError),
    /// The port is in use. The flag sets another one.
    #[error("Port {0} is taken by another program; `{1}` chooses another one.")]
    PortTaken(u16, &'static str),
    /// The server cannot listen on this address.
    #[error("The server cannot listen on {0}: {1}.")]
    Listen(SocketAddr, #[source] std::io::Error),
    /// The handlers for signals cannot be installed.
    #[error("The system does not deliver signals: {0}.")]
    Signals(#[source] std::io::Error),
    /// The password for opening rooms cannot be hashed.
    #[error("The password of `--open-password` cannot be hashed.")]
    Hash,
    /// The server cannot use the bus.
    #[error(transparent)]
    Bus(BusError),
    /// The database does not give a lease to this node.
    #[error("The database gives no lease to this server: {0}.")]
    Lease(#[source] DatabaseError),
    /// The system has no random numbers.
    #[error("The system has no random numbers: {0}.")]
    Entropy(#[source] getrandom::Error),
}

impl Failure {
    /// The failure to listen on an address whose port this flag sets.
    fn listen(address: SocketAddr, flag: &'static str, error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::AddrInUse => Self::PortTaken(address.port(), flag),
            _ => Self::Listen(address, error),
        }
    }
}

/// Hosts these games until the system or the user stops the program.
///
/// # Errors
/// [`Failure`] says in a sentence why it cannot.
pub async fn run(settings: ServerSettings, games: GameList) -> Result<(), Failure> {
    run_with(settings, games, |store| store).await
}

/// Hosts games as [`run`] does, with the store that `adapt_store` makes from the opened one.
///
/// # Errors
/// As for [`run`].
pub async fn run_with(
    settings: ServerSettings,
    games: GameList,
    adapt_store: impl FnOnce(Store) -> Store,
) -> Result<(), Failure> {
    let problems = settings.problems();
    if !problems.is_empty() {
        return Err(Failure::Settings(Problems(problems)));
    }
    start_log(&settings.log_and_metrics)?;
    raise_file_limit();
    // If the system has random numbers now, it always has more.
    getrandom::fill(&mut [0; 32]).map_err(Failure::Entropy)?;
    let shutdown = shutdown_signal().map_err(Failure::Signals)?;

    // By default the signal for a file that exceeds its limit kills the process. It is handled, so
    // that the write fails as on a full disk.
    let _file_size_signal = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))
        .map_err(Failure::Signals)?;

    let listener = listen(&settings.listen, PORT_FLAG)?;
    let admin = match settings.log_and_metrics.admin_port {
        Some(port) => {
            let address = SocketAddr::new(settings.log_and_metrics.admin_host, port);
            let bound = TcpListener::bind(address).await;
            Some(bound.map_err(|error| Failure::listen(address, ADMIN_PORT_FLAG, error))?)
        }
        None => None,
    };
    let (app, writer) = open_app(&settings, games, adapt_store).await?;
    if let Some(admin) = admin {
        tokio::spawn(admin::serve(admin, app.clone()));
    }
    let local = listener.local_addr();
    let page = match (&settings.proxy.public_url, &local) {
        (Some(public), _) => public.to_string(),
        (None, Ok(local)) => local_page(*local),
        (None, Err(_)) => "/".to_owned(),
    };
    let control = settings.control.path_in(&settings.folder);
    let control = start_control(control, page, &app).await;
    if let Ok(address) = local {
        print_addresses(address, settings.proxy.public_url.as_ref());
    }
    let (restart, node) = (app.services.planned_restart.clone(), app.node.clone());
    let shutdown = async move {
        tokio::select! {
            () = shutdown => {}
            () = restart.due() => tracing::info!("the planned restart begins"),
            () = drain_requested(node) => {}
        }
        // The socket is removed before the lock of the folder is, so it is not that of another server.
        if let Some(control) = control {
            control.abort();
            let _ = control.await;
        }
    };
    serve(listener, app, writer, shutdown).await;
    Ok(())
}

/// Opens the database, and connects to the bus if the server is a node. Returns the state of the server.
async fn open_app(
    settings: &ServerSettings,
    games: GameList,
    adapt_store: impl FnOnce(Store) -> Store,
) -> Result<(Arc<AppState>, WriterHandle), Failure> {
    let bus = settings.bus.server(&settings.database);
    let bus = bus.map_err(|error| Failure::Settings(Problems(vec![error.to_string()])))?;
    let node = bus.is_some().then(random_node_id);
    let (store, writer) = Store::open_with(&settings.folder.path, &settings.database, node)
        .await
        .map_err(Failure::Store)?;
    let store = adapt_store(store);
    let connected = match (node, &bus) {
        (Some(node), Some(bus)) => Some(join_bus(node, bus, store.write_format()).await?),
        _ => None,
    };
    let (updates, inbox) = connected.unzip();
    let app = Arc::new(new_app(settings, games, store, updates).await?);
    if let (Some(node), Some(inbox)) = (&app.node, inbox) {
        node.start(inbox).await.map_err(Failure::Lease)?;
        tracing::info!(node = %node.id, "this server is a node of a cluster");
    }
    Ok((app, writer))
}

/// Ready when this node has to drain; never if the server is alone.
async fn drain_requested(node: Option<Arc<ClusterNode>>) {
    match node {
        Some(node) => node.drain_requested().await,
        None => std::future::pending().await,
    }
}

/// Connects to the bus. Returns the sender of updates, and the messages to this node.
async fn join_bus(
    node: NodeId,
    server: &BusServer,
    format: WriteFormat,
) -> Result<(BusUpdateSender, Inbox), Failure> {
    let metrics = NodeMetrics::default();
    let connected = Bus::connect(server, node, metrics.bus.clone()).await;
    let (bus, inbox) = connected.map_err(Failure::Bus)?;
    let updates = BusUpdateSender {
        node,
        bus,
        links: Links::default(),
        metrics,
        format,
    };
    Ok((updates, inbox))
}

/// A random id for this node.
fn random_node_id() -> NodeId {
    let [a, b, c, d, e, f, g, h, ..] = random_bits();
    NodeId(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

/// The state of a server with these settings. With `updates` it is a node of a cluster.
async fn new_app(
    settings: &ServerSettings,
    games: GameList,
    store: Store,
    updates: Option<BusUpdateSender>,
) -> Result<AppState, Failure> {
    let clock = SteadyClock::default();
    let retention_time = store.retention_time();
    let retention_clock =
        RetentionClock::starting_at(retention_time.unwrap_or_else(|| clock.now()));
    let clocks = Clocks {
        wall: Arc::new(move || clock.now()),
        retention: Arc::new(move || retention_clock.now()),
    };
    let services = Services::start(
        store,
        settings.limits.clone(),
        clocks,
        Arc::new(|_| Entropy::new(Box::new(random_bits))),
    );
    let app = AppState::with_services(games, services, updates)
        .with_proxy(settings.proxy.clone())
        .with_pages(
            Pages::new(settings.page.files()).with_legal_links(settings.legal_links.clone()),
        );
    match settings.open_password.password.clone() {
        Some(password) => app.with_open_password(password).await.ok_or(Failure::Hash),
        None => Ok(app),
    }
}

/// Starts the control socket. Without it the server runs on, because the volume may not be able to hold sockets.
async fn start_control(
    path: Option<PathBuf>,
    page: String,
    app: &AppState,
) -> Option<JoinHandle<()>> {
    let path = path?;
    match ControlSocket::bind(&path).await {
        Ok(socket) => {
            let context = ControlContext {
                registry: app.registry.clone(),
                services: app.services.clone(),
                node: app.node.clone(),
                page,
            };
            Some(tokio::spawn(socket.serve(context)))
        }
        Err(error) => {
            let path = path.display();
            tracing::warn!(%path, %error, "there is no control socket: `--control-socket` can set another path");
            None
        }
    }
}

/// Raises the limit of open files to the maximum. Each socket is one.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let maximum = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, maximum) {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
}

/// Starts the program log.
fn start_log(settings: &LogAndMetrics) -> Result<(), Failure> {
    let filter = settings.log.parse::<Targets>();
    let filter = filter.map_err(|_| Failure::Log(settings.log.clone()))?;
    // Below the level of warnings, libraries log the texts of clients, which contain secrets.
    let is_allowed = filter_fn(|about| {
        let target = about.target();
        // The bus logs in words, once, the errors that its library logs at each attempt to connect.
        target.starts_with(PROGRAM)
            || (*about.level() <= Level::WARN && !target.starts_with("async_nats"))
    });
    let lines = tracing_subscriber::fmt::layer()
        .log_internal_errors(false)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let lines = match settings.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.with_ansi(false).json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry()
        .with(lines)
        .with(filter)
        .with(is_allowed)
        .init();
    panic_hook::install();
    Ok(())
}

/// Listens on IPv4 and IPv6, or on IPv4 alone if the system has no IPv6.
///
/// # Errors
/// [`Failure::PortTaken`] or [`Failure::Listen`] if that is not possible.
pub(crate) fn listen(wanted: &Listen, port_flag: &'static str) -> Result<TcpListener, Failure> {
    let address = SocketAddr::new(wanted.host, wanted.port);
    let error = match bind(address) {
        Ok(listener) => return Ok(listener),
        Err(error) => error,
    };
    let any_ipv4 = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), wanted.port);
    if wanted.host.is_unspecified()
        && wanted.host.is_ipv6()
        && error.kind() != std::io::ErrorKind::AddrInUse
        && let Ok(listener) = bind(any_ipv4)
    {
        return Ok(listener);
    }
    Err(Failure::listen(address, port_flag, error))
}

/// Binds like [`TcpListener::bind`], with a longer queue.
fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

fn random_bits() -> [u8; 32] {
    let mut bits = [0; 32];
    getrandom::fill(&mut bits)
        .expect("the system had random numbers at the start, so it always has");
    bits
}

/// Ready when the program gets SIGTERM or SIGINT.
fn shutdown_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut term = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// The address of the page on this machine, which ends with `/`.
fn local_page(listening: SocketAddr) -> String {
    match listening.ip().is_unspecified() {
        true => format!("http://localhost:{}/", listening.port()),
        false => format!("http://{listening}/"),
    }
}

/// Prints the addresses of the page.
fn print_addresses(listening: SocketAddr, public: Option<&PublicUrl>) {
    let port = listening.port();
    let ip = listening.ip();
    if let Some(public) = public {
        print_line(&format!("The server is ready: {public}"));
        let ip = if ip.is_unspecified() {
            Ipv4Addr::LOCALHOST.into()
        } else {
            ip
        };
        print_line(&format!(
            "  For the proxy:        http://{}/",
            SocketAddr::new(ip, port)
        ));
        return;
    }
    let local = local_page(listening);
    if !ip.is_unspecified() {
        print_line(&format!("The server is ready: {local}"));
        return;
    }
    print_line("The server is ready.");
    print_line(&format!("  On this machine:      {local}"));
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let addresses = interfaces.iter().map(|interface| interface.ip());
    for address in addresses.filter(|ip| ip.is_ipv4() && !ip.is_loopback()) {
        let address = SocketAddr::new(address, port);
        print_line(&format!("  On the local network: http://{address}/"));
    }
    print_line("Press Ctrl-C to stop. Games continue when the server is started again.");
}

/// A text without control characters, which a terminal would execute.
pub fn printable(text: &str) -> String {
    let printed = text.chars().map(|letter| match letter.is_control() {
        true => char::REPLACEMENT_CHARACTER,
        false => letter,
    });
    printed.collect()
}

/// Prints a line, if the standard output is open.
pub fn print_line(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
