//! One command as a step: printed, run from the workspace root, and turned into an outcome.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Why a step failed, in words for the person at the terminal.
#[derive(Debug)]
pub(crate) struct Failure(String);

/// The result of a step.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable when it runs this program; without it, the place of the build.
    let own = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    own.parent().map_or_else(|| own.clone(), PathBuf::from)
}

/// The folder that cargo builds into.
pub(crate) fn target_dir() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// A cargo command in the workspace root, without standard input.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    command
}

/// Whether an automatic build runs us: then `Cargo.lock` must be up to date as it is.
pub(crate) fn locked() -> &'static [&'static str] {
    if std::env::var_os("CI").is_some() {
        &["--locked"]
    } else {
        &[]
    }
}

fn show(command: &Command) -> String {
    let name = PathBuf::from(command.get_program());
    let mut words = vec![
        name.file_stem()
            .unwrap_or(name.as_os_str())
            .to_string_lossy()
            .into_owned(),
    ];
    words.extend(
        command
            .get_args()
            .map(|arg| arg.to_string_lossy().into_owned()),
    );
    words.join(" ")
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot start `{}`: {error}", show(command)))
}

fn failed(command: &Command, status: std::process::ExitStatus) -> Failure {
    Failure::new(format!("`{}` ended with {status}", show(command)))
}

/// Runs the command with its output on the terminal.
pub(crate) fn run(command: &mut Command) -> Outcome {
    println!("$ {}", show(command));
    let status = command
        .status()
        .map_err(|error| cannot_start(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(failed(command, status))
    }
}

/// Runs the command; every line of its standard output is printed and given to `line`.
pub(crate) fn run_lines(command: &mut Command, mut line: impl FnMut(&str)) -> Outcome {
    println!("$ {}", show(command));
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| cannot_start(command, &error))?;
    if let Some(stdout) = child.stdout.take() {
        for text in BufReader::new(stdout).split(b'\n') {
            let text = text?;
            let text = String::from_utf8_lossy(&text);
            println!("{text}");
            line(&text);
        }
    }
    let status = child.wait()?;
    if status.success() {
        Ok(())
    } else {
        Err(failed(command, status))
    }
}

/// Runs the command without showing its output, and returns it whatever the exit code.
pub(crate) fn capture(command: &mut Command) -> Outcome<Output> {
    println!("$ {}", show(command));
    command
        .output()
        .map_err(|error| cannot_start(command, &error))
}

/// Runs the command without showing its standard output, and returns that as text.
pub(crate) fn read(command: &mut Command) -> Outcome<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| cannot_start(command, &error))?;
    if !output.status.success() {
        return Err(failed(command, output.status));
    }
    String::from_utf8(output.stdout)
        .map_err(|error| Failure::new(format!("`{}` printed {error}", show(command))))
}
