//! The model's words for operations that wait.

use diagnose_reports::model::WaitMode;

use crate::waits;

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
