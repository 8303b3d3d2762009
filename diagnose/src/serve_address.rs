//! The settings of the built-in server: its address and its token.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use crate::Builder;

/// The address that [`Builder::serve`](crate::Builder::serve) listens on.
///
/// Text with a `/` is the path of a Unix socket; a prefix `unix:` is allowed. Other text is an IP
/// address with a port, or `localhost` with a port, which is `127.0.0.1`. Port 0 lets the system
/// choose. Any other text, such as a URL or another host name, is refused by
/// [`try_install`](Builder::try_install).
///
/// # Examples
/// ```
/// use diagnose::ServeAddress;
///
/// assert_eq!(ServeAddress::from("localhost:6070").to_string(), "127.0.0.1:6070");
/// assert_eq!(ServeAddress::from("/run/app/diagnose.sock"), ServeAddress::from("unix:/run/app/diagnose.sock"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServeAddress(pub(crate) Address);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "on"), allow(dead_code))]
pub(crate) enum Address {
    Tcp(SocketAddr),
    Unix(PathBuf),
    /// Neither. `try_install` refuses it.
    Unknown(String),
}

impl ServeAddress {
    /// The TCP address; `None` for a Unix socket, and for text that is neither.
    #[must_use]
    pub fn socket_addr(&self) -> Option<SocketAddr> {
        match self.0 {
            Address::Tcp(address) => Some(address),
            _ => None,
        }
    }

    /// The path of the Unix socket; `None` for a TCP address, and for text that is neither.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            Address::Unix(path) => Some(path),
            _ => None,
        }
    }
}

impl From<&str> for ServeAddress {
    fn from(text: &str) -> Self {
        let text = text.trim();
        if let Some(path) = text.strip_prefix("unix:") {
            return Self(Address::Unix(PathBuf::from(path)));
        }
        if text.contains("://") {
            return Self(Address::Unknown(text.to_owned()));
        }
        if text.contains('/') {
            return Self(Address::Unix(PathBuf::from(text)));
        }
        let port = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
        let local = port.map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
        match local.or_else(|| text.parse().ok()) {
            Some(address) => Self(Address::Tcp(address)),
            None => Self(Address::Unknown(text.to_owned())),
        }
    }
}

impl From<String> for ServeAddress {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<SocketAddr> for ServeAddress {
    fn from(address: SocketAddr) -> Self {
        Self(Address::Tcp(address))
    }
}

impl From<(IpAddr, u16)> for ServeAddress {
    fn from(address: (IpAddr, u16)) -> Self {
        Self(Address::Tcp(address.into()))
    }
}

impl From<([u8; 4], u16)> for ServeAddress {
    fn from(address: ([u8; 4], u16)) -> Self {
        Self(Address::Tcp(address.into()))
    }
}

impl From<&Path> for ServeAddress {
    fn from(path: &Path) -> Self {
        Self(Address::Unix(path.to_owned()))
    }
}

impl From<PathBuf> for ServeAddress {
    fn from(path: PathBuf) -> Self {
        Self(Address::Unix(path))
    }
}

/// Displays the form that is parsed: `127.0.0.1:6070`, or `unix:` with the path.
impl fmt::Display for ServeAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Address::Tcp(address) => address.fmt(f),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
            Address::Unknown(text) => f.write_str(text),
        }
    }
}

impl Builder {
    /// Serves the reports over HTTP: to a browser, to `go tool pprof`, Prometheus, Pyroscope and
    /// Parca. Off by default. `docs/serving.md` lists the pages and has their configurations.
    ///
    /// The address is a loopback address, or the path of a Unix socket, which gets the mode 0600.
    /// Any other address needs a [`serve_token`](Self::serve_token). There is no encryption: over a
    /// network, a proxy or a tunnel adds it. Reports contain the labels of calls.
    ///
    /// One thread serves at most 32 connections, with limits on sizes and times. It uses at most a
    /// fiftieth of one processor, besides making reports; these are shared for a second. Requests
    /// change nothing. The program's own server can answer them instead: see
    /// [`respond`](crate::respond).
    ///
    /// # Examples
    /// ```
    /// # let folder = std::env::temp_dir().join(format!("diagnose-serve-{}", std::process::id()));
    /// # let settings =
    /// diagnose::Builder::new()
    ///     .serve("127.0.0.1:0") // or "127.0.0.1:6070", "[::1]:6070", "/run/app/diagnose.sock"
    /// #   .dir(&folder).signal(None);
    /// # settings
    ///     .install();
    /// # #[cfg(feature = "on")]
    /// assert_ne!(diagnose::serve_address().and_then(|address| address.socket_addr()), None);
    /// # _ = std::fs::remove_dir(folder);
    /// ```
    pub fn serve(mut self, address: impl Into<ServeAddress>) -> Self {
        self.serve = Some(address.into());
        self
    }

    /// Sets a token that each client of [`serve`](Self::serve) has to present: as
    /// `Authorization: Bearer TOKEN`, or as the password of `Basic`. It must be visible
    /// ASCII without spaces, or [`try_install`](Self::try_install) refuses it. At least 16 random
    /// characters are a good choice.
    pub fn serve_token(mut self, token: impl Into<String>) -> Self {
        self.serve_token = Some(ServeToken(token.into()));
        self
    }
}

/// The token that clients of the server present. It is in no output.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "on"), allow(dead_code))]
pub(crate) struct ServeToken(pub(crate) String);

impl fmt::Debug for ServeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServeToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Address, ServeAddress, ServeToken};

    #[test]
    fn text_is_an_address_with_a_port_or_a_path() {
        for tcp in ["127.0.0.1:6070", "[::1]:6070", "0.0.0.0:0", " localhost:80 "] {
            assert!(ServeAddress::from(tcp).socket_addr().is_some(), "{tcp}");
        }
        for (unix, path) in [("/run/a.sock", "/run/a.sock"), ("unix:a.sock", "a.sock"), ("./a", "./a")] {
            assert_eq!(ServeAddress::from(unix).path(), Some(Path::new(path)));
        }
        for unknown in [
            "",
            "6070",
            "127.0.0.1",
            "example.com:80",
            "localhost:",
            "localhost:70000",
            "::1:80:",
            "http://127.0.0.1:6070/",
        ] {
            assert!(matches!(ServeAddress::from(unknown).0, Address::Unknown(_)), "{unknown}");
        }
    }

    #[test]
    fn a_token_is_not_printed() {
        assert!(!format!("{:?}", ServeToken("secret".to_owned())).contains("secret"));
    }
}
