//! A program, and the three ways to compile it.

/// How a program is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// With tokio alone.
    Bare,
    /// With `#[diagnose]` on every async function.
    Annotated,
    /// With the attribute and `diagnose::tokio`.
    DropIn,
}

impl Way {
    /// Every way, in the order of [`Program::run`].
    pub const ALL: [Self; 3] = [Self::Bare, Self::Annotated, Self::DropIn];

    /// Its name on the command line of a child.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Annotated => "annotated",
            Self::DropIn => "drop-in",
        }
    }
}

/// One source text, compiled three times.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// Its name on the command line and in the table.
    pub name: &'static str,
    /// A description of the program and of one operation.
    pub about: &'static str,
    /// The operations of one sample.
    pub size: u64,
    /// Does about the given number of operations, and returns the exact number; by [`Way`].
    pub run: [fn(u64) -> u64; 3],
}

impl Program {
    /// Does about `size` operations the given way, and returns the exact number.
    #[must_use]
    pub fn run(&self, way: Way, size: u64) -> u64 {
        self.run[way as usize](size)
    }
}

/// Compiles a program three times. It is a macro of the calling file that takes the module's name,
/// the path of tokio, and the attribute for every async function; `allow(unused)` stands for no
/// attribute.
macro_rules! three_ways {
    ($program:ident) => {
        $program!(bare, ::tokio, allow(unused));
        $program!(annotated, ::tokio, ::diagnose::diagnose);
        $program!(drop_in, ::diagnose::tokio, ::diagnose::diagnose);
    };
}

pub(crate) use three_ways;
