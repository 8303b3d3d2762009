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
use std::time::{SystemTime, UNIX_EPOCH};

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
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{PREFIX}{host}{}", utc(u64::try_from(since.as_millis()).unwrap_or_default()))
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
    let is_report = diagnose_reports::Report::try_from(extension).is_ok();
    let is_ours = is_time && is_number(pid) && is_number(number) && is_report;
    is_ours.then(|| &file[..file.len() - extension.len() - 1])
}

/// The shape of [`utc`], without the `Z`.
const UTC_SHAPE: [u8; 19] = *b"00000000T000000.000";

/// Returns the name of this machine or container, with only the characters that a file name allows.
fn host() -> Option<String> {
    let of_kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = of_kernel
        .or_else(|| std::env::var("HOSTNAME").ok())
        .or_else(|| std::env::var("COMPUTERNAME").ok())?;
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = name.trim().chars().map(|c| if is_fit(c) { c } else { '_' }).take(MAX_HOST).collect();
    (!name.is_empty()).then_some(name)
}

/// Formats milliseconds since 1970 as `20261122T123456.789Z`.
fn utc(ms: u64) -> String {
    let (days, ms) = (ms / 86_400_000, ms % 86_400_000);
    // Years begin with March, in eras of 400 years, so that the leap day is the last day of a year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (second, ms) = (ms / 1_000, ms % 1_000);
    format!(
        "{year:04}{month:02}{day:02}T{:02}{:02}{:02}.{ms:03}Z",
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::{next, of_file, utc};

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(utc(0), "19700101T000000.000Z");
        assert_eq!(utc(951_782_400_000), "20000229T000000.000Z");
        assert_eq!(utc(1_709_251_199_999), "20240229T235959.999Z");
        assert_eq!(utc(1_795_350_896_789), "20261122T123456.789Z");
        assert_eq!(utc(4_107_542_400_000), "21000301T000000.000Z");
    }

    #[test]
    fn no_two_names_are_equal() {
        assert_ne!(next(), next());
    }

    #[test]
    fn files_of_dumps_are_known_by_their_names() {
        let name = next();
        for extension in ["txt", "json", "busy.folded"] {
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
