//! Names the files of a dump: `diagnose-<host>-<start>-<pid>-<n>.<extension>`.
//!
//! ```text
//! diagnose-web1-20261122T123456.789Z-4711-1.svg
//!          ──── ──────────────────── ──── ─
//!          host start of recording   pid  sequence number in the process
//! ```
//! The process id alone is not unique: the first process of a container has id 1 after each
//! restart, and containers share folders. Names sort by host and time. Names may still collide, for
//! example with two versions of this crate in one process. So files are created exclusively, and
//! the number is increased.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use diagnose_reports::Utc;

use crate::clock;
use crate::identity;

/// Prefix of all file names of this crate.
const PREFIX: &str = "diagnose-";
/// Maximum length of the host name, in characters; longer ones are cut.
const MAX_HOST: usize = 40;

/// Returns the name of the next dump, without an extension.
pub(crate) fn next() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    static BASE: OnceLock<String> = OnceLock::new();
    let base = BASE.get_or_init(|| {
        let host = host().map(|host| format!("{host}-")).unwrap_or_default();
        // Not from ticks: measuring their length takes milliseconds, during which the process may
        // be killed.
        let recorded_ms = u64::try_from(clock::since_origin().as_millis()).unwrap_or(0);
        format!("{PREFIX}{host}{}", utc(identity::unix_ms().saturating_sub(recorded_ms)))
    });
    // The process id is read each time: a forked child has its own.
    format!("{base}-{}-{}", std::process::id(), NUMBER.fetch_add(1, Relaxed))
}

/// Returns the name of the dump that a file belongs to. Returns `None` if the file is not named
/// like part of a dump.
pub(crate) fn of_file(file: &str) -> Option<&str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // The host name may contain any separator, so the parts are split off from the end.
    let (start, numbers) = file.strip_prefix(PREFIX)?.rsplit_once("Z-")?;
    let time = start.as_bytes().last_chunk::<{ UTC_SHAPE.len() }>()?;
    let is_time = time.iter().zip(UTC_SHAPE).all(|(byte, shape)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => *byte == shape,
    });
    let (pid, numbers) = numbers.split_once('-')?;
    let (number, extension) = numbers.split_once('.')?;
    let is_report = diagnose_reports::Report::is_name(extension);
    let is_ours = is_time && is_number(pid) && is_number(number) && is_report;
    is_ours.then(|| &file[..file.len() - extension.len() - 1])
}

/// The shape of [`utc`], without the `Z`.
const UTC_SHAPE: [u8; 19] = *b"00000000T000000.000";

/// Returns the name of this machine or container, with only the characters that a file name allows.
fn host() -> Option<String> {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let host = identity::host();
    let name: String = host.chars().map(|c| if is_fit(c) { c } else { '_' }).take(MAX_HOST).collect();
    (!name.is_empty()).then_some(name)
}

/// Formats ms since 1970 as `20261122T123456.789Z`.
fn utc(unix_ms: u64) -> String {
    let Utc { year, month, day, hour, minute, second, millisecond } = Utc::from_unix_ms(unix_ms);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}.{millisecond:03}Z")
}

#[cfg(test)]
mod tests {
    use super::{next, of_file, utc};

    #[test]
    fn a_time_has_a_fixed_width() {
        assert_eq!(utc(1_795_350_896_789), "20261122T123456.789Z");
    }

    #[test]
    fn no_two_names_are_equal() {
        assert_ne!(next(), next());
    }

    #[test]
    fn files_of_dumps_are_known_by_their_names() {
        let name = next();
        for extension in ["txt", "json", "busy.folded", "svg", "html", "idle.pb.gz"] {
            assert_eq!(of_file(&format!("{name}.{extension}")), Some(&name[..]), "{extension}");
        }
        let other = "diagnose-a.bZ-c-19991231T235959.000Z-1-12";
        assert_eq!(of_file(&format!("{other}.idle.folded")), Some(other));
        for foreign in [
            "diagnose-4711-1.txt",
            "diagnose-a-19991231T235959.000Z-1-12.rs",
            "diagnose-a-19991231T235959.000Z-1-.txt",
            "diagnose-a-19991231T2359.000Z-1-1.txt",
            "diagnose-é9991231T235959.000Z-1-1.txt",
            "xdiagnose-a-19991231T235959.000Z-1-1.txt",
            "diagnose-Z-1-1.txt",
            "diagnose-.txt",
        ] {
            assert_eq!(of_file(foreign), None, "{foreign}");
        }
    }
}
