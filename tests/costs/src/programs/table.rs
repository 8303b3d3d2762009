//! The table of programs.

use super::{actors, cache, fan_out, full_channel, hits, news, one_mutex, pipeline, short_tasks, storm};
use crate::program::Program;

/// The functions of a module, one for each way.
macro_rules! ways {
    ($module:ident :: $run:ident) => {
        [$module::bare::$run, $module::annotated::$run, $module::drop_in::$run]
    };
}

/// All programs, in the order of the table. A sample of each takes 0.1 to 0.5 s of CPU when it is
/// bare.
pub const PROGRAMS: &[Program] = &[
    Program {
        name: "actors",
        about: "a request to an actor in a `select!`, with a timeout on the reply",
        size: 60_000,
        run: ways!(actors::run),
    },
    Program {
        name: "fan-out",
        about: "a future of a `FuturesUnordered`, which yields twice",
        size: 400_000,
        run: ways!(fan_out::run),
    },
    Program {
        name: "cache",
        about: "a look-up in a cache behind a semaphore, one in four loaded",
        size: 200_000,
        run: ways!(cache::run),
    },
    Program {
        name: "hits",
        about: "a look-up in a cache under a read lock, one in eight loaded behind a semaphore",
        size: 400_000,
        run: ways!(hits::run),
    },
    Program {
        name: "short-tasks",
        about: "a task that spawns one task and awaits it",
        size: 100_000,
        run: ways!(short_tasks::run),
    },
    Program {
        name: "one-mutex",
        about: "a turn at a lock that two tasks want, held across a yield",
        size: 400_000,
        run: ways!(one_mutex::run),
    },
    Program {
        name: "full-channel",
        about: "a message through a channel for one message that is always full",
        size: 400_000,
        run: ways!(full_channel::run),
    },
    Program {
        name: "pipeline",
        about: "a message through three un-annotated tasks that call annotated handlers",
        size: 200_000,
        run: ways!(pipeline::run),
    },
    Program {
        name: "news",
        about: "a message of a broadcast, received by one of eight tasks, beside four that watch",
        size: 400_000,
        run: ways!(news::run),
    },
    Program {
        name: "storm-1",
        about: "a spawned task that yields once, on 1 worker thread",
        size: 200_000,
        run: ways!(storm::on_1),
    },
    Program {
        name: "storm-2",
        about: "the same task, on 2 worker threads with a spawner each",
        size: 200_000,
        run: ways!(storm::on_2),
    },
    Program {
        name: "storm-4",
        about: "the same task, on 4 worker threads with a spawner each",
        size: 200_000,
        run: ways!(storm::on_4),
    },
    Program {
        name: "storm-8",
        about: "the same task, on 8 worker threads with a spawner each",
        size: 200_000,
        run: ways!(storm::on_8),
    },
];
