//! A runtime's own id of a task, which runtimes display but do not return.

use std::fmt::{self, Write as _};

/// The number that `id` displays as. Allocates nothing.
pub(crate) fn shown(id: impl fmt::Display) -> Option<u64> {
    let mut digits = Digits(0);
    write!(digits, "{id}").ok()?;
    Some(digits.0)
}

struct Digits(u64);

impl fmt::Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for digit in text.chars() {
            let digit = digit.to_digit(10).ok_or(fmt::Error)?;
            let number = self.0.checked_mul(10).and_then(|number| number.checked_add(digit.into()));
            self.0 = number.ok_or(fmt::Error)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_number_is_read_as_it_is_shown() {
        assert_eq!(shown(u64::MAX), Some(u64::MAX));
        assert_eq!(shown(format_args!("{}{}", 12, 34)), Some(1234));
        assert_eq!(shown("18446744073709551616"), None);
        assert_eq!(shown("task 7"), None);
    }
}
