//! Recording of reads and writes at the ends of a pipe.

use std::io;
use std::panic::Location;
use std::task::{Context, Poll};

use ::tokio::io::ReadBuf;

use crate::tokio::sync::is_forced;
use crate::waits::{ChannelEnd, LazyWait, ResourceKind, ResourceType, WaitInfo, WaitMode};

pub(super) static TYPE: ResourceType = ResourceType::new(ResourceKind::Pipe, "tokio").forced_by(is_forced);

/// Polls for bytes at the receiving end.
pub(super) fn poll_read(
    end: &ChannelEnd,
    wait: &mut LazyWait,
    at: &'static Location<'static>,
    context: &mut Context<'_>,
    buffer: &mut ReadBuf<'_>,
    mut poll: impl FnMut(&mut Context<'_>, &mut ReadBuf<'_>) -> Poll<io::Result<()>>,
) -> Poll<io::Result<()>> {
    end.used(at);
    let before = buffer.filled().len();
    let info = || WaitInfo::on(end.record(), WaitMode::Receive, 1, at).made_there(true);
    let poll = wait.poll(context, info, |context| poll(context, buffer));
    end.took((buffer.filled().len() - before) as u64);
    poll
}

/// Polls for free space at the sending end.
pub(super) fn poll_write(
    end: &ChannelEnd,
    wait: &mut LazyWait,
    at: &'static Location<'static>,
    context: &mut Context<'_>,
    poll: impl FnMut(&mut Context<'_>) -> Poll<io::Result<usize>>,
) -> Poll<io::Result<usize>> {
    end.used(at);
    let info = || WaitInfo::on(end.record(), WaitMode::Send, 1, at).made_there(true);
    let poll = wait.poll(context, info, poll);
    if let Poll::Ready(Ok(count)) = poll {
        end.put_alone(count as u64);
    }
    poll
}
