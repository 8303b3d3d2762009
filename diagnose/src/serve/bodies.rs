//! Bounds the memory of the responses that slow clients have not taken yet.
//!
//! Clients that ask within the same second share one body. Others have one each, and keep it until
//! they have read it.

use std::sync::Arc;
use std::time::Duration;

use diagnose_reports::sort::sort;

use super::client::Client;

/// Maximum size of all bodies in bytes, unless all clients have the same one.
const MAX_BYTES: usize = 64 << 20;

/// A body that a client has not taken yet.
#[derive(Debug, Clone, Copy)]
struct UntakenBody {
    /// Equal ones are stored once.
    address: usize,
    bytes: usize,
    /// Time since the client took some of it.
    idle: Duration,
}

/// Disconnects the slowest clients, until the bodies of the others fit.
pub(super) fn bound(clients: &mut Vec<Client>) {
    loop {
        let bodies: Vec<Option<UntakenBody>> = clients.iter().map(untaken).collect();
        let Some(slowest) = excess(&bodies) else { return };
        drop(clients.swap_remove(slowest));
    }
}

fn untaken(client: &Client) -> Option<UntakenBody> {
    let made = client.made()?;
    Some(UntakenBody { address: Arc::as_ptr(made).addr(), bytes: made.body.len(), idle: client.idle()? })
}

/// Returns the client to disconnect, if the bodies do not fit.
fn excess(bodies: &[Option<UntakenBody>]) -> Option<usize> {
    let mut distinct: Vec<(usize, usize)> =
        bodies.iter().flatten().map(|it| (it.address, it.bytes)).collect();
    sort(&mut distinct);
    distinct.dedup();
    let bytes = distinct.iter().fold(0_usize, |sum, (_, bytes)| sum.saturating_add(*bytes));
    if distinct.len() <= 1 || bytes <= MAX_BYTES {
        return None;
    }
    let idle = |index: &usize| bodies.get(*index).copied().flatten().map(|body| body.idle);
    (0..bodies.len()).filter(|index| idle(index).is_some()).max_by_key(idle)
}

#[cfg(test)]
mod tests {
    use super::{Duration, MAX_BYTES, UntakenBody, excess};

    fn excess_of<const N: usize>(bodies: [(usize, usize, u64); N]) -> Option<usize> {
        let untaken = bodies.map(|(address, bytes, idle)| {
            Some(UntakenBody { address, bytes, idle: Duration::from_secs(idle) })
        });
        // The first client has asked for nothing yet.
        excess(&[&[None], &untaken[..]].concat())
    }

    #[test]
    fn the_slowest_client_goes_if_different_bodies_do_not_fit() {
        let half = MAX_BYTES / 2;
        assert_eq!(excess_of([(1, half, 0), (2, half, 9)]), None);
        assert_eq!(excess_of([(1, half, 3), (2, half, 9), (3, 1, 5)]), Some(2));
    }

    #[test]
    fn a_body_that_all_clients_share_may_be_of_any_size() {
        assert_eq!(excess_of([(1, 3 * MAX_BYTES, 1), (1, 3 * MAX_BYTES, 2)]), None);
    }
}
