//! Clients of the services: HTTP/1.1 with keep-alive, over plain sockets.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use diagnose::tokio;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// Requests one path after the other on one connection, with a pause after each answer. Returns the
/// number of answers once there are `requests`, or an error if the server is gone.
pub(crate) async fn client(
    address: SocketAddr,
    paths: Vec<String>,
    pause: Duration,
    requests: usize,
) -> io::Result<usize> {
    let mut stream = BufReader::new(TcpStream::connect(address).await?);
    stream.get_ref().set_nodelay(true)?;
    for number in 0..requests {
        let path = &paths[number % paths.len()];
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.get_mut().write_all(request.as_bytes()).await?;
        answer(&mut stream).await?;
        tokio::time::sleep(pause).await;
    }
    Ok(requests)
}

/// Reads one answer: the headers, and a body of their `content-length`.
async fn answer(stream: &mut BufReader<TcpStream>) -> io::Result<()> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(|_| io::ErrorKind::InvalidData)?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.map(drop)
}
