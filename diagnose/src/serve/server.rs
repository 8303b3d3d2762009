//! The server's thread: one at a time, started and stopped by settings.

use std::io;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use super::bodies;
use super::budget::{Budget, CpuStopwatch};
use super::client::{Client, ClientStep};
use super::listener::Listener;
use super::request::Access;
use super::shared;
use crate::install_error::InstallError;
use crate::own_thread;
use crate::say::say;
use crate::serve_address::{Address, ServeAddress, ServeToken};
use crate::sync::Mutex;

/// Maximum number of connections. Further ones wait in the system's queue.
const MAX_CLIENTS: usize = 32;
/// If all connections are taken, a client that has been idle for this long is closed.
const MAX_IDLE: Duration = Duration::from_millis(250);
/// Maximum number of steps that a client takes in one round.
const MAX_STEPS: usize = 4;
/// Shortest pause between two rounds, after a round in which something moved.
const PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// Maximum time that new settings wait for the end of the previous server.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The running server; `None` if there is none.
static SERVER: Mutex<Option<RunningServer>> = Mutex::new(None);

struct RunningServer {
    /// Id of the process: a forked child has no such thread.
    process: u32,
    /// The address as it was set. `address` is the actual one.
    wanted: ServeAddress,
    address: ServeAddress,
    access: Access,
    stops: Arc<AtomicBool>,
    /// Shared with the thread, which may wait for a connection.
    listener: Arc<Listener>,
    thread: Option<thread::JoinHandle<()>>,
    /// Device and number of the socket's file.
    #[cfg(unix)]
    file: Option<(u64, u64)>,
}

/// Returns the address on which [`Builder::serve`](crate::Builder::serve) listens.
///
/// For port 0, it has the port that the system has chosen. Returns `None` if nothing is served.
///
/// # Examples
/// ```
/// diagnose::Builder::new().serve("localhost:0").install();
/// if let Some(address) = diagnose::serve_address() {
///     println!("reports at http://{address}/");
/// }
/// ```
#[must_use]
pub fn serve_address() -> Option<ServeAddress> {
    let server = SERVER.lock();
    server.as_ref().filter(|server| server.is_serving()).map(|server| server.address.clone())
}

/// Serves on this address from now on, instead of the previous one. `None` stops the server.
///
/// # Errors
/// The address is not allowed without a token, or the system refuses it. Nothing is served then.
pub(crate) fn set_up(address: Option<ServeAddress>, token: Option<ServeToken>) -> Result<(), InstallError> {
    let mut server = SERVER.lock();
    let access = address.as_ref().map(|address| access(address, token)).transpose();
    let is_same = |own: &RunningServer| {
        own.is_serving()
            && address.as_ref() == Some(&own.wanted)
            && matches!(&access, Ok(Some(access)) if *access == own.access)
    };
    if server.as_ref().is_some_and(is_same) {
        return Ok(());
    }
    if let Some(previous) = server.take() {
        previous.stop();
    }
    let (Some(address), Some(access)) = (address, access?) else { return Ok(()) };
    let failed = |error| InstallError::Serve(address.clone(), error);
    *server = Some(start(&address, access).map_err(failed)?);
    Ok(())
}

/// Decides what clients have to present.
fn access(address: &ServeAddress, token: Option<ServeToken>) -> Result<Access, InstallError> {
    match (token, &address.0) {
        (Some(ServeToken(token)), _) => {
            if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                let text = "the token must be of visible ASCII characters, without spaces";
                let error = io::Error::new(io::ErrorKind::InvalidInput, text);
                return Err(InstallError::Serve(address.clone(), error));
            }
            Ok(Access::Token(token))
        }
        (None, Address::Tcp(tcp)) if !is_loopback(*tcp) => Err(InstallError::ServeNeedsToken(*tcp)),
        (None, Address::Unix(_)) => Ok(Access::Socket),
        (None, _) => Ok(Access::LocalHost),
    }
}

