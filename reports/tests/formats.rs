//! Names of formats and views, as users type them and as files carry them.
#![cfg(feature = "svg")]

use std::path::Path;

use diagnose_reports::{Error, Format, Report, View};

fn of_path(path: &str) -> Result<Report, Error> {
    Report::try_from(Path::new(path))
}

#[test]
fn a_name_is_a_format_with_a_view_in_front_if_wanted() {
    let cases = [
        ("svg", Format::Svg, View::Wall),
        ("time.svg", Format::Svg, View::Time),
        ("busy.svg", Format::Svg, View::Busy),
        ("idle.folded", Format::Folded, View::Idle),
        ("collapsed", Format::Folded, View::Wall),
        ("txt", Format::Text, View::Wall),
        ("text", Format::Text, View::Wall),
        ("JSON", Format::Json, View::Wall),
        ("dot", Format::Dot, View::Wall),
    ];
    for (name, format, view) in cases {
        assert_eq!(Report::try_from(name).unwrap(), Report::new(format).view(view), "{name}");
        assert_eq!(name.parse::<Report>().unwrap(), Report::new(format).view(view), "{name}");
    }
}

#[test]
fn a_path_is_judged_by_the_end_of_its_name() {
    let cases = [
        ("out/x.busy.svg", Format::Svg, View::Busy),
        ("out/busy.svg", Format::Svg, View::Busy),
        ("x.txt", Format::Text, View::Wall),
        ("my.service.svg", Format::Svg, View::Wall),
        ("busy.idle/x.svg", Format::Svg, View::Wall),
        ("x.idle.collapsed", Format::Folded, View::Idle),
        ("FLAME.SVG", Format::Svg, View::Wall),
    ];
    for (path, format, view) in cases {
        assert_eq!(of_path(path).unwrap(), Report::new(format).view(view), "{path}");
    }
}

#[test]
fn what_is_no_format_is_refused_with_a_list() {
    let accepted = "svg, folded (or collapsed), txt (or text), json, dot, each with wall., time., busy., idle. in front if wanted";
    for name in ["pdf", "", ".", "hot.svg", "x.busy.svg", "svg.busy"] {
        let error = Report::try_from(name).unwrap_err().to_string();
        assert_eq!(error, format!("unknown format `{name}`: accepted are {accepted}"));
    }
    for path in ["out/flame", "out/flame.pdf", "svg", ".svg", "out/", ".."] {
        let error = of_path(path).unwrap_err().to_string();
        assert_eq!(error, format!("unknown format `{path}`: accepted are {accepted}"));
    }
}

#[test]
fn an_extension_names_its_format() {
    for format in [Format::Svg, Format::Folded, Format::Text, Format::Json, Format::Dot] {
        assert_eq!(format.extension().parse::<Format>().unwrap(), format);
        assert_eq!(Report::from(format), Report::new(format));
    }
}

#[test]
fn a_format_alone_has_no_view() {
    assert!("busy.svg".parse::<Format>().is_err());
}

#[test]
fn formats_and_names_convert_alike() {
    fn accepts<R>(report: R) -> Result<Report, Error>
    where
        R: TryInto<Report>,
        Error: From<R::Error>,
    {
        Ok(report.try_into()?)
    }
    assert_eq!(accepts("svg").unwrap(), accepts(Format::Svg).unwrap());
    assert_eq!(accepts(Report::new(Format::Svg)).unwrap(), accepts(Path::new("x.svg")).unwrap());
}
