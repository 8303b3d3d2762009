//! The command line.

/// The options of `diagnose-costs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The number of runs of each program, each way.
    pub rounds: u32,
    /// The share of a program's size in a sample, in percent.
    pub scale: u32,
    /// Count instructions instead of measuring time.
    pub instructions: bool,
    /// Compare the measured cost with the cost that the snapshots state, and fail if they differ by
    /// more than a factor of 1.5.
    pub stated: bool,
    /// Prefixes of the programs to run; all if empty.
    pub only: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { rounds: 9, scale: 100, instructions: false, stated: false, only: Vec::new() }
    }
}

/// The usage text.
pub const USAGE: &str = "\
usage: diagnose-costs [--rounds N] [--scale PERCENT] [name …]   CPU of all programs, or of these, by the begin of the name
       diagnose-costs --instructions [name …]                   instructions per operation, counted by valgrind
       diagnose-costs --stated [name …]                         fails where a snapshot says less or more than was measured
       diagnose-costs --list                                    the programs";

impl Options {
    /// Parses the arguments.
    ///
    /// # Errors
    /// An argument is not understood.
    pub fn read(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let value = arguments.next().and_then(|value| value.parse::<u16>().ok());
                value.filter(|value| *value > 0).ok_or_else(|| format!("`{argument}` needs a number"))
            };
            match argument.as_str() {
                "--rounds" => options.rounds = number()?.into(),
                "--scale" => options.scale = number()?.into(),
                "--instructions" => options.instructions = true,
                "--stated" => options.stated = true,
                unknown if unknown.starts_with('-') => return Err(format!("`{unknown}` is not known")),
                name => options.only.push(name.to_owned()),
            }
        }
        Ok(options)
    }
}
