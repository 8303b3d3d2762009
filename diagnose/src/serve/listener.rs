//! TCP and Unix sockets, as one type each for listeners and connections.
//!
//! A Unix socket is created in a folder that only this user can enter, gets the mode 0600 there,
//! and is then renamed to its path. So no other user can connect at any moment. A socket file that
//! an earlier process has left is replaced; a socket on which a process listens is an error, and so
//! is any other file. [`OwnSocket`] leaves alone a socket that has taken over a descriptor.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, RawFd};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
#[cfg(unix)]
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

use super::own_socket::{Identified, OwnSocket};
use crate::serve_address::{Address, ServeAddress};

#[derive(Debug)]
pub(super) struct Listener(OwnSocket<ListeningSocket>);

#[derive(Debug)]
enum ListeningSocket {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

#[derive(Debug)]
pub(super) struct Stream(OwnSocket<ConnectedSocket>);

#[derive(Debug)]
enum ConnectedSocket {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Listener {
    /// Listens on an address. Returns the address with the port that the system chose.
    pub(super) fn bind(address: &ServeAddress) -> io::Result<(Self, ServeAddress)> {
        match &address.0 {
            Address::Tcp(wanted) => {
                let listener = TcpListener::bind(wanted)?;
                let bound = listener.local_addr()?;
                Ok((Self(OwnSocket::new(ListeningSocket::Tcp(listener))), bound.into()))
            }
            #[cfg(unix)]
            Address::Unix(path) => {
                let path = std::path::absolute(path)?;
                let listener = ListeningSocket::Unix(unix::bind(&path)?);
                Ok((Self(OwnSocket::new(listener)), path.into()))
            }
            #[cfg(not(unix))]
            Address::Unix(_) => {
                Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no Unix sockets"))
            }
            Address::Unknown(_) => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "expected an IP address with a port, such as `127.0.0.1:6070`, or the path of a Unix socket, with a `/`",
            )),
        }
    }

    /// Accepts a connection that does not block.
    pub(super) fn accept(&self) -> io::Result<Stream> {
        let stream = match self.0.get()? {
            ListeningSocket::Tcp(listener) => {
                let stream = listener.accept()?.0;
                stream.set_nonblocking(true)?;
                ConnectedSocket::Tcp(stream)
            }
            #[cfg(unix)]
            ListeningSocket::Unix(listener) => {
                let stream = listener.accept()?.0;
                stream.set_nonblocking(true)?;
                ConnectedSocket::Unix(stream)
            }
        };
        Ok(Stream(OwnSocket::new(stream)))
    }

    /// Sets whether [`accept`](Self::accept) waits for a connection.
    pub(super) fn set_waiting(&self, waits: bool) -> io::Result<()> {
        match self.0.get()? {
            ListeningSocket::Tcp(listener) => listener.set_nonblocking(!waits),
            #[cfg(unix)]
            ListeningSocket::Unix(listener) => listener.set_nonblocking(!waits),
        }
    }

    /// Returns whether the program has closed it, so that it accepts nothing for good.
    pub(super) fn is_lost(&self) -> bool {
        self.0.get().is_err()
    }

    /// Ends a waiting [`accept`](Self::accept), and every later one, with an error. If the program
    /// has closed the listener, or the system has no call for that, connects to it instead: a
    /// thread may still wait in `accept`.
    ///
    /// The call needs no connection: the process may have no file descriptor left, and the socket's
    /// file may be gone.
    pub(super) fn end(&self, address: &ServeAddress) {
        match self.0.get() {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Ok(socket) => crate::os::shut_down(socket.as_fd()),
            _ => drop(ConnectedSocket::connect(address)),
        }
    }

    /// Notes that the current thread accepts connections, for [`close_in_child`].
    #[cfg(unix)]
    pub(super) fn publish(&self) {
        let (device, number) = self.0.file().unwrap_or_default();
        DEVICE.store(device, Relaxed);
        NUMBER.store(number, Relaxed);
        DESCRIPTOR.store(self.descriptor(), Relaxed);
    }

    /// Undoes [`publish`](Self::publish), unless a later server has published its own.
    #[cfg(unix)]
    pub(super) fn withdraw(&self) {
        let _ = DESCRIPTOR.compare_exchange(self.descriptor(), -1, Relaxed, Relaxed);
    }

    /// The file descriptor; -1 if the program has closed it.
    #[cfg(unix)]
    fn descriptor(&self) -> RawFd {
        self.0.get().map_or(-1, |socket| socket.as_fd().as_raw_fd())
    }
}

#[cfg(unix)]
impl AsFd for ListeningSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(listener) => listener.as_fd(),
            Self::Unix(listener) => listener.as_fd(),
        }
    }
}

#[cfg(unix)]
impl AsFd for ConnectedSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
        }
    }
}

#[cfg(unix)]
impl<T: AsFd> Identified for T {
    fn file(&self) -> Option<(u64, u64)> {
        crate::os::file_of(self.as_fd().as_raw_fd())
    }
}

#[cfg(not(unix))]
impl Identified for ListeningSocket {
    fn file(&self) -> Option<(u64, u64)> {
        None
    }
}

