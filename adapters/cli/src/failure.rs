//! How a command can fail, what is said then, and the exit code it ends with.

use std::fmt;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use podsapi_client::{
    ClientError, Code, ConnectError, FollowError, MirrorError, Status, TransportError,
};
use podsapi_core::MASK_HEADER;
use podsapi_proto::json::printable;

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nobody reads standard output any more; not worth a word.
    ClosedPipe,
    /// There is no connection to the server.
    Connect(ConnectError),
    /// No pod has the UID that was asked for, which may have been meant as a name.
    NoSuchUid(Status),
    /// The connection ended under a call.
    Lost {
        path: PathBuf,
        cause: TransportError,
    },
    /// The server answered, and is not ready; the command has said so.
    NotReady,
    /// Standard output failed in another way.
    Output(io::Error),
    /// The server answered with a status.
    Refused(Status),
    /// The server could not start.
    Start(String),
    /// Nobody answered in time.
    Unanswered { path: PathBuf, patience: Duration },
    /// The command line or its file is wrong.
    Usage(String),
}

/// How long an answer may take: a list takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The deadline that the server is told: the server's own word about it comes too late to be taken
/// for a refusal, and it need not work for nobody for long.
pub(crate) const DEADLINE: Duration = Duration::from_secs(11);

/// Waits for the answer to a call of the server at `path`.
pub(crate) async fn answered<T>(
    path: &Path,
    call: impl Future<Output = Result<T, ClientError>>,
) -> Result<T, Failure> {
    let answer = in_time(path, call).await?;
    answer.map_err(|error| Failure::of_call(path, error))
}

/// As [`answered`], for whoever looks at the server's refusal.
pub(crate) async fn in_time<T>(
    path: &Path,
    call: impl Future<Output = Result<T, ClientError>>,
) -> Result<Result<T, ClientError>, Failure> {
    let answer = tokio::time::timeout(PATIENCE, call).await;
    answer.map_err(|_elapsed| Failure::Unanswered {
        path: path.to_owned(),
        patience: PATIENCE,
    })
}

impl Failure {
    /// Returns the exit code that the help documents.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::NoSuchUid(_)
            | Self::NotReady
            | Self::Output(_)
            | Self::Refused(_)
            | Self::Start(_) => 1,
            Self::Usage(_) => 2,
            Self::Connect(_) | Self::Lost { .. } | Self::Unanswered { .. } => 3,
        }
    }

    /// Returns whether the command has already said all there is to say.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, Self::ClosedPipe | Self::NotReady)
    }

    /// Returns the failure of a call to the server at `path`.
    pub(crate) fn of_call(path: &Path, error: ClientError) -> Self {
        match error {
            ClientError::Refused(status) => Self::Refused(status),
            ClientError::Transport(cause) => Self::Lost {
                path: path.to_owned(),
                cause,
            },
        }
    }

    /// Returns the failure of a watch of the server at `path`.
    pub(crate) fn of_watch(path: &Path, error: FollowError) -> Self {
        match error {
            FollowError::Client(error) => Self::of_call(path, error),
            FollowError::Connect(error) => Self::Connect(error),
            FollowError::Ended => Self::Lost {
                path: path.to_owned(),
                cause: TransportError::Closed,
            },
            FollowError::Hung(patience) => Self::Unanswered {
                path: path.to_owned(),
                patience,
            },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClosedPipe => f.write_str("nobody reads the output"),
            Self::Connect(error) => write!(f, "{error}\n  try: {}", error.advice()),
            Self::Lost { path, cause } => write!(
                f,
                "{}: {cause}\n  try: {}",
                printable(&path.to_string_lossy()),
                cause.advice()
            ),
            Self::NoSuchUid(status) => write!(
                f,
                "the server refused: {}\n  try: a pod's name needs its namespace: NAMESPACE/NAME",
                status_text(status)
            ),
            Self::NotReady => f.write_str("the server is not ready"),
            Self::Output(error) => write!(f, "cannot write the output: {error}"),
            Self::Refused(status) => {
                // The text of a refused mask says the same as the violations, all on one line.
                if status.violations().is_empty() || !status.message().starts_with(MASK_HEADER) {
                    write!(f, "the server refused: {}", status_text(status))?;
                } else {
                    let code = code_name(status.code());
                    write!(f, "the server refused the field mask: {code}")?;
                }
                for violation in status.violations() {
                    let (field, text) = (&violation.field, &violation.description);
                    write!(f, "\n  {}: {}", printable(field), printable(text))?;
                }
                if status.code() == Code::FailedPrecondition {
                    f.write_str("\n  try: podsapi check, which says why")?;
                }
                Ok(())
            }
            Self::Start(text) => f.write_str(&printable(text)),
            Self::Unanswered { path, patience } => write!(
                f,
                "{}: {}\n  try: check its log",
                printable(&path.to_string_lossy()),
                unanswered(*patience)
            ),
            Self::Usage(text) => f.write_str(text),
        }
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        Self::Connect(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() == io::ErrorKind::BrokenPipe {
            true => Self::ClosedPipe,
            false => Self::Output(error),
        }
    }
}

