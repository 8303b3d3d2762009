//! `diagnose-costs`: measures what recording costs programs that only wait and wake; see [`USAGE`].

use std::process::ExitCode;
use std::{env, io};

use diagnose_costs::options::{Options, USAGE};
use diagnose_costs::program::{Program, Way};
use diagnose_costs::programs::PROGRAMS;
use diagnose_costs::rounds::Measured;
use diagnose_costs::{child, count, rounds};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--child", name, way, size] => run_child(name, way, size),
        ["--help" | "-h"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        ["--list"] => {
            for program in PROGRAMS {
                println!("{:<13} {}", program.name, program.about);
            }
            ExitCode::SUCCESS
        }
        _ => match Options::read(&arguments) {
            Ok(options) => run_all(&options),
            Err(mistake) => misused(&mistake),
        },
    }
}

fn run_child(name: &str, way: &str, size: &str) -> ExitCode {
    let program = PROGRAMS.iter().find(|program| program.name == name);
    let way = Way::ALL.into_iter().find(|known| known.name() == way);
    match (program, way, size.parse()) {
        (Some(program), Some(way), Ok(size)) => {
            child::run(program, way, size);
            ExitCode::SUCCESS
        }
        _ => misused("no such program, way or number"),
    }
}

fn run_all(options: &Options) -> ExitCode {
    let is_wanted = |program: &&Program| {
        options.only.is_empty() || options.only.iter().any(|name| program.name.starts_with(name.as_str()))
    };
    let programs: Vec<&'static Program> = PROGRAMS.iter().filter(is_wanted).collect();
    if programs.is_empty() {
        return misused("no program of that name");
    }
    match table(options, &programs) {
        Ok((table, is_right)) => {
            print!("{table}");
            if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("diagnose-costs: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The table, and whether every check in it passed.
fn table(options: &Options, programs: &[&'static Program]) -> io::Result<(String, bool)> {
    let path = env::current_exe()?;
    if options.instructions {
        return Ok((count::table(&path, programs)?, true));
    }
    let measured = rounds::run(&path, programs, options.rounds, options.scale)?;
    let is_right = !options.stated || measured.iter().all(Measured::is_as_stated);
    Ok((rounds::table(&measured), is_right))
}

fn misused(mistake: &str) -> ExitCode {
    eprintln!("diagnose-costs: {mistake}\n{USAGE}");
    ExitCode::from(2)
}
