//! A build without the feature `svg` knows the format and says what is missing.
#![cfg(not(feature = "svg"))]

use std::path::Path;

use diagnose_reports::{Format, Report, Snapshot, write};

const MISSING: &str = "format `svg` is not in this build: it needs the feature `svg`";

#[test]
fn asking_for_svg_names_the_feature() {
    assert_eq!("svg".parse::<Format>().unwrap_err().to_string(), MISSING);
    assert_eq!(Report::try_from("busy.svg").unwrap_err().to_string(), MISSING);
    assert_eq!(Report::try_from(Path::new("out/x.svg")).unwrap_err().to_string(), MISSING);
    let written = write(&Snapshot::default(), Report::new(Format::Svg), &mut Vec::new());
    assert_eq!(written.unwrap_err().to_string(), MISSING);
}

#[test]
fn the_other_formats_are_there() {
    assert!(Format::all().count() > 5);
    for format in Format::all() {
        assert_eq!(format.extension().parse::<Format>().unwrap(), format);
    }
}
