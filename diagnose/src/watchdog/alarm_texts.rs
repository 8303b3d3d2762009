//! The texts of the watchdog's findings.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Instant;

use diagnose_reports::model::{Alarm, AlarmKind, RunState, Runtime, Task, TaskId, Worker};
use diagnose_reports::sort::sort;
use diagnose_reports::{Snapshot, clean_line};

use super::budget::{Budget, Stopwatch};
use super::looks::Finding;
use super::native_stack;
use crate::alarms::alarm;
use crate::cpu::{self, CpuUsage};
use crate::live;

/// Maximum number of running tasks that an alarm about a queued task names.
const MAX_NAMED: usize = 16;

/// Returns the findings as alarms, in their order. If one of them is about a poll, this measures
/// for 20 ms what the poll's thread does. `stacks` is the budget for native stacks, if those are
/// compiled in.
pub(super) fn alarms_of(snapshot: &Snapshot, findings: &[Finding<'_>], stacks: &mut Budget) -> Vec<Alarm> {
    let polls = findings.iter().flat_map(|finding| match finding {
        Finding::LongPoll(task) => std::slice::from_ref(task),
        Finding::Blocked { polls, .. } => polls,
        Finding::Uneven { .. } | Finding::Starved(_) => &[],
    });
    let mut threads: Vec<u64> = polls.filter_map(|task| task.thread_id).collect();
    sort(&mut threads);
    threads.dedup();
    let texts = AlarmTexts { snapshot, usages: cpu::watch(&threads), stacks: RefCell::new(stacks) };
    findings.iter().map(|finding| alarm(kind(finding), texts.text(finding), tasks(finding))).collect()
}

pub(super) fn kind(finding: &Finding<'_>) -> AlarmKind {
    match finding {
        Finding::LongPoll(_) => AlarmKind::LongPoll,
        Finding::Blocked { .. } => AlarmKind::BlockedRuntime,
        Finding::Uneven { .. } => AlarmKind::UnreachableTask,
        Finding::Starved(_) => AlarmKind::StarvedTask,
    }
}

/// Returns the ids of a finding's tasks: running ones first.
fn tasks(finding: &Finding<'_>) -> Vec<TaskId> {
    let of = |tasks: &[&Task]| tasks.iter().map(|task| task.id).collect::<Vec<_>>();
    match finding {
        Finding::LongPoll(task) => of(&[task]),
        Finding::Blocked { polls, queued, .. } => [of(polls), of(queued)].concat(),
        Finding::Uneven { queued, .. } => of(queued),
        Finding::Starved(tasks) => of(tasks),
    }
}

struct AlarmTexts<'a> {
    snapshot: &'a Snapshot,
    /// CPU usage of threads, by the kernel's thread number.
    usages: HashMap<u64, CpuUsage>,
    stacks: RefCell<&'a mut Budget>,
}

