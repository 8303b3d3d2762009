//! A random program: its resources, and the steps of each task.

use crate::random::Random;

/// A step of a task. The numbers are indices of resources, channels or tasks.
#[derive(Debug, Clone)]
pub enum Step {
    /// Yields to the other tasks.
    Yield,
    /// Sleeps, in ms.
    Sleep(u64),
    /// Acquires a mutex, and keeps the guard.
    Lock(usize),
    /// Acquires an `RwLock` for reading, and keeps the guard.
    Read(usize),
    /// Acquires an `RwLock` for writing, and keeps the guard.
    Write(usize),
    /// Acquires an `RwLock` for writing, downgrades, and keeps the guard.
    Downgrade(usize),
    /// Acquires permits of a semaphore, and keeps them.
    Acquire(usize, u32),
    /// Closes a semaphore.
    Close(usize),
    /// Drops the guard acquired last.
    Release,
    /// Drops all guards.
    ReleaseAll,
    /// Sends a message into a channel.
    Send(usize),
    /// Drops its sender.
    DropSender(usize),
    /// Receives a message, if the task has the receiver and nothing else uses it.
    Receive(usize),
    /// Sends the message of a oneshot.
    Tell(usize),
    /// Receives the message of a oneshot.
    Hear(usize),
    /// Calls `notify_one`.
    Notify(usize),
    /// Waits for a notification.
    Notified(usize),
    /// Waits for the end of another task, or of itself.
    Join(usize),
    /// Aborts another task, or itself.
    Abort(usize),
    /// Takes a step under a timeout, in ms.
    Timeout(u64, Box<Step>),
    /// Takes the first of two steps that is ready, and drops the other.
    Select(Box<Step>, Box<Step>),
    /// Takes two steps concurrently.
    Both(Box<Step>, Box<Step>),
    /// Polls a step for a time in ms, and then keeps it unpolled until the task ends.
    Park(u64, Box<Step>),
    /// Takes an unrecorded step.
    Outside(Way),
}

/// An unrecorded step: things leave a task, come back, or are released elsewhere.
#[derive(Debug, Clone)]
pub enum Way {
    /// Puts the guard or permit acquired last into a static.
    Stash,
    /// Puts its sender into the static.
    StashSender(usize),
    /// Puts its receiver into the static.
    StashReceiver(usize),
    /// Puts the sender of its oneshot into the static.
    StashTeller(usize),
    /// Takes one thing from the static, and keeps it.
    Take,
    /// Clears the static.
    Clear,
    /// Moves all guards to an unrecorded task, which drops them after a time in ms.
    Spawn(u64),
    /// Moves all guards to a new thread, which drops them after a time in ms.
    Thread(u64),
    /// Moves all guards to the thread older than the program, if there is one, which drops them
    /// after a time in ms.
    OlderThread(u64),
    /// Forgets the guard acquired last.
    Forget,
    /// An unrecorded task adds a permit after a time in ms.
    Refill(usize, u64),
    /// An unrecorded task notifies all waiters after a time in ms.
    Notify(usize, u64),
    /// An unrecorded task aborts a task after a time in ms.
    Abort(usize, u64),
    /// Takes a step under an unrecorded timeout.
    Timeout(u64, Box<Step>),
    /// Polls a step once with a no-op waker, and then normally.
    Noop(Box<Step>),
    /// Polls a step with another waker, which wakes the task's.
    Wrapped(Box<Step>),
    /// Polls a boxed future that takes two steps, for a time in ms, and then puts it into a static.
    /// It is annotated or not.
    Pass(u64, Box<[Step; 2]>, bool),
    /// Takes a future from that static, and awaits it.
    Adopt,
}

/// How a task is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Through this crate.
    Recorded,
    /// By tokio directly: its root span is first seen when it is polled.
    Met,
    /// By tokio directly, under a timeout in ms.
    MetFor(u64),
    /// By tokio directly, without any annotation.
    Unrecorded,
}

/// A channel of messages.
#[derive(Debug, Clone, Copy)]
pub struct Channel {
    /// Its capacity; `None` if it is unbounded.
    pub bound: Option<usize>,
    /// The task that has the receiver. All tasks have a sender.
    pub receiver: usize,
}

/// A oneshot channel.
#[derive(Debug, Clone, Copy)]
pub struct Oneshot {
    /// The task that has the sender.
    pub sender: usize,
    /// The task that has the receiver.
    pub receiver: usize,
}