#[cfg(not(unix))]
impl Identified for ConnectedSocket {
    fn file(&self) -> Option<(u64, u64)> {
        None
    }
}

impl ConnectedSocket {
    /// Connects to an address of this process, to end a waiting [`Listener::accept`].
    fn connect(address: &ServeAddress) -> io::Result<Self> {
        match &address.0 {
            Address::Tcp(address) => {
                let mut address = *address;
                if address.ip().is_unspecified() {
                    address.set_ip(match address {
                        std::net::SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                        std::net::SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
                    });
                }
                TcpStream::connect_timeout(&address, std::time::Duration::from_millis(100)).map(Self::Tcp)
            }
            #[cfg(unix)]
            Address::Unix(path) => UnixStream::connect(path).map(Self::Unix),
            #[cfg(not(unix))]
            Address::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
            Address::Unknown(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}

impl Stream {
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.get()? {
            ConnectedSocket::Tcp(stream) => (&*stream).read(buffer),
            #[cfg(unix)]
            ConnectedSocket::Unix(stream) => (&*stream).read(buffer),
        }
    }

    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.get()? {
            ConnectedSocket::Tcp(stream) => (&*stream).write(bytes),
            #[cfg(unix)]
            ConnectedSocket::Unix(stream) => (&*stream).write(bytes),
        }
    }

    /// Signals the end of the response to the client.
    pub(super) fn end(&self) {
        // An error is ignored, because the client is gone then.
        let _ = self.0.get().and_then(|socket| match socket {
            ConnectedSocket::Tcp(stream) => stream.shutdown(Shutdown::Write),
            #[cfg(unix)]
            ConnectedSocket::Unix(stream) => stream.shutdown(Shutdown::Write),
        });
    }
}

/// Closes a forked child's copy of the listener. Otherwise its port would stay taken after the
/// parent's end, and no thread would accept connections.
#[cfg(unix)]
pub(crate) fn close_in_child() {
    let descriptor = DESCRIPTOR.swap(-1, Relaxed);
    let file = (DEVICE.load(Relaxed), NUMBER.load(Relaxed));
    if descriptor >= 0 && crate::os::file_of(descriptor) == Some(file) {
        crate::os::close(descriptor);
    }
}

/// The listener's file descriptor while it is open; -1 otherwise.
#[cfg(unix)]
static DESCRIPTOR: AtomicI32 = AtomicI32::new(-1);
/// Device of the listener's file.
#[cfg(unix)]
static DEVICE: AtomicU64 = AtomicU64::new(0);
/// Number of the listener's file on its device.
#[cfg(unix)]
static NUMBER: AtomicU64 = AtomicU64::new(0);

#[cfg(unix)]
pub(super) mod unix {
    use std::fs::{self, DirBuilder, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
    use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
    use std::path::{Path, PathBuf};

    /// Device and number of a file, which distinguish it from one that took its place.
    pub(in super::super) fn identity(path: &Path) -> Option<(u64, u64)> {
        let metadata = fs::symlink_metadata(path).ok()?;
        metadata.file_type().is_socket().then(|| (metadata.dev(), metadata.ino()))
    }

    /// Makes a socket that only this user can connect to.
    pub(super) fn bind(path: &Path) -> io::Result<UnixListener> {
        // The listener is bound to another, shorter path, but clients connect to this one.
        let too_long =
            |_| io::Error::new(io::ErrorKind::InvalidInput, "the path is too long for a Unix socket");
        SocketAddr::from_pathname(path).map_err(too_long)?;
        check_free(path)?;
        let parent = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = private_folder(parent)?;
        let inside = folder.join("s");
        let bound = UnixListener::bind(&inside).and_then(|listener| {
            fs::set_permissions(&inside, Permissions::from_mode(0o600))?;
            check_free(path)?;
            fs::rename(&inside, path)?;
            Ok(listener)
        });
        if bound.is_err() {
            let _ = fs::remove_file(&inside);
        }
        let _ = fs::remove_dir(&folder);
        bound
    }

    /// Makes a folder for this user alone. Its name is short, because the path of a socket must be.
    fn private_folder(parent: &Path) -> io::Result<PathBuf> {
        let mut number = 0_u32;
        loop {
            let folder = parent.join(format!(".d{}{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 100 => number += 1,
                made => return made.map(|()| folder),
            }
        }
    }

    /// Fails unless there is no file, or a socket on which no process listens.
    fn check_free(path: &Path) -> io::Result<()> {
        let in_use = |text: &str| Err(io::Error::new(io::ErrorKind::AddrInUse, text.to_owned()));
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(metadata) if !metadata.file_type().is_socket() => {
                in_use("there is a file that is not a socket; it stays")
            }
            Ok(_) => match UnixDatagram::unbound()?.connect(path) {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
                Err(error) if !crate::os::is_wrong_type(&error) => Err(error),
                // The socket is in use, or is no datagram socket. To connect to it with a socket of
                // its own type could block, if its process accepts nothing and its queue is full.
                _ => in_use("another process listens on this socket"),
            },
        }
    }
}
