//! Senders and receivers that wait, and the tasks that own the other end.

use diagnose_reports::model::{Attribution, LastEvent, ResourceKind, Role, TaskId, WaitMode};

use crate::support::hangs::{Program, resource_id, set_aside};

/// Two actors, each blocked in a send to the other.
#[test]
fn two_actors_with_full_channels_are_a_cycle() {
    let mut program = Program::new();
    let (left, right) = (program.task("left"), program.task("right"));
    let (a, b) = (program.channel(1), program.channel(1));
    for (task, own, other) in [(left, a, b), (right, b, a)] {
        program.fill(own, 1);
        program.receives(task, own, 5);
        program.waits(task, other, WaitMode::Send, 6);
    }
    program.joins(1, left, 20);
    assert_eq!(program.verdicts(), ["proven cycle"]);
    insta::assert_snapshot!(program.sentence(), @"task 2 `left` is waiting for a free slot in `mpsc#2` at src/main.rs:6 (1.00 s); its receiver belongs to task 3 `right` (last used at src/main.rs:5), which is waiting for a free slot in `mpsc#1` at src/main.rs:6 (1.00 s); its receiver belongs to task 2 `left` (last used at src/main.rs:5): none of them can continue");
    program.at(a).holdings[0].attribution = Attribution::Likely;
    assert_eq!(program.verdicts(), ["likely cycle"]);
}

#[test]
fn a_lock_and_a_channel_make_a_cycle() {
    let mut program = Program::new();
    let receiver = program.task("receiver");
    let (lock, channel) = (program.mutex(), program.channel(1));
    program.holds(1, lock, 2);
    program.fill(channel, 1);
    program.waits(1, channel, WaitMode::Send, 3);
    program.receives(receiver, channel, 4);
    program.waits(receiver, lock, WaitMode::Lock, 5);
    assert_eq!(program.verdicts(), ["proven cycle"]);
}

/// The task that waits for a notification may have the sender too, so all three are stuck together.
#[test]
fn a_task_that_nobody_notifies_is_a_bystander_of_a_cycle() {
    let mut program = Program::new();
    let (receiver, sender) = (program.task("receiver"), program.task("sender"));
    let (lock, channel, notify) = (program.mutex(), program.channel(1), program.other(ResourceKind::Notify));
    let idle = program.task("idle");
    program.holds(receiver, lock, 2);
    program.receives(receiver, channel, 3);
    program.waits(receiver, channel, WaitMode::Receive, 3);
    program.sends(sender, channel, 4).candidates.push(idle.into());
    program.waits(sender, lock, WaitMode::Lock, 5);
    program.waits(idle, notify, WaitMode::Notified, 6);
    program.joins(1, receiver, 20);
    assert_eq!(program.verdicts(), ["likely cycle"]);
    assert_eq!(program.snapshot.verdicts()[0].victims, [1, idle].map(TaskId::new));

    program.at(notify).last_notified = Some(LastEvent::default());
    assert_eq!(program.verdicts(), ["likely cycle", "likely missed_notify"], "which may be one of its own");
}

#[test]
fn two_ends_of_a_pipe_that_both_write_are_a_cycle() {
    let mut program = Program::new();
    let (left, right) = (program.task("left"), program.task("right"));
    let (a, b) = (program.other(ResourceKind::Pipe), program.other(ResourceKind::Pipe));
    for (from, to, pipe) in [(left, right, a), (right, left, b)] {
        program.fill(pipe, 1);
        program.receives(to, pipe, 5);
        program.sends(from, pipe, 5);
        program.waits(from, pipe, WaitMode::Send, 6);
    }
    program.joins(1, left, 20);
    assert_eq!(program.verdicts(), ["proven cycle"]);
}

/// An actor waits for an answer to its own request, which is still in its mailbox.
#[test]
fn a_sender_in_the_mailbox_of_the_task_that_awaits_it_is_a_self_wait() {
    let mut program = Program::new();
    program.has_timer(1);
    let actor = program.task("actor");
    let (mailbox, answer) = (program.channel(8), program.other(ResourceKind::Oneshot));
    program.fill(mailbox, 1);
    program.receives(actor, mailbox, 5);
    let sender = program.sends(actor, answer, 6);
    (sender.uses, sender.in_channel) = (0, Some(resource_id(mailbox)));
    program.waits(actor, answer, WaitMode::Receive, 7);
    assert_eq!(program.verdicts(), ["likely self_wait"]);
}

