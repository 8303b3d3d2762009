//! The page that a path and its query ask for.
//!
//! | path | page |
//! |---|---|
//! | `/` | the page for a browser |
//! | `/debug/pprof/` | the list of profiles |
//! | `/debug/pprof/profile?seconds=N` | busy time in the next N seconds, as pprof |
//! | `/debug/pprof/wall?seconds=N` | wall time in the next N seconds, as pprof |
//! | `/metrics` | OpenMetrics; with `?format=prometheus`, the older text format of Prometheus |
//! | `/tasks` `/waiters` `/verdicts` `/findings` `/report.txt` | text |
//! | `/snapshot.json` `/flame.svg` | the snapshot, the flame graph |

use std::time::Duration;

use diagnose_reports::{Finding, Report, Snapshot, write, write_live_page};

/// Default length of a profile in seconds, as in Go.
const DEFAULT_SECONDS: u64 = 30;
/// Longest profile.
const MAX_SECONDS: u64 = 300;

/// A page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    /// The page for a browser, which fetches `snapshot.json` every second; without the feature
    /// `html`, the text report.
    Live,
    /// A report by its name.
    Report(&'static str),
    Tasks,
    Waiters,
    Verdicts,
    Findings,
    Profiles,
}

/// A page, and for how long to record before it is made; `None` for everything recorded so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) page: Page,
    pub(super) record: Option<Duration>,
}

/// The reason why there is no such page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPage {
    Path,
    Seconds,
    /// The path of the list of profiles, without the `/` at its end. The links in the list are
    /// relative to the path with that `/`.
    NoSlash,
}

/// The page behind `/metrics` for a client that does not read OpenMetrics.
pub(super) const PLAIN_METRICS: &str = "/metrics?format=prometheus";

const BUSY: Page = Page::Report("busy.pprof");
const WALL: Page = Page::Report("pprof");

const PAGES: [(&str, Page); 10] = [
    ("/", Page::Live),
    ("/metrics", Page::Report("openmetrics")),
    ("/tasks", Page::Tasks),
    ("/waiters", Page::Waiters),
    ("/verdicts", Page::Verdicts),
    ("/findings", Page::Findings),
    ("/report.txt", Page::Report("txt")),
    ("/snapshot.json", Page::Report("json")),
    ("/flame.svg", Page::Report("svg")),
    ("/debug/pprof/", Page::Profiles),
];

impl Wanted {
    /// Parses a path with an optional query, such as `/debug/pprof/profile?seconds=5`.
    pub(super) fn parse(path_and_query: &str) -> Result<Self, NoPage> {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let profile = match path {
            "/debug/pprof/profile" => Some(BUSY),
            "/debug/pprof/wall" => Some(WALL),
            _ => None,
        };
        if let Some(page) = profile {
            return Ok(Self { page, record: Some(seconds(query)?) });
        }
        if path == "/metrics" && query.split('&').any(|pair| pair == "format=prometheus") {
            return Ok(Self { page: Page::Report("prometheus"), record: None });
        }
        if path == "/debug/pprof" {
            return Err(NoPage::NoSlash);
        }
        let path = if path.is_empty() { "/" } else { path };
        let known = PAGES.iter().find(|(known, _)| *known == path);
        known.map(|(_, page)| Self { page: *page, record: None }).ok_or(NoPage::Path)
    }
}

fn seconds(query: &str) -> Result<Duration, NoPage> {
    let text = query.split('&').find_map(|pair| pair.strip_prefix("seconds="));
    let seconds = match text {
        None | Some("") => DEFAULT_SECONDS,
        Some(number) => number.parse().map_err(|_| NoPage::Seconds)?,
    };
    match seconds {
        1..=MAX_SECONDS => Ok(Duration::from_secs(seconds)),
        _ => Err(NoPage::Seconds),
    }
}

/// A page as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
}

impl Page {
    /// Makes the page.
    ///
    /// # Errors
    /// The build lacks the format. The error is the reason, as text for the client.
    pub(super) fn make(self, snapshot: &Snapshot) -> Result<Made, String> {
        // Uses the words of the command `diagnose`, even if there are no lines.
        let lines = |lines: Vec<String>, separator: &str, none: &str| {
            if lines.is_empty() { format!("{none}\n") } else { lines.join(separator) }
        };
        let text = match self {
            Self::Live => {
                let mut body = Vec::new();
                return match write_live_page(snapshot, &mut body) {
                    Ok(()) => Ok(Made { content_type: HTML, body }),
                    Err(_) => report("txt", snapshot),
                };
            }
            Self::Report(name) => return report(name, snapshot),
            Self::Tasks => snapshot.tree(),
            Self::Waiters => {
                let waiters = Some(snapshot.waiters()).filter(|waiters| !waiters.is_empty());
                lines(waiters.into_iter().collect(), "", "no resource has waiters")
            }
            Self::Verdicts => {
                let verdicts = snapshot.verdicts();
                let verdicts: Vec<String> = verdicts.iter().map(|verdict| format!("{verdict}\n")).collect();
                lines(verdicts, "\n", "nothing hangs")
            }
            Self::Findings => {
                let findings = snapshot.findings();
                // Names the section of the documentation instead of the rule.
                let findings = findings.iter().map(|finding| {
                    let Finding { severity, sentence, next, page, .. } = finding;
                    format!("{severity} {sentence}. Next: {next}. ({page})\n")
                });
                lines(findings.collect(), "", "no findings")
            }
            Self::Profiles => return Ok(Made { content_type: HTML, body: PROFILES.as_bytes().to_vec() }),
        };
        Ok(Made { content_type: TEXT, body: diagnose_reports::clean_lines(&text).into_owned().into_bytes() })
    }
}

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

