//! The command line.

/// What `diagnose-costs` is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How often each program is run each way.
    pub rounds: u32,
    /// Samples of this share of a program's size, in percent.
    pub scale: u32,
    /// Count instructions in place of measuring time.
    pub instructions: bool,
    /// Compare what is measured with what the snapshots say, and fail if that is off by more than a factor of 1.5.
    pub stated: bool,
    /// Only programs whose names begin so; all if there are none.
    pub only: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { rounds: 9, scale: 100, instructions: false, stated: false, only: Vec::new() }
    }
}

/// How it is used.
pub const USAGE: &str = "\
usage: diagnose-costs [--rounds N] [--scale PERCENT] [name …]   CPU of all programs, or of these, by the begin of the name
       diagnose-costs --instructions [name …]                   instructions per operation, counted by valgrind
       diagnose-costs --stated [name …]                         fails where a snapshot says less or more than was measured
       diagnose-costs --list                                    the programs";

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// What is not understood.
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
