//! TCP and Unix sockets, as one type each for listeners and connections.
//!
//! A Unix socket is created in a folder that only this user can enter, gets the mode 0600 there,
//! and is then renamed to its path. So no other user can connect at any moment. A socket file that
//! an earlier process has left is replaced; a socket on which a process listens is an error, and so
//! is any other file.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};

use crate::serve_address::{Address, ServeAddress};

#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

#[derive(Debug)]
pub(super) enum Stream {
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
                Ok((Self::Tcp(listener), bound.into()))
            }
            #[cfg(unix)]
            Address::Unix(path) => {
                let path = std::path::absolute(path)?;
                Ok((Self::Unix(unix::bind(&path)?), path.into()))
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
        let stream = match self {
            Self::Tcp(listener) => Stream::Tcp(listener.accept()?.0),
            #[cfg(unix)]
            Self::Unix(listener) => Stream::Unix(listener.accept()?.0),
        };
        match &stream {
            Stream::Tcp(stream) => stream.set_nonblocking(true)?,
            #[cfg(unix)]
            Stream::Unix(stream) => stream.set_nonblocking(true)?,
        }
        Ok(stream)
    }

    /// Sets whether [`accept`](Self::accept) waits for a connection.
    pub(super) fn set_waiting(&self, waits: bool) -> io::Result<()> {
        match self {
            Self::Tcp(listener) => listener.set_nonblocking(!waits),
            #[cfg(unix)]
            Self::Unix(listener) => listener.set_nonblocking(!waits),
        }
    }

    /// Ends a waiting [`accept`](Self::accept), and every later one, with an error.
    ///
    /// No connection is needed for that: the process may have no file descriptor left, and the
    /// socket's file may be gone.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn end(&self, _address: &ServeAddress) {
        use std::os::fd::AsFd as _;

        crate::os::shut_down(match self {
            Self::Tcp(listener) => listener.as_fd(),
            Self::Unix(listener) => listener.as_fd(),
        });
    }

    /// Ends a waiting [`accept`](Self::accept) by connecting to it, if possible. These systems have
    /// no call that ends it.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    #[allow(clippy::unused_self)] // The signature is that for Linux.
    pub(super) fn end(&self, address: &ServeAddress) {
        drop(Stream::connect(address));
    }

    /// The file descriptor.
    #[cfg(unix)]
    pub(super) fn descriptor(&self) -> std::os::fd::RawFd {
        use std::os::fd::AsRawFd as _;

        match self {
            Self::Tcp(listener) => listener.as_raw_fd(),
            Self::Unix(listener) => listener.as_raw_fd(),
        }
    }
}

impl Stream {
    /// Connects to an address of this process, to end a waiting [`Listener::accept`].
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn connect(address: &ServeAddress) -> io::Result<Self> {
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

    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            #[cfg(unix)]
            Self::Unix(stream) => stream.read(buffer),
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            #[cfg(unix)]
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    /// Signals the end of the response to the client.
    pub(super) fn end(&self) {
        // An error is ignored, because the client is gone then.
        let _ = match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Write),
            #[cfg(unix)]
            Self::Unix(stream) => stream.shutdown(Shutdown::Write),
        };
    }
}

/// Closes a forked child's copy of the listener. Otherwise its port would stay taken after the
/// parent's end, and no thread would accept connections.
#[cfg(unix)]
pub(crate) fn close_in_child() {
    let descriptor = DESCRIPTOR.swap(-1, std::sync::atomic::Ordering::Relaxed);
    if descriptor >= 0 {
        crate::os::close(descriptor);
    }
}

/// The listener's file descriptor while it is open; -1 otherwise.
#[cfg(unix)]
pub(super) static DESCRIPTOR: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(-1);

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