impl AlarmTexts<'_> {
    fn text(&self, finding: &Finding<'_>) -> String {
        match finding {
            Finding::LongPoll(task) => self.long_poll(task),
            Finding::Blocked { runtime, polls, queued } => self.blocked(runtime, polls, queued),
            Finding::Uneven { runtime, parked, queued } => self.uneven(runtime, parked, queued),
            Finding::Starved(tasks) => self.starved(tasks),
        }
    }

    fn long_poll(&self, task: &Task) -> String {
        let mut alarm = format!(
            "{} has been in one poll for {}{}",
            self.name(task),
            ms(task.since_ns),
            self.thread(task)
        );
        for (depth, &site) in task.running.iter().enumerate() {
            let Some(site) = self.snapshot.site(site) else { continue };
            let branch =
                if depth == 0 { String::new() } else { format!("{:1$}└─ ", "", (depth - 1) * 3) };
            let mark = if depth + 1 == task.running.len() { "  ◀ running" } else { "" };
            let place = site.place.to_string();
            // Writing to a string cannot fail.
            let _ = write!(alarm, "\n  {branch}{} ({place}){mark}", clean_line(&site.name));
        }
        let stack = task.thread_id.map(|thread| self.native_stack(thread)).unwrap_or_default();
        // The poll may have ended while its thread was interrupted.
        if !stack.is_empty() && live::is_in_poll(task.id.get(), task.polls) {
            alarm.push_str("\n  native stack, innermost first:");
            for line in stack {
                let _ = write!(alarm, "\n    {line}");
            }
        }
        alarm
    }

    /// Returns the native stack of a thread; empty if the last ones took too long.
    fn native_stack(&self, thread: u64) -> Vec<String> {
        let mut budget = self.stacks.borrow_mut();
        if !budget.allows(Instant::now()) {
            return Vec::new();
        }
        let watch = Stopwatch::start();
        let stack = native_stack::of(thread);
        budget.spend(watch.turn().took);
        stack
    }

    fn blocked(&self, runtime: &Runtime, polls: &[&Task], queued: &[&Task]) -> String {
        let shortest = polls.last().map_or(0, |task| task.since_ns);
        let who = match runtime.workers {
            1 => format!("the only worker of {} has been in one poll", title(runtime)),
            workers => format!("all {workers} workers of {} have been in one poll each", title(runtime)),
        };
        let mut alarm = format!("{who} for at least {}; ", ms(shortest));
        let _ = match queued {
            [] => write!(alarm, "no task is queued"),
            [only] => {
                write!(alarm, "{} has been queued for {}", self.name(only), ms(only.since_ns))
            }
            [oldest, ..] => write!(
                alarm,
                "{} tasks are queued, the oldest is {} ({})",
                queued.len(),
                self.name(oldest),
                ms(oldest.since_ns)
            ),
        };
        for task in polls {
            let _ = write!(alarm, "\n  {} for {}{}", self.name(task), ms(task.since_ns), self.thread(task));
        }
        alarm
    }

    fn uneven(&self, runtime: &Runtime, parked: &[&Worker], queued: &[&Task]) -> String {
        let is = if parked.len() == 1 { "is" } else { "are" };
        let mut alarm = format!(
            "{}, although {} of the {} workers of {} {is} idle",
            self.late(queued),
            parked.len(),
            runtime.workers,
            title(runtime),
        );
        let is_new = queued.first().is_some_and(|task| task.state == RunState::Unpolled);
        let verb = if is_new { "spawned" } else { "woke" };
        let waker = queued.first().and_then(|task| {
            let by = if task.state == RunState::Unpolled { task.spawned_by } else { task.woken_by };
            self.snapshot.tasks.iter().find(|other| Some(other.id) == by && other.state == RunState::Running)
        });
        let _ = match waker {
            Some(waker) => write!(
                alarm,
                "; {} {verb} that task and has been in one poll for {}{}: a worker keeps the task that its poll woke last, and no \
                 other worker can steal it",
                self.name(waker),
                ms(waker.since_ns),
                self.thread(waker)
            ),
            None => write!(alarm, "; running: {}", self.running()),
        };
        alarm
    }

    fn starved(&self, tasks: &[&Task]) -> String {
        format!("{}; running: {}", self.late(tasks), self.running())
    }

    /// `` task 9 `flush` was woken 250 ms ago and has not been polled since, nor have 41 other
    /// tasks``.
    fn late(&self, tasks: &[&Task]) -> String {
        let Some(oldest) = tasks.first() else { return String::new() };
        let state = match oldest.state {
            RunState::Unpolled => {
                format!("was spawned {} ago and has not been polled yet", ms(oldest.since_ns))
            }
            _ => format!("was woken {} ago and has not been polled since", ms(oldest.since_ns)),
        };
        let others = match tasks.len() - 1 {
            0 => String::new(),
            1 => ", nor has 1 other task".to_owned(),
            others => format!(", nor have {others} other tasks"),
        };
        format!("{} {state}{others}", self.name(oldest))
    }

    /// `` task 7 `conn` for 312 ms, task 8 `conn` for 101 ms``.
    fn running(&self) -> String {
        let running: Vec<&Task> =
            self.snapshot.tasks.iter().filter(|task| task.state == RunState::Running).collect();
        let named = running.iter().take(MAX_NAMED);
        let mut named: Vec<String> =
            named.map(|task| format!("{} for {}", self.name(task), ms(task.since_ns))).collect();
        if running.len() > MAX_NAMED {
            named.push(format!("{} more", running.len() - MAX_NAMED));
        }
        if named.is_empty() { "no task".to_owned() } else { named.join(", ") }
    }

    /// ` on thread tokio-rt-worker, using 100 % of a CPU`.
    fn thread(&self, task: &Task) -> String {
        let processor = match task.thread_id.and_then(|id| self.usages.get(&id)) {
            Some(CpuUsage { share, is_asleep: true }) => {
                format!(", blocked, using {share} % of a CPU")
            }
            Some(CpuUsage { share, .. }) if *share > 50 => format!(", using {share} % of a CPU"),
            Some(CpuUsage { share, .. }) => {
                format!(", using {share} % of a CPU (the CPU is oversubscribed)")
            }
            None => String::new(),
        };
        let thread = match task.thread_id {
            // Threads of std need no name.
            Some(id) if task.thread.is_empty() => id.to_string(),
            _ => clean_line(&task.thread),
        };
        format!(" on thread {thread}{processor}")
    }

    fn name(&self, task: &Task) -> String {
        let name = self.snapshot.site(task.site).map_or("", |site| &site.name);
        format!("task {} `{}`", task.id, clean_line(name))
    }
}

/// For example `runtime 1 payments`.
fn title(runtime: &Runtime) -> String {
    let name = runtime.name.as_deref().map(|name| format!(" {}", clean_line(name))).unwrap_or_default();
    format!("runtime {}{name}", runtime.number)
}

fn ms(ns: u64) -> String {
    format!("{} ms", ns / 1_000_000)
}
