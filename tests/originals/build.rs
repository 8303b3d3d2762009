//! Turns the documentation examples of the wrapped crates into modules with a test each.
//!
//! Examples are treated as by rustdoc: `#` hides a line, code without `main` is put into one,
//! `no_run` is only compiled, and `should_panic` has to panic.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The crates: name, import of the wrapper, and the files or folders in `src` with wrapped items.
const CRATES: [(&str, &str, &[&str]); 8] = [
    (
        "tokio",
        "use diagnose::tokio;",
        &[
            "runtime/builder",
            "runtime/handle",
            "runtime/runtime",
            "runtime/task/abort",
            "runtime/task/join",
            "io/util/mem",
            "sync",
            "task",
            "time",
        ],
    ),
    ("async-lock", "use diagnose::async_lock;", &["barrier", "mutex", "once_cell", "rwlock", "semaphore"]),
    ("parking_lot", "use diagnose::parking_lot;", &["condvar", "mutex", "rwlock"]),
    ("async-channel", "use diagnose::async_channel;", &["lib"]),
    ("flume", "use diagnose::flume;", &["async", "lib", "select"]),
    ("futures-channel", "use diagnose::futures;", &["mpsc", "oneshot"]),
    ("futures-util", "use diagnose::futures;", &["future", "lock", "sink", "stream"]),
    (
        "tokio-util",
        "use diagnose::{tokio, tokio_util};",
        &["sync", "task/abort_on_drop", "task/task_tracker"],
    ),
];

/// Examples that contain one of these words are left out. They need `--cfg tokio_unstable`, futures
/// 0.1, or `time` of tokio-util with its own token. The last one relies on `u32` being comparable
/// to `u32` alone, and so does not compile beside `serde_json`.
const LEFT_OUT: [&str; 21] = [
    "UnhandledPanic",
    "RngSeed",
    "Histogram",
    "tokio_unstable",
    "LocalRuntime",
    "enable_alt_timer",
    "enable_sharded_blocking_queue",
    "on_task_spawn",
    "on_before_task_poll",
    "on_after_task_poll",
    "on_task_terminate",
    "disable_lifo_slot",
    "enable_io_uring",
    "schedule_latency",
    "poll_time_histogram",
    "handle.dump()",
    "build_task",
    "task::Builder::new",
    ".compat()",
    "with_cancellation_token_owned(token)",
    "(1..33).sum()",
];

/// Examples of tokio's `time` wait for up to 9 s. Their clock jumps to the next timer instead.
const WAITS: &str = "#[tokio::main(flavor = \"current_thread\")]";
const JUMPS: &str = "#[tokio::main(flavor = \"current_thread\", start_paused = true)]";

/// An example: the line of its opening fence, from 1, the words behind that fence, such as
/// `no_run`, and its code.
struct Example {
    line: usize,
    words: String,
    code: String,
}

fn main() {
    let folders = folders();
    let mut tests = String::new();
    let mut counts = Vec::new();
    for (name, scope, parts) in CRATES {
        let Some(folder) = folders.iter().find(|(package, _)| package == name).map(|(_, folder)| folder)
        else {
            panic!("{name} is not among the dependencies");
        };
        let mut count = 0;
        for part in parts {
            for file in files(&folder.join("src").join(part)) {
                println!("cargo::rerun-if-changed={}", file.display());
                let text = fs::read_to_string(&file).expect("a source file is text");
                let path = file.strip_prefix(folder.join("src")).expect("it is inside").with_extension("");
                let path = path.display().to_string().replace(['/', '\\', '-'], "_");
                for mut example in examples(&text) {
                    if *part == "time" {
                        example.code = example.code.replace(WAITS, JUMPS);
                    }
                    let module = format!("{}_{path}_{}", name.replace('-', "_"), example.line);
                    tests.push_str(&module_of(&module, scope, &example));
                    count += 1;
                }
            }
        }
        counts.push((name, count));
    }
    // Writing to a string cannot fail.
    let _ = writeln!(tests, "const FOUND: &[(&str, usize)] = &{counts:?};");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("examples.rs"), tests).expect("it can be written");
    println!("cargo::rerun-if-changed=build.rs");
}

