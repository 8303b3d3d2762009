//! The command line.

/// The command line of `hangs`.
#[allow(clippy::struct_excessive_bools)] // Each is an option of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The number of runs of each row, for each runtime and level of noise.
    pub repeat: u32,
    /// The number of programs that run at the same time.
    pub jobs: usize,
    /// Print the table as Markdown.
    pub markdown: bool,
    /// Judge only whether the programs end.
    pub outcomes: bool,
    /// Run only the rows of the sample, each at one level of noise for each runtime.
    pub sample: bool,
    /// Have the watchdog look, instead of a thread of the program: it has to raise an alarm at a
    /// hang, and none at a program that ends. Leaves out what is only suspect.
    pub watch: bool,
    /// Names or numbers of the rows to run; all if empty.
    pub only: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            repeat: 1,
            jobs: 8,
            markdown: false,
            outcomes: false,
            sample: false,
            watch: false,
            only: Vec::new(),
        }
    }
}

/// The usage text.
pub const USAGE: &str = "\
usage: hangs [--repeat N] [--jobs N] [--outcomes] [--markdown] [--sample] [--watch] [row …]   all rows, or these, by name or number
       hangs <case> <ct|mt1|mt2> <noise>                                 one program, a line of JSON per look";

impl Options {
    /// Parses the arguments.
    ///
    /// # Errors
    /// Returns the argument that is not understood.
    pub fn read(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let value = arguments.next().and_then(|value| value.parse::<u16>().ok());
                value.filter(|value| *value > 0).ok_or_else(|| format!("`{argument}` needs a number"))
            };
            match argument.as_str() {
                "--repeat" => options.repeat = number()?.into(),
                "--jobs" => options.jobs = number()?.into(),
                "--markdown" => options.markdown = true,
                "--outcomes" => options.outcomes = true,
                "--sample" => options.sample = true,
                "--watch" => options.watch = true,
                unknown if unknown.starts_with('-') => return Err(format!("`{unknown}` is not known")),
                row => options.only.push(row.to_owned()),
            }
        }
        Ok(options)
    }
}