fn report(name: &str, snapshot: &Snapshot) -> Result<Made, String> {
    let report = Report::try_from(name).map_err(|error| error.to_string())?;
    let mut body = Vec::new();
    write(snapshot, report, &mut body).map_err(|error| error.to_string())?;
    Ok(Made { content_type: content_type(report), body })
}

fn content_type(report: Report) -> &'static str {
    match report.format.extension() {
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "pb.gz" => "application/octet-stream",
        "om" => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        "prom" => "text/plain; version=0.0.4; charset=utf-8",
        _ => TEXT,
    }
}

/// The list of profiles.
const PROFILES: &str = "<!DOCTYPE html>
<html lang=\"en\"><meta charset=\"utf-8\"><title>diagnose: profiles</title>
<h1>Profiles</h1>
<ul>
<li><a href=\"profile?seconds=5\">profile</a>: busy time; <code>?seconds=N</code>, 30 if not given</li>
<li><a href=\"wall?seconds=5\">wall</a>: wall time; <code>?seconds=N</code>, 30 if not given</li>
</ul>
<p>Both are of the seconds after the request, for <code>go tool pprof</code>, Pyroscope and Parca.</p>
<p><a href=\"../../\">The page</a>, <a href=\"../../report.txt\">report</a>, <a href=\"../../tasks\">tasks</a>,
<a href=\"../../waiters\">waiters</a>, <a href=\"../../verdicts\">verdicts</a>,
<a href=\"../../findings\">findings</a>, <a href=\"../../metrics\">metrics</a>,
<a href=\"../../snapshot.json\">snapshot</a>, <a href=\"../../flame.svg\">flame graph</a></p>
</html>
";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use diagnose_reports::Snapshot;

    use super::{BUSY, MAX_SECONDS, NoPage, PLAIN_METRICS, Page, Wanted};

    #[test]
    fn a_line_of_findings_says_the_next_step_once() {
        let mut snapshot = Snapshot::default();
        snapshot.dropped.over_depth = 7;
        let made = Page::Findings.make(&snapshot).expect("text is in every build");
        let text = String::from_utf8(made.body).expect("text");
        assert_eq!(
            text,
            "note 7 calls are counted in `[other]`, because their path had the maximum depth. Next: annotate the \
             first caller of a recursive function instead of the function: the deeper calls are then part of that \
             caller's time; the footer has all losses. (docs/findings.md#lost_data)\n"
        );
    }

    #[test]
    fn a_profile_takes_the_seconds_of_its_query() {
        let record = |query: &str| {
            let wanted = Wanted::parse(&format!("/debug/pprof/profile{query}"));
            wanted.map(|wanted| wanted.record.expect("it takes a while").as_secs())
        };
        for (query, seconds) in
            [("", 30), ("?", 30), ("?seconds=", 30), ("?seconds=7", 7), ("?a=1&seconds=2&b", 2)]
        {
            assert_eq!(record(query), Ok(seconds), "{query}");
        }
        assert_eq!(record(&format!("?seconds={MAX_SECONDS}")), Ok(MAX_SECONDS));
        for wrong in ["0", "-1", "1.5", "5s", "301", "99999999999999999999", "%31"] {
            assert_eq!(record(&format!("?seconds={wrong}")), Err(NoPage::Seconds), "{wrong}");
        }
    }

    #[test]
    fn paths_are_matched_as_a_whole() {
        assert_eq!(Wanted::parse("/tasks?x").map(|wanted| wanted.page), Ok(Page::Tasks));
        assert_eq!(Wanted::parse("").map(|wanted| wanted.record), Ok(None));
        let profile = Wanted::parse("/debug/pprof/profile?seconds=1");
        assert_eq!(profile, Ok(Wanted { page: BUSY, record: Some(Duration::from_secs(1)) }));
        assert_eq!(Wanted::parse("/metrics").map(|wanted| wanted.page), Ok(Page::Report("openmetrics")));
        assert_eq!(Wanted::parse(PLAIN_METRICS).map(|wanted| wanted.page), Ok(Page::Report("prometheus")));
        for wrong in ["/task", "/tasks/", "//", "/../tasks", "/snapshot", "tasks", "/debug/pprof/heap"] {
            assert_eq!(Wanted::parse(wrong), Err(NoPage::Path), "{wrong}");
        }
    }
}
