//! The model's words for kinds of resources, roles and operations.

use diagnose_reports::model::{self, WaitMode};

use crate::waits::{self, ResourceKind};

pub(super) fn kind(kind: ResourceKind) -> model::ResourceKind {
    match kind {
        ResourceKind::Mutex => model::ResourceKind::Mutex,
        ResourceKind::RwLock => model::ResourceKind::RwLock,
        ResourceKind::Semaphore => model::ResourceKind::Semaphore,
        ResourceKind::OnceCell => model::ResourceKind::OnceCell,
        ResourceKind::Barrier => model::ResourceKind::Barrier,
        ResourceKind::Notify => model::ResourceKind::Notify,
        ResourceKind::Condvar => model::ResourceKind::Condvar,
        ResourceKind::Mpsc => model::ResourceKind::Mpsc,
        ResourceKind::Mpmc => model::ResourceKind::Mpmc,
        ResourceKind::Oneshot => model::ResourceKind::Oneshot,
        ResourceKind::Broadcast => model::ResourceKind::Broadcast,
        ResourceKind::Watch => model::ResourceKind::Watch,
        ResourceKind::Pipe => model::ResourceKind::Pipe,
        ResourceKind::Cancellation => model::ResourceKind::Cancellation,
        ResourceKind::TaskTracker => model::ResourceKind::TaskTracker,
        ResourceKind::Custom => model::ResourceKind::Custom,
    }
}

pub(super) fn role(role: waits::Role) -> model::Role {
    match role {
        waits::Role::Holds => model::Role::Holds,
        waits::Role::Sends => model::Role::Sends,
        waits::Role::Receives => model::Role::Receives,
        waits::Role::Uses => model::Role::Uses,
    }
}

pub(super) fn mode(mode: waits::WaitMode) -> WaitMode {
    match mode {
        waits::WaitMode::Lock => WaitMode::Lock,
        waits::WaitMode::Read => WaitMode::Read,
        waits::WaitMode::Write => WaitMode::Write,
        waits::WaitMode::Acquire => WaitMode::Acquire,
        waits::WaitMode::Send => WaitMode::Send,
        waits::WaitMode::Receive => WaitMode::Receive,
        waits::WaitMode::Closed => WaitMode::Closed,
        waits::WaitMode::Initialize => WaitMode::Initialize,
        waits::WaitMode::Arrive => WaitMode::Arrive,
        waits::WaitMode::Notified => WaitMode::Notified,
        waits::WaitMode::Join | waits::WaitMode::LocalSet => WaitMode::Join,
        waits::WaitMode::Timer => WaitMode::Timer,
        waits::WaitMode::Shutdown => WaitMode::Shutdown,
        waits::WaitMode::Custom => WaitMode::Custom,
    }
}
