//! Wall-clock times as text, in UTC.
//!
//! ```text
//! 1_795_350_896_789 ms since 1970   2026-11-22 12:34:56 UTC
//! ```
//! This module imports no other module, so analyses, writers and the recorder can share it.

use std::fmt;

/// A moment in the Gregorian calendar, in UTC. It is shown as `2026-11-22 12:34:56 UTC`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
#[allow(clippy::exhaustive_structs, reason = "a calendar has no other fields")]
pub struct Utc {
    pub year: u64,
    pub month: u64,
    pub day: u64,
    pub hour: u64,
    pub minute: u64,
    pub second: u64,
    pub millisecond: u64,
}

impl Utc {
    /// Converts ms since 1970-01-01 UTC.
    #[must_use]
    pub fn from_unix_ms(ms: u64) -> Self {
        let (days, ms) = (ms / 86_400_000, ms % 86_400_000);
        // Years begin with March, in eras of 400 years, so that the leap day is the last day of a
        // year.
        let days = days + 719_468;
        let (era, day) = (days / 146_097, days % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = era * 400 + year + u64::from(month <= 2);
        let (second, millisecond) = (ms / 1_000, ms % 1_000);
        Self {
            year,
            month,
            day,
            hour: second / 3_600,
            minute: second / 60 % 60,
            second: second % 60,
            millisecond,
        }
    }

    /// Returns the time of day: `12:34:56`.
    #[must_use]
    pub fn time_of_day(&self) -> String {
        format!("{:02}:{:02}:{:02}", self.hour, self.minute, self.second)
    }
}

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02} {} UTC", self.year, self.month, self.day, self.time_of_day())
    }
}

#[cfg(test)]
mod tests {
    use super::Utc;

    #[test]
    fn times_are_those_of_the_calendar() {
        let text = |seconds: u64| Utc::from_unix_ms(seconds * 1_000).to_string();
        assert_eq!(text(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(text(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(text(1_709_251_199), "2024-02-29 23:59:59 UTC");
        assert_eq!(text(1_795_350_896), "2026-11-22 12:34:56 UTC");
        assert_eq!(text(4_107_542_400), "2100-03-01 00:00:00 UTC");
        assert!(!Utc::from_unix_ms(u64::MAX).to_string().is_empty(), "a saved file has any number");
    }
}