/// A program.
#[derive(Debug, Clone)]
pub struct Program {
    /// The number of mutexes.
    pub mutexes: usize,
    /// The number of `RwLock`s.
    pub locks: usize,
    /// The number of `Notify`s.
    pub notifies: usize,
    /// The permits of each semaphore.
    pub semaphores: Vec<u32>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The oneshots.
    pub oneshots: Vec<Oneshot>,
    /// The task that may join each task; `None` if the root does.
    pub joiners: Vec<Option<usize>>,
    /// The steps of each task.
    pub tasks: Vec<Vec<Step>>,
    /// How each task is started.
    pub starts: Vec<Start>,
    /// Whether it has unrecorded steps.
    pub is_open: bool,
    /// Whether guards are owned instead of borrowed.
    pub is_owned: bool,
    /// When snapshots are taken, in ms since the start.
    pub looks: Vec<u64>,
}

impl Program {
    /// Creates the program of a seed, with recorded steps only.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self::with(seed, false)
    }

    /// Creates the program of a seed, with unrecorded steps as well.
    #[must_use]
    pub fn unrecorded(seed: u64) -> Self {
        Self::with(seed, true)
    }

    fn with(seed: u64, is_open: bool) -> Self {
        let random = &mut Random::new(seed);
        let tasks = 2 + random.below(4);
        let mut program = Self {
            mutexes: 1 + random.below(3),
            locks: random.below(2),
            notifies: random.below(2),
            semaphores: random.list(3, |random| random.units(3)),
            channels: random.list(3, |random| Channel {
                bound: random.percent(80).then(|| 1 + random.below(2)),
                receiver: random.below(tasks),
            }),
            oneshots: random
                .list(3, |random| Oneshot { sender: random.below(tasks), receiver: random.below(tasks) }),
            joiners: (0..tasks).map(|_| random.percent(30).then(|| random.below(tasks))).collect(),
            tasks: Vec::new(),
            starts: vec![Start::Recorded; tasks],
            is_open,
            is_owned: random.percent(30),
            looks: Vec::new(),
        };
        if is_open {
            // A borrowed guard cannot leave its task.
            program.is_owned = random.percent(80);
            program.starts = (0..tasks).map(|_| start(random)).collect();
        }
        for task in 0..tasks {
            let steps = 1 + random.below(7);
            let steps = (0..steps).map(|_| program.step(task, random, 2)).collect();
            program.tasks.push(steps);
        }
        if is_open && random.percent(5) {
            program.pass_on(random);
        }
        let mut at = 0;
        for _ in 0..=random.below(2) {
            at += random.below(12) as u64;
            program.looks.push(at);
        }
        program
    }

    /// Lets one task give up a future that holds, or waits for, the mutex that the task locks next.
    /// Another task polls the future later.
    fn pass_on(&mut self, random: &mut Random) {
        let (lock, ms) = (random.below(self.mutexes), random.below(4) as u64);
        let steps = match random.below(3) {
            0 => [Step::Lock(lock), Step::Sleep(random.below(10) as u64)],
            1 => [Step::Lock(lock), self.passed(random)],
            _ => [self.passed(random), Step::Lock(lock)],
        };
        let pass = Step::Outside(Way::Pass(ms, Box::new(steps), random.percent(50)));
        let passes = random.below(self.tasks.len());
        let adopts = (passes + 1 + random.below(self.tasks.len() - 1)) % self.tasks.len();
        self.tasks[passes].splice(..0, [pass, Step::Lock(lock)]);
        let later = Step::Sleep(10 + random.below(20) as u64);
        self.tasks[adopts].splice(..0, [later, Step::Outside(Way::Adopt)]);
    }

    fn step(&self, task: usize, random: &mut Random, depth: usize) -> Step {
        if depth > 0 && random.percent(25) {
            let ms = random.below(8) as u64;
            let step = Box::new(self.wait(task, random));
            return match random.below(4) {
                0 => Step::Timeout(ms, step),
                1 => Step::Park(ms, step),
                2 => Step::Select(step, Box::new(self.step(task, random, depth - 1))),
                _ => Step::Both(step, Box::new(self.step(task, random, depth - 1))),
            };
        }
        if self.is_open && random.percent(25) {
            return Step::Outside(self.way(task, random, depth));
        }
        if random.percent(60) { self.wait(task, random) } else { self.act(task, random) }
    }

    /// A step that may have to wait for another task.
    fn wait(&self, task: usize, random: &mut Random) -> Step {
        let step = match random.below(12) {
            0 | 1 => random.index(self.locks).map(|lock| match random.below(5) {
                0 => Step::Write(lock),
                1 => Step::Downgrade(lock),
                _ => Step::Read(lock),
            }),
            2 | 3 => random.index(self.semaphores.len()).map(|semaphore| {
                let permits = random.units(self.semaphores[semaphore]);
                Step::Acquire(semaphore, permits)
            }),
            4..=6 => random.index(self.channels.len()).map(|channel| {
                let is_own = self.channels[channel].receiver == task;
                if is_own { Step::Receive(channel) } else { Step::Send(channel) }
            }),
            7 => self.oneshots.iter().position(|oneshot| oneshot.receiver == task).map(Step::Hear),
            8 => self.joiners.iter().position(|joiner| *joiner == Some(task)).map(Step::Join),
            9 => random.index(self.notifies).map(Step::Notified),
            _ => None,
        };
        step.unwrap_or_else(|| Step::Lock(random.below(self.mutexes)))
    }

    /// A step of a future that may move to another task, and so uses no channel ends.
    fn passed(&self, random: &mut Random) -> Step {
        let step = match random.below(6) {
            0 => random.index(self.locks).map(Step::Write),
            1 => random.index(self.semaphores.len()).map(|semaphore| Step::Acquire(semaphore, 1)),
            2 => Some(Step::Sleep(random.below(10) as u64)),
            _ => None,
        };
        step.unwrap_or_else(|| Step::Lock(random.below(self.mutexes)))
    }

    /// A step that waits for no other task.
    fn act(&self, task: usize, random: &mut Random) -> Step {
        let step = match random.below(20) {
            0..=4 => Some(Step::Release),
            5 | 6 => Some(Step::ReleaseAll),
            7..=9 => Some(Step::Sleep(random.below(10) as u64)),
            10 | 11 => self.oneshots.iter().position(|oneshot| oneshot.sender == task).map(Step::Tell),
            12 | 13 => random.index(self.notifies).map(Step::Notify),
            14 | 15 => random.index(self.channels.len()).map(Step::DropSender),
            16 => random.index(self.semaphores.len()).map(Step::Close),
            17 => random.index(self.joiners.len()).map(Step::Abort),
            _ => None,
        };
        step.unwrap_or(Step::Yield)
    }

    /// An unrecorded step.
    fn way(&self, task: usize, random: &mut Random, depth: usize) -> Way {
        let ms = random.below(30) as u64;
        let channel = |random: &mut Random| random.index(self.channels.len());
        let step = |random: &mut Random| Box::new(self.step(task, random, depth.saturating_sub(1)));
        let way = match random.below(29) {
            0..=3 => Some(Way::Stash),
            4 => channel(random).map(Way::StashSender),
            5 => channel(random).map(Way::StashReceiver),
            6 => random.index(self.oneshots.len()).map(Way::StashTeller),
            7 | 8 => Some(Way::Take),
            9..=11 => Some(Way::Clear),
            12 => Some(Way::Spawn(ms)),
            13 => Some(Way::Thread(ms)),
            14 => Some(Way::OlderThread(ms)),
            15 => Some(Way::Forget),
            16 => random.index(self.semaphores.len()).map(|semaphore| Way::Refill(semaphore, ms)),
            17 => random.index(self.notifies).map(|notify| Way::Notify(notify, ms)),
            18 => Some(Way::Abort(random.below(self.joiners.len()), ms)),
            19 | 20 if depth > 0 => Some(Way::Timeout(ms, step(random))),
            21 if depth > 0 => Some(Way::Noop(step(random))),
            22 if depth > 0 => Some(Way::Wrapped(step(random))),
            23 | 24 => {
                let steps = Box::new([self.passed(random), self.passed(random)]);
                Some(Way::Pass(random.below(8) as u64, steps, random.percent(50)))
            }
            25..=27 => Some(Way::Adopt),
            _ => None,
        };
        way.unwrap_or(Way::Clear)
    }
}

fn start(random: &mut Random) -> Start {
    match random.below(20) {
        0 => Start::Met,
        1 | 2 => Start::MetFor(5 + random.below(30) as u64),
        3 => Start::Unrecorded,
        _ => Start::Recorded,
    }
}
