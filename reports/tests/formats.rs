//! Names of formats and views, as users type them and as files carry them.
#![cfg(all(feature = "html", feature = "pprof", feature = "svg"))]

use std::path::Path;

use diagnose_reports::{Error, Format, Report, View};

fn of_path(path: &str) -> Result<Report, Error> {
    Report::try_from(Path::new(path))
}

#[test]
fn a_name_is_a_format_after_an_optional_view() {
    let cases = [
        ("svg", Format::Svg, View::Wall),
        ("busy.html", Format::Html, View::Busy),
        ("time.svg", Format::Svg, View::Time),
        ("busy.svg", Format::Svg, View::Busy),
        ("idle.folded", Format::Folded, View::Idle),
        ("collapsed", Format::Folded, View::Wall),
        ("txt", Format::Text, View::Wall),
        ("text", Format::Text, View::Wall),
        ("JSON", Format::Json, View::Wall),
        ("dot", Format::Dot, View::Wall),
        ("gv", Format::Dot, View::Wall),
        ("pprof", Format::Pprof, View::Wall),
        ("pb.gz", Format::Pprof, View::Wall),
        ("busy.pb.gz", Format::Pprof, View::Busy),
        ("speedscope", Format::Speedscope, View::Wall),
        ("idle.speedscope.json", Format::Speedscope, View::Idle),
        ("busy.firefox.json", Format::Firefox, View::Busy),
        ("firefox", Format::Firefox, View::Wall),
        ("om", Format::OpenMetrics, View::Wall),
        ("openmetrics", Format::OpenMetrics, View::Wall),
        ("prom", Format::Prometheus, View::Wall),
        ("mermaid", Format::Mermaid, View::Wall),
        ("csv", Format::Csv, View::Wall),
    ];
    for (name, format, view) in cases {
        assert_eq!(Report::try_from(name).unwrap(), Report::new(format).view(view), "{name}");
        assert_eq!(name.parse::<Report>().unwrap(), Report::new(format).view(view), "{name}");
    }
}

#[test]
fn the_end_of_a_path_selects_the_format() {
    let cases = [
        ("out/x.busy.svg", Format::Svg, View::Busy),
        ("out/busy.svg", Format::Svg, View::Busy),
        ("x.txt", Format::Text, View::Wall),
        ("my.service.svg", Format::Svg, View::Wall),
        ("busy.idle/x.svg", Format::Svg, View::Wall),
        ("x.idle.collapsed", Format::Folded, View::Idle),
        ("FLAME.SVG", Format::Svg, View::Wall),
        ("x.pb.gz", Format::Pprof, View::Wall),
        ("out/pb.gz", Format::Pprof, View::Wall),
        ("x.busy.pb.gz", Format::Pprof, View::Busy),
        ("busy.pprof", Format::Pprof, View::Busy),
        ("x.speedscope.json", Format::Speedscope, View::Wall),
        ("speedscope.json", Format::Speedscope, View::Wall),
        ("my-speedscope.json", Format::Json, View::Wall),
        ("x.firefox.json", Format::Firefox, View::Wall),
        ("my.profile.json", Format::Json, View::Wall),
        ("node/diagnose.prom", Format::Prometheus, View::Wall),
        ("x.om", Format::OpenMetrics, View::Wall),
        ("x.mmd", Format::Mermaid, View::Wall),
        ("x.csv", Format::Csv, View::Wall),
    ];
    for (path, format, view) in cases {
        assert_eq!(of_path(path).unwrap(), Report::new(format).view(view), "{path}");
    }
}

#[test]
fn an_unknown_format_is_refused_with_a_list_of_formats() {
    let accepted = "svg, html, folded (or collapsed), txt (or text), full.txt (or full.text), json, dot (or gv), pb.gz (or pprof, pb), \
        speedscope.json (or speedscope), firefox.json (or firefox), om (or openmetrics, metrics), \
        prom (or prometheus), mmd (or mermaid), csv, each with wall., time., busy., idle. in front if wanted";
    for name in ["pdf", "", ".", ".svg", "gz", "x.gz", "hot.svg", "x.busy.svg", "svg.busy", "xsvg"] {
        let error = Report::try_from(name).unwrap_err().to_string();
        assert_eq!(error, format!("unknown format `{name}`: accepted are {accepted}"));
    }
    for path in ["out/flame", "out/flame.pdf", "svg", ".svg", "pprof", "x.gz", "out/", ".."] {
        let error = of_path(path).unwrap_err().to_string();
        assert_eq!(error, format!("unknown format `{path}`: accepted are {accepted}"));
    }
}

#[test]
fn an_extension_names_its_format() {
    for format in Format::all() {
        assert_eq!(format.extension().parse::<Format>().unwrap(), format);
        assert_eq!(Report::from(format), Report::new(format));
        assert_eq!(of_path(&format!("x.{}", format.extension())).unwrap(), Report::new(format));
    }
}

#[test]
fn no_two_formats_share_a_name() {
    let names: Vec<&str> = Format::all().flat_map(|format| format.names().iter().copied()).collect();
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
    assert!(names.iter().all(|name| name.to_ascii_lowercase() == *name && !name.starts_with('.')));
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
