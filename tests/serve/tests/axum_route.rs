//! The route for axum of `docs/serving.md`.

use axum::Router;
use axum::body::Body;
use axum::http::{Response, StatusCode, Uri};
use axum::response::IntoResponse as _;
use axum::routing::get;
use diagnose_serve_tests::client;

/// Answers a request below the path where it is nested.
async fn reports(uri: Uri) -> Response<Body> {
    let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    // A report takes a while, and a profile as many seconds as requested.
    let answered = tokio::task::spawn_blocking(move || diagnose::respond(&path)).await;
    let Ok(answer) = answered else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    response.body(Body::from(answer.body)).unwrap_or_default()
}

#[diagnose::diagnose]
async fn hello() -> &'static str {
    "hello"
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reports_are_a_route_of_the_programs_own_server() {
    let reports = Router::new().fallback(reports);
    let router = Router::new().route("/", get(hello)).nest("/debug/diagnose", reports);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound").to_string();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let answers = tokio::task::spawn_blocking(move || {
        let close = |path: &str| {
            let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
            client::send(&address, &request)
        };
        ["/", "/debug/diagnose/report.txt", "/debug/diagnose/debug/pprof/", "/debug/diagnose/nothing"]
            .map(close)
    });
    let [own, report, profiles, nothing] = answers.await.expect("they are answered");
    assert_eq!(own.text(), "hello");
    assert_eq!((report.status, report.text().contains("hello")), (200, true), "{}", report.text());
    assert!(report.head.to_ascii_lowercase().contains("content-type: text/plain"), "{}", report.head);
    assert_eq!((profiles.status, nothing.status), (200, 404));
}