#[test]
fn a_sender_in_the_task_that_waits_for_the_end_of_messages_is_a_leak() {
    let mut program = Program::new();
    let channel = program.channel(4);
    program.sends(1, channel, 2).uses = 0;
    program.receives(1, channel, 6);
    program.waits(1, channel, WaitMode::Receive, 6);
    assert_eq!(program.verdicts(), ["likely leak"]);
    assert_eq!(program.chain(), ["task 1 waits 6", "resource 1 created 11", "task 1 owns 2"]);
    insta::assert_snapshot!(program.sentence(), @"task 1 `main` is receiving from `mpsc#1` at src/main.rs:6 (1.00 s); its only sender was last seen with the same task (never used, created at src/main.rs:2): only this task could send a message or drop the sender");
}

#[test]
fn a_sender_that_may_be_anywhere_may_send() {
    let mut program = Program::new();
    let answer = program.other(ResourceKind::Oneshot);
    program.sends(1, answer, 6).attribution = Attribution::Unknown;
    program.waits(1, answer, WaitMode::Receive, 7);
    assert!(program.verdicts().is_empty(), "it is with a thread, or with the receiver of a message");
}

#[test]
fn a_closed_channel_and_one_with_messages_are_no_reason_to_wait() {
    for is_closed in [true, false] {
        let mut program = Program::new();
        let channel = program.channel(4);
        program.sends(1, channel, 2);
        if is_closed {
            program.at(channel).is_closed = true;
        } else {
            program.fill(channel, 1);
        }
        program.waits(1, channel, WaitMode::Receive, 6);
        assert!(program.verdicts().is_empty());
    }
}

/// Two idle tasks, each with a sender to the other's channel.
fn idle() -> Program {
    let mut program = Program::new();
    let (left, right) = (program.task("left"), program.task("right"));
    let (a, b) = (program.channel(1), program.channel(1));
    for (task, own, other) in [(left, a, b), (right, b, a)] {
        program.receives(task, own, 5);
        program.waits(task, own, WaitMode::Receive, 5);
        program.sends(task, other, 6).attribution = Attribution::Exact;
    }
    program
}

#[test]
fn two_idle_tasks_are_no_hang_while_main_lives() {
    let mut program = idle();
    program.has_timer(1);
    assert!(program.verdicts().is_empty());
}

#[test]
fn two_idle_tasks_are_a_hang_if_main_waits_for_one() {
    let mut program = idle();
    program.joins(1, 2, 20);
    assert_eq!(program.verdicts(), ["proven cycle"]);
}

#[test]
fn a_server_without_work_waits_for_main_which_waits_for_a_socket() {
    let mut program = Program::new();
    program.has_timer(1);
    let (server, channel) = (program.task("server"), program.channel(1));
    program.sends(1, channel, 2);
    program.receives(server, channel, 5);
    program.waits(server, channel, WaitMode::Receive, 5);
    assert!(program.verdicts().is_empty());
}

#[test]
fn a_borrowed_value_in_the_task_that_changes_it_blocks_the_worker() {
    let mut program = Program::new();
    let value = program.other(ResourceKind::Watch);
    program.sleeps(1, 70);
    program.holding(1, value, Role::Holds, 3);
    program.waits(1, value, WaitMode::Send, 6).thread_id = Some(70);
    assert_eq!(program.verdicts(), ["proven blocked_worker"]);
    assert_eq!(program.chain(), ["task 1 blocked 6", "resource 1 created 11", "task 1 holds 3"]);
}

#[test]
fn a_wait_for_the_receiver_to_close_is_a_wait_for_its_task() {
    let mut program = Program::new();
    let (receiver, channel) = (program.task("receiver"), program.channel(1));
    program.has_timer(receiver);
    program.receives(receiver, channel, 5);
    program.waits(1, channel, WaitMode::Closed, 6);
    assert!(program.verdicts().is_empty());
}

/// A task's send is queued behind another one that it does not poll. The receiver waits for a
/// timer, and may be dropped without receiving.
#[test]
fn a_receiver_that_goes_on_may_let_go_of_a_whole_queue() {
    let mut program = Program::new();
    let (sender, receiver, channel) = (program.task("sender"), program.task("receiver"), program.channel(1));
    program.fill(channel, 1);
    program.receives(receiver, channel, 3);
    program.has_timer(receiver);
    set_aside(program.waits(sender, channel, WaitMode::Send, 4));
    program.waits(sender, channel, WaitMode::Send, 5);
    program.joins(1, sender, 6);
    assert_eq!(program.verdicts(), ["likely futurelock queued"]);
}
