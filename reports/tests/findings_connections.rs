//! Requests in tasks of connections: calls of a server such as hyper's, and sockets of messages.

use crate::findings_locks::{drawn, sentences};

/// 100 requests of 100 ms in eight connections, each with 20 queries of 4.8 ms.
fn n_plus_one(connection: &str) -> Vec<String> {
    let list = "    list | calls=100 completed=100 polls=2200 busy=100_000_000 idle=9_900_000_000
      load(row).await | calls=2000 polls=2000 idle=9_600_000_000
        load | calls=2000 completed=2000 polls=4000 idle=9_600_000_000 self_idle=9_600_000_000
";
    let drawing = format!("connection | calls=8 pending=8 polls=2300 idle=80_000_000_000\n{connection}");
    sentences(&drawn(&drawing.replace("LIST\n", list)))
}

/// Whether it is found if a connection reads and answers requests like this.
fn is_found(read: &str, write: &str) -> bool {
    let connection = format!(
        "  {read} | calls=108 completed=100 polls=200 idle=70_000_000_000
  list(message).await | calls=100 completed=100 polls=2200 idle=9_900_000_000
LIST
  {write} | calls=100 completed=100 polls=100 busy=1_000_000\n"
    );
    match &n_plus_one(&connection)[..] {
        [] => false,
        [finding] => finding.starts_with("`list` awaits `load(row).await` (src/main.rs:5) 20 times per call"),
        others => panic!("{others:?}"),
    }
}

#[test]
fn calls_of_a_server_are_requests() {
    let found = |text: &str| {
        let served = format!("  {text} | calls=8 pending=8 polls=2300 idle=80_000_000_000\nLIST\n");
        n_plus_one(&served).len()
    };
    assert_eq!(found("http1::Builder::new().serve_connection(io, service_fn(list)).await"), 1);
    assert_eq!(found("http.serve_connection_with_upgrades(io, service).await"), 1);
    assert_eq!(found("jobs.for_each(list).await"), 0, "a job");
}

#[test]
fn a_socket_that_is_received_from_and_sent_to_has_requests() {
    assert!(is_found("framed.next().await", "framed.send(answer).await?"));
    assert!(is_found("self.ws.try_next().await?", "self.ws.feed(answer).await?"));
    assert!(is_found("timeout(IDLE, socket.recv()).await", "socket.send(Message::Text(answer)).await"));
    assert!(!is_found("stream.next().await", "sink.send(row).await"), "a stage");
    assert!(!is_found("self.jobs.recv().await", "self.done.send(row).await"), "a stage");
    assert!(!is_found("framed.next().await", "self.framed.send(row).await"), "another one");
    assert!(!is_found("jobs().next().await", "rows().send(row).await"), "no variable");
}

#[test]
fn frames_are_read_and_written_like_bytes() {
    assert!(is_found("conn.read_frame().await?", "conn.write_frame(&answer).await?"));
    assert!(!is_found("conn.read_frame().await?", "rows.push(row).await"), "nothing is answered");
}
