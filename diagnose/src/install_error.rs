//! Errors of `Builder::try_install`.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::serve_address::ServeAddress;
use crate::{Error, Signal};

/// Why settings were not installed, or not all of them.
///
/// # Examples
/// ```
/// use diagnose::{Builder, InstallError};
///
/// # let folder = std::env::temp_dir().join(format!("diagnose-install-{}", std::process::id()));
/// match Builder::new().dir(&folder).try_install() {
///     Ok(()) => {}
///     Err(InstallError::SignalTaken(signal)) => eprintln!("no dumps on a signal: {signal:?} is in use"),
///     Err(error) => return Err(error),
/// }
/// # _ = std::fs::remove_dir(folder);
/// # Ok::<(), InstallError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum InstallError {
    /// Settings are already installed and stay. [`Builder::reinstall`](crate::Builder::reinstall)
    /// replaces them.
    AlreadyInstalled,
    /// The signal already has a handler, which stays. All other settings apply.
    SignalTaken(Signal),
    /// The system refused a handler or its thread. All other settings apply.
    Signal(Signal, io::Error),
    /// The folder for dumps does not exist and cannot be created. All settings apply, and each dump
    /// tries to create the folder again.
    Dir(PathBuf, io::Error),
    /// A format is not in this build, because its feature is off. All other settings and formats
    /// apply; if no format is left, the default ones do.
    Format(Error),
    /// The address is not a loopback address, and there is no token. Nothing is served. All other
    /// settings apply.
    ServeNeedsToken(SocketAddr),
    /// The address or the token is refused. Nothing is served. All other settings apply.
    Serve(ServeAddress, io::Error),
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words();
        // Without the feature, nothing is installed, so there are no errors.
        #[cfg(feature = "on")]
        let words = diagnose_reports::clean_line(&words);
        f.write_str(&words)
    }
}

impl InstallError {
    fn words(&self) -> String {
        match self {
            Self::AlreadyInstalled => {
                "settings are installed already, and stay; `Builder::reinstall` replaces them".to_owned()
            }
            Self::SignalTaken(signal) => format!(
                "{signal} has a handler already, so it does not ask for a dump; \
                 `Builder::signal` or DIAGNOSE_SIGNAL names another one"
            ),
            Self::Signal(signal, source) => format!("cannot listen for {signal}: {source}"),
            Self::ServeNeedsToken(address) => format!(
                "not serving on {address} without a token, because other machines can reach that address; set \
                 `Builder::serve_token` or DIAGNOSE_SERVE_TOKEN, or serve on 127.0.0.1"
            ),
            Self::Serve(address, source) => format!("cannot serve on `{address}`: {source}"),
            Self::Format(error) => error.to_string(),
            Self::Dir(path, source) => {
                format!("cannot make the folder for dumps, `{}`: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for InstallError {}
