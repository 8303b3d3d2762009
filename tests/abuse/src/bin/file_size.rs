//! A program that dumps itself to `own.json` on its own thread, and as its environment asks when it
//! ends. With an argument, it then writes 8 KiB to a file by itself.

use std::fs;
use std::path::Path;

use diagnose::diagnose;

#[diagnose]
fn work() -> u32 {
    7
}

fn main() {
    diagnose::install();
    println!("{}", work());
    let folder = std::env::var("DIAGNOSE_DIR").expect("a folder");
    match diagnose::dump(Path::new(&folder).join("own.json")) {
        Ok(path) => println!("wrote {}", path.display()),
        Err(error) => println!("{error}"),
    }
    if std::env::args().count() > 1 {
        let written = fs::write(Path::new(&folder).join("program"), [b'x'; 8 << 10]);
        println!("the program writes: {written:?}");
    }
}
