//! Attacks a server: `attack slow ADDRESS CLIENTS SECONDS`, or `attack garbage ADDRESS REQUESTS`.
//!
//! - `slow` keeps `CLIENTS` connections open and sends a byte on each about ten times per second.
//!   It reopens connections that the server closes.
//! - `garbage` sends `REQUESTS` malformed requests, eight at a time.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// The requests that are sent. A server must answer none of them with 200, except the last.
const GARBAGE: [&[u8]; 6] = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"GET /debug/pprof/profile?seconds=1e9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
];

fn slow(address: &str, clients: usize, seconds: u64) {
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut streams: Vec<Option<TcpStream>> = (0..clients).map(|_| None).collect();
    let (mut connected, mut closed) = (0_u64, 0_u64);
    while Instant::now() < end {
        for stream in &mut streams {
            if stream.is_none() {
                let address = address.parse().expect("an address");
                *stream = TcpStream::connect_timeout(&address, Duration::from_millis(20)).ok();
                if let Some(stream) = stream {
                    connected += 1;
                    let _ = stream.set_nonblocking(true);
                    let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
                }
            }
            let is_closed = stream.as_mut().is_some_and(|stream| {
                let is_over = matches!(stream.read(&mut [0; 512]), Ok(0));
                stream.write_all(b"x").is_err() || is_over
            });
            if is_closed {
                closed += 1;
                *stream = None;
            }
            if Instant::now() >= end {
                break;
            }
        }
        thread::sleep(Duration::from_millis(100));
    }
    println!("{connected} connected, {closed} closed by the server");
}

fn garbage(address: &str, requests: u64) {
    let (sent, answered) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let number = sent.fetch_add(1, Relaxed);
                    if number >= requests {
                        break;
                    }
                    let Ok(mut stream) = TcpStream::connect(address) else { continue };
                    let request = GARBAGE[usize::try_from(number).unwrap_or(0) % GARBAGE.len()];
                    let _ = stream.write_all(request);
                    let mut response = Vec::new();
                    let _ = stream.read_to_end(&mut response);
                    answered.fetch_add(u64::from(response.starts_with(b"HTTP/1.1 4")), Relaxed);
                }
            });
        }
    });
    println!("{requests} sent, {} refused", answered.load(Relaxed));
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|number| number.parse().ok()).expect("a number");
    match args.first().map(String::as_str) {
        Some("slow") => slow(&args[1], usize::try_from(number(2)).expect("it fits"), number(3)),
        Some("garbage") => garbage(&args[1], number(2)),
        _ => panic!("attack slow ADDRESS CLIENTS SECONDS, or attack garbage ADDRESS REQUESTS"),
    }
}