impl From<MirrorError> for Failure {
    fn from(error: MirrorError) -> Self {
        Self::Refused(Status::new(Code::Internal, error.to_string()))
    }
}

/// Returns why a watch ended, on one line.
pub(crate) fn interruption(error: &FollowError) -> String {
    match error {
        FollowError::Client(ClientError::Refused(status)) => {
            format!("the server ended the watch: {}", status_text(status))
        }
        FollowError::Client(ClientError::Transport(_))
        | FollowError::Connect(_)
        | FollowError::Ended => error.to_string(),
        FollowError::Hung(patience) => unanswered(*patience),
    }
}

fn unanswered(patience: Duration) -> String {
    let seconds = patience.as_secs();
    format!("the server did not answer within {seconds} s: it hangs or is overloaded")
}

/// Returns code and text, and what the details add to them for a person.
fn status_text(status: &Status) -> String {
    let code = code_name(status.code());
    let mut text = format!("{code}: {}", printable(status.message()));
    // The text of this API's own reasons says all of them.
    if let (Some(reason), Some(domain)) = (status.reason(), status.domain())
        && domain != Status::DOMAIN
    {
        text += &format!(" (reason {}", printable(reason));
        if !domain.is_empty() {
            text += &format!(" of {}", printable(domain));
        }
        for (name, value) in status.metadata() {
            text += &format!(", {}: {}", printable(name), printable(value));
        }
        text += ")";
    }
    if let Some(nanos) = status.retry_after_nanos() {
        // Rounded up: too early is no use.
        let wait = Duration::from_millis(nanos.div_ceil(NANOS_PER_MILLISECOND));
        text += &format!("; try again in {wait:?}");
    }
    text
}

const NANOS_PER_MILLISECOND: u64 = 1_000_000;

/// Returns the name that gRPC's documents use for `code`.
fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

#[cfg(test)]
mod tests {
    use podsapi_client::Fields;

    use super::*;

    #[test]
    fn what_a_server_says_can_neither_steer_the_terminal_nor_begin_a_line() {
        let status = || Status::new(Code::NotFound, "\u{1b}[2J\nforged");
        for failure in [Failure::Refused(status()), Failure::NoSuchUid(status())] {
            let text = failure.to_string();
            let expected = r"the server refused: NOT_FOUND: \u{1b}[2J\nforged";
            assert_eq!(text.lines().next(), Some(expected), "{text:?}");
        }
        let text = Failure::Start("a\nb".to_owned()).to_string();
        assert_eq!(text, r"a\nb");
    }

    #[test]
    fn each_violation_of_a_refused_mask_has_a_line_of_its_own() {
        let error = Fields::parse("spec.container.name,status.podips").unwrap_err();
        assert_eq!(
            Failure::Refused(error.status()).to_string(),
            "the server refused the field mask: INVALID_ARGUMENT\n  \
             spec.container.name: \"container\" (byte 5) is not a field of PodSpec; did you mean \
             \"containers\"?\n  status.podips: \"podips\" (byte 7) is not a field of PodStatus; \
             names are case-sensitive: did you mean \"podIPs\"?"
        );
        let other = error.status().violations().to_vec();
        let other = Status::new(Code::InvalidArgument, "no").with_violations(other);
        let text = Failure::Refused(other).to_string();
        assert!(
            text.starts_with("the server refused: INVALID_ARGUMENT: no\n"),
            "{text}"
        );
    }

    #[test]
    fn details_say_when_to_try_again_and_what_others_call_the_reason() {
        let status = Status::new(Code::ResourceExhausted, "rejected by rate limit")
            .with_reason("RATE_LIMITED")
            .with_retry_after(83_000_001);
        let text = "RESOURCE_EXHAUSTED: rejected by rate limit; try again in 84ms";
        assert_eq!(status_text(&status), text);
        let pod = ("pod".to_owned(), "a\nb".to_owned());
        let status = Status::new(Code::Unavailable, "no")
            .with_reason("\u{1b}OFF")
            .with_domain("a.test")
            .with_metadata(vec![pod]);
        let expected = r"UNAVAILABLE: no (reason \u{1b}OFF of a.test, pod: a\nb)";
        assert_eq!(status_text(&status), expected);
    }
}