/// The name and the folder of every package that the workspace depends on.
fn folders() -> Vec<(String, PathBuf)> {
    let target = env::var("TARGET").expect("cargo sets it");
    let metadata = Command::new(env::var_os("CARGO").expect("cargo sets it"))
        .args(["metadata", "--format-version", "1", "--filter-platform", &target])
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).expect("it is JSON");
    let packages = metadata["packages"].as_array().expect("there are packages").iter();
    let folder = |package: &serde_json::Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        Some((package["name"].as_str()?.to_owned(), manifest.parent()?.to_owned()))
    };
    packages.filter_map(folder).collect()
}

/// The source file `path.rs`, if there is one, and all source files below the folder `path`, except
/// in folders called `tests`. Sorted.
fn files(path: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        Some(path.with_extension("rs")).filter(|file| file.is_file()).into_iter().collect();
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(folder).into_iter().flatten();
        for entry in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if entry.is_dir() && !entry.ends_with("tests") {
                open.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                files.push(entry);
            }
        }
    }
    files.sort();
    files
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut open: Option<Example> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let Some(line) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            open = None;
            continue;
        };
        let line = line.strip_prefix(' ').unwrap_or(line);
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (None, Some(words)) => {
                open = Some(Example { line: number + 1, words: words.to_owned(), code: String::new() });
            }
            (Some(_), Some(_)) => examples.extend(open.take()),
            (Some(example), None) => {
                let hidden = line.trim_start().strip_prefix('#');
                let shown = match hidden {
                    Some(code) if code.starts_with(' ') || code.is_empty() => code,
                    Some(code) if code.starts_with('#') => code,
                    _ => line,
                };
                example.code.push_str(shown);
                example.code.push('\n');
            }
            (None, None) => {}
        }
    }
    let is_code = |example: &Example| {
        let no = ["text", "plain", "bash", "ignore", "compile_fail", "toml", "console"];
        !no.iter().any(|word| example.words.contains(word))
            && !LEFT_OUT.iter().any(|words| example.code.contains(words))
    };
    examples.retain(is_code);
    examples
}

/// Whether the code has a `main` at its top level.
fn has_main(code: &str) -> bool {
    let (mut opened, mut closed) = (0, 0);
    for line in code.lines() {
        if opened == closed && line.contains("fn main()") {
            return true;
        }
        opened += line.matches('{').count();
        closed += line.matches('}').count();
    }
    false
}

/// Whether this last line makes the example the body of a function that returns a `Result`, as in
/// rustdoc.
fn is_result(last: &str) -> bool {
    last.trim_start().starts_with("Ok::<") && last.ends_with("(())")
}

fn module_of(name: &str, scope: &str, example: &Example) -> String {
    let mut module = String::new();
    let runs = !example.words.contains("no_run");
    // Writing to a string cannot fail.
    let _ = writeln!(module, "#[allow(warnings, clippy::all, clippy::pedantic)]\nmod {name} {{\n    {scope}");
    let code = &example.code;
    if has_main(code) {
        module.push_str(code);
    } else if code.trim_end().lines().next_back().is_some_and(is_result) {
        let _ = writeln!(module, "fn main() -> Result<(), impl std::fmt::Debug> {{\n{code}}}");
    } else {
        let _ = writeln!(module, "fn main() {{\n{code}}}");
    }
    if runs {
        let panics = if example.words.contains("should_panic") { "    #[should_panic]\n" } else { "" };
        let _ = writeln!(
            module,
            "    #[test]\n{panics}    fn runs() {{\n        super::ends_well(main());\n    }}"
        );
    }
    module.push_str("}\n");
    module
}
