//! The program that answers with a kubelet's own code.

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use podsapi_proto::core_v1::PodStatus;
use prost::Message;

use super::case::Case;

/// The program, running; it ends with its input.
pub(super) struct Program {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Program {
    /// Starts it; says why where that cannot be done.
    pub(super) fn start() -> Result<Self, String> {
        let Some(path) = std::env::var_os("PODSAPI_KUBELET_STATUS") else {
            return Err(
                "PODSAPI_KUBELET_STATUS=$(tests/interop/status/build) asks a kubelet's own code"
                    .to_owned(),
            );
        };
        let mut program = Command::new(path);
        program.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = program.spawn().map_err(|error| error.to_string())?;
        Ok(Self {
            questions: child.stdin.take(),
            answers: BufReader::new(child.stdout.take().unwrap()),
            child,
        })
    }

    /// Returns the kubelet's status of a pod, and whether its status manager refused a change.
    pub(super) fn ask(&mut self, case: &Case) -> (PodStatus, bool) {
        let parts = case.parts();
        let length = |length: usize| u32::try_from(length).unwrap().to_le_bytes();
        let mut question = length(parts.len()).to_vec();
        for (kind, bytes) in parts {
            question.push(kind);
            question.extend(length(bytes.len()));
            question.extend(bytes);
        }
        let questions = self.questions.as_mut().unwrap();
        questions.write_all(&question).unwrap();
        questions.flush().unwrap();
        let mut length = [0; 4];
        self.answers.read_exact(&mut length).unwrap();
        let mut answer = vec![0; u32::from_le_bytes(length) as usize];
        self.answers.read_exact(&mut answer).unwrap();
        let status = PodStatus::decode(&answer[1..]).unwrap();
        (status, answer[0] == 1)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.questions.take());
        let _ended = self.child.wait();
    }
}
