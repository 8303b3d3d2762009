//! Renders a saved snapshot: `render saved.json flame.svg x.pb.gz`. Each further name decides what
//! it becomes.

use std::error::Error;
use std::fs::File;
use std::path::Path;

use diagnose_reports::{Report, Snapshot, write_file};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(saved), reports) = (arguments.next(), arguments.collect::<Vec<_>>()) else {
        return Err("usage: render saved.json flame.svg …".into());
    };
    let snapshot = Snapshot::read_json(File::open(saved)?)?;
    for report in reports {
        let path = Path::new(&report);
        println!("{}", write_file(&snapshot, Report::try_from(path)?, path)?.display());
    }
    Ok(())
}
