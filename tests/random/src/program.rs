//! A program: how many resources there are, and the steps of each task.

use crate::random::Random;

/// What a task does next.
#[derive(Debug, Clone)]
pub enum Step {
    /// Lets the others run.
    Yield,
    /// Waits so many milliseconds.
    Sleep(u64),
    /// Locks a mutex, and keeps the guard.
    Lock(usize),
    /// Locks a lock for readers, and keeps the guard.
    Read(usize),
    /// Locks it for itself, and keeps the guard.
    Write(usize),
    /// Takes so many permits, and keeps them.
    Acquire(usize, u32),
    /// Drops the guard that it took last.
    Release,
    /// Drops all guards.
    ReleaseAll,
    /// Sends a message into a bounded channel.
    Send(usize),
    /// Receives one, if the task has the receiver.
    Receive(usize),
    /// Gives up a step after so many milliseconds.
    Timeout(u64, Box<Step>),
    /// Does whichever of two steps is ready first, and gives up the other.
    Select(Box<Step>, Box<Step>),
    /// Does both at the same time.
    Both(Box<Step>, Box<Step>),
    /// Polls a step for so many milliseconds, and keeps it without polling it until the end of the task.
    Park(u64, Box<Step>),
}

/// A program.
#[derive(Debug, Clone)]
pub struct Program {
    /// How many mutexes there are.
    pub mutexes: usize,
    /// How many locks for readers.
    pub locks: usize,
    /// The permits of each semaphore.
    pub semaphores: Vec<u32>,
    /// The bound of each channel, and which task has its receiver.
    pub channels: Vec<(usize, usize)>,
    /// The steps of each task.
    pub tasks: Vec<Vec<Step>>,
    /// Whether guards are of the kind that borrows nothing.
    pub is_owned: bool,
    /// After how many milliseconds somebody looks.
    pub looks: Vec<u64>,
}

impl Program {
    /// The program of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let tasks = 2 + random.below(4);
        let mut program = Self {
            mutexes: 1 + random.below(3),
            locks: random.below(2),
            semaphores: (0..random.below(3))
                .map(|_| 1 + u32::try_from(random.below(3)).unwrap_or(0))
                .collect(),
            channels: (0..random.below(3)).map(|_| (1 + random.below(2), random.below(tasks))).collect(),
            tasks: Vec::new(),
            is_owned: random.percent(30),
            looks: Vec::new(),
        };
        for task in 0..tasks {
            let steps = 1 + random.below(7);
            let steps = (0..steps).map(|_| program.step(task, &mut random, 2)).collect();
            program.tasks.push(steps);
        }
        let mut at = 0;
        for _ in 0..=random.below(2) {
            at += random.below(12) as u64;
            program.looks.push(at);
        }
        program
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
        match random.below(10) {
            0 => Step::Yield,
            1 => Step::Sleep(random.below(10) as u64),
            2 => Step::Release,
            3 => Step::ReleaseAll,
            _ => self.wait(task, random),
        }
    }

    /// A step that may have to wait for another task.
    fn wait(&self, task: usize, random: &mut Random) -> Step {
        let kinds = 5 + usize::from(!self.channels.is_empty()) * 3;
        match random.below(kinds) {
            3 if self.locks > 0 && random.percent(60) => Step::Read(random.below(self.locks)),
            3 if self.locks > 0 => Step::Write(random.below(self.locks)),
            4 if !self.semaphores.is_empty() => {
                let semaphore = random.below(self.semaphores.len());
                let most = usize::try_from(self.semaphores[semaphore]).unwrap_or(1);
                Step::Acquire(semaphore, u32::try_from(1 + random.below(most)).unwrap_or(1))
            }
            5.. => {
                let channel = random.below(self.channels.len());
                if self.channels[channel].1 == task { Step::Receive(channel) } else { Step::Send(channel) }
            }
            _ => Step::Lock(random.below(self.mutexes)),
        }
    }
}
