//! `hangs`: runs all programs and judges their verdicts; see [`USAGE`].

use std::env;
use std::process::ExitCode;

use diagnose_hangs_tests::options::{Options, USAGE};
use diagnose_hangs_tests::row::Flavor;
use diagnose_hangs_tests::{ALL, campaign, child, table};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [case, flavor, noise] if Flavor::named(flavor).is_some() => run_child(case, flavor, noise),
        ["--help" | "-h"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => match Options::read(&arguments) {
            Ok(options) => run_all(&options),
            Err(mistake) => misused(&mistake),
        },
    }
}

fn run_child(case: &str, flavor: &str, noise: &str) -> ExitCode {
    let mut rows = ALL.iter().flat_map(|section| section.rows.iter().map(move |row| (section, row)));
    match (rows.find(|(_, row)| row.name == case), Flavor::named(flavor), noise.parse()) {
        (Some((section, row)), Some(flavor), Ok(noise)) => child::run(section, row, flavor, noise),
        _ => misused("no such program, runtime or number"),
    }
}

fn run_all(options: &Options) -> ExitCode {
    let is_row = |name: &String| {
        let mut rows = ALL.iter().flat_map(|section| section.rows);
        rows.any(|row| row.id == *name || row.name == *name)
    };
    if let Some(unknown) = options.only.iter().find(|name| !is_row(name)) {
        return misused(&format!("there is no row `{unknown}`"));
    }
    let path = env::current_exe().expect("a running program has a file");
    let results = campaign::run(&path, ALL, options);
    print!("{}", if options.markdown { table::markdown(&results) } else { table::text(&results) });
    if campaign::is_right(&results) && !results.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn misused(mistake: &str) -> ExitCode {
    eprintln!("hangs: {mistake}\n{USAGE}");
    ExitCode::from(2)
}