fn is_loopback(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

fn start(wanted: &ServeAddress, access: Access) -> io::Result<RunningServer> {
    static AT_EXIT: std::sync::Once = std::sync::Once::new();
    let (listener, address) = Listener::bind(wanted)?;
    listener.set_waiting(false)?;
    let listener = Arc::new(listener);
    let stops = Arc::new(AtomicBool::new(false));
    let mut running = RunningServer {
        process: std::process::id(),
        wanted: wanted.clone(),
        address: address.clone(),
        access: access.clone(),
        stops: Arc::clone(&stops),
        listener: Arc::clone(&listener),
        thread: None,
        #[cfg(unix)]
        file: address.path().and_then(super::listener::unix::identity),
    };
    let serve = {
        let address = address.clone();
        move || Server::new(listener, access).run(&stops, &address)
    };
    match own_thread::spawn("diagnose-serve", serve) {
        Ok(thread) => running.thread = Some(thread),
        Err(error) => {
            running.remove_file();
            return Err(error);
        }
    }
    AT_EXIT.call_once(|| crate::exit::register(at_exit));
    match address.socket_addr() {
        Some(address) => say!("diagnose: serving http://{address}/"),
        None => say!("diagnose: serving on {address}"),
    }
    Ok(running)
}

/// Removes the socket's file when the process ends.
fn at_exit() {
    // The thread that ends the process must not wait for one that has just stopped.
    if let Some(server) = SERVER.try_lock().and_then(|mut server| server.take()) {
        server.remove_file();
        // Nothing is freed, because the server's thread may hold the allocator's lock.
        std::mem::forget(server);
    }
}

impl RunningServer {
    /// Not so in a forked child, and after the program has closed the listener.
    fn is_serving(&self) -> bool {
        self.process == std::process::id() && !self.stops.load(Relaxed)
    }

    /// Stops the thread, and waits for its end, so that the address is free again. A thread that is
    /// making a page ends later.
    fn stop(mut self) {
        self.forget_thread();
        if self.process != std::process::id() {
            return;
        }
        self.stops.store(true, Relaxed);
        let began = Instant::now();
        let is_running = || self.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        if is_running() {
            self.listener.end(&self.address);
        }
        while is_running() && began.elapsed() < MAX_WAIT {
            thread::sleep(PAUSE);
        }
        self.remove_file();
    }

    /// In a forked child, forgets the handle of the parent's thread. Its drop would detach the
    /// child's own thread to which the C library has given the same id.
    fn forget_thread(&mut self) {
        if self.process != std::process::id() {
            std::mem::forget(self.thread.take());
        }
    }

    /// Removes the socket's file, unless another has taken its place.
    #[cfg(unix)]
    fn remove_file(&self) {
        if let Some(path) = self.address.path().filter(|_| self.process == std::process::id()) {
            if self.file.is_some() && super::listener::unix::identity(path) == self.file {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// Does nothing: there are no socket files.
    #[cfg(not(unix))]
    #[allow(clippy::unused_self)] // The signature is that for Unix.
    fn remove_file(&self) {}
}

/// The thread's own state.
struct Server {
    listener: Arc<Listener>,
    access: Access,
    clients: Vec<Client>,
    budget: Budget,
    pause: Duration,
}

impl Server {
    fn new(listener: Arc<Listener>, access: Access) -> Self {
        #[cfg(unix)]
        listener.publish();
        Self { listener, access, clients: Vec::new(), budget: Budget::new(), pause: PAUSE }
    }

    fn run(mut self, stops: &AtomicBool, address: &ServeAddress) {
        while !stops.load(Relaxed) {
            // Nothing here should panic. If it does, its clients are disconnected, and later ones
            // are served.
            if catch_unwind(AssertUnwindSafe(|| self.round(stops))).is_err() {
                self.clients.clear();
            }
            if self.listener.is_lost() && !stops.swap(true, Relaxed) {
                say!(
                    "diagnose: the program has closed the socket of the server on {address}: nothing is served now"
                );
            }
        }
    }

    /// Accepts clients, lets each take a step, and pauses.
    fn round(&mut self, stops: &AtomicBool) {
        if self.clients.is_empty() && own_thread::work(shared::free_old) {
            self.wait_for_client(stops);
        }
        if stops.load(Relaxed) {
            return;
        }
        let pause = own_thread::work(|| self.step());
        thread::sleep(pause.max(self.pause));
    }

    /// Accepts clients, and lets each take a step. Returns how long to pause at least.
    fn step(&mut self) -> Duration {
        let (watch, mut made) = (CpuStopwatch::start(), Duration::ZERO);
        let mut has_moved = self.accept();
        let access = &self.access;
        self.clients.retain_mut(|client| {
            let mut step = ClientStep::Waits;
            for _ in 0..MAX_STEPS {
                step = client.step(access, &mut made);
                has_moved |= step == ClientStep::Moved;
                if step != ClientStep::Moved {
                    break;
                }
            }
            step != ClientStep::Gone
        });
        bodies::bound(&mut self.clients);
        // Making pages has a bound of its own.
        let pause = self.budget.spend(watch.elapsed().saturating_sub(made));
        let is_recording = !self.clients.is_empty() && self.clients.iter().all(Client::is_recording);
        self.pause = if has_moved { PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
        if is_recording {
            self.pause = LONGEST_PAUSE;
        }
        pause
    }

    /// Waits for a client, without using the processor.
    fn wait_for_client(&mut self, stops: &AtomicBool) {
        // The buffer is not kept, because it may have been large.
        self.clients = Vec::new();
        let waited = self.listener.set_waiting(true).and_then(|()| self.listener.accept());
        let is_ready = self.listener.set_waiting(false);
        match (waited, is_ready) {
            _ if stops.load(Relaxed) || self.listener.is_lost() => {}
            (Ok(stream), Ok(())) => self.clients.push(Client::new(stream)),
            // The process may have no file descriptor left.
            _ => thread::sleep(Duration::from_millis(100)),
        }
        self.pause = PAUSE;
    }

    /// Accepts waiting clients up to the bound. Returns whether there were any.
    fn accept(&mut self) -> bool {
        let mut has_moved = false;
        loop {
            if self.clients.len() >= MAX_CLIENTS && !self.close_slowest() {
                return has_moved;
            }
            let Ok(stream) = self.listener.accept() else { return has_moved };
            self.clients.push(Client::new(stream));
            has_moved = true;
            if self.clients.len() >= MAX_CLIENTS {
                // The new ones take their first step before any of them is closed for another.
                return has_moved;
            }
        }
    }

    /// Closes the client that has been idle for the longest time. Returns whether there was one.
    fn close_slowest(&mut self) -> bool {
        let idle = |client: &Client| client.idle().filter(|idle| *idle >= MAX_IDLE);
        let slowest = self.clients.iter().enumerate().filter_map(|(at, client)| Some((idle(client)?, at)));
        let Some((_, at)) = slowest.max() else { return false };
        self.clients.swap_remove(at);
        true
    }
}

#[cfg(unix)]
impl Drop for Server {
    fn drop(&mut self) {
        self.listener.withdraw();
    }
}
