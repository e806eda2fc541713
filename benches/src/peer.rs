//! Who is measured.

use std::env;
use std::io;
use std::path::PathBuf;

use crate::client::Speech;
use crate::workload::Workload;

/// A server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// This project.
    Podsapi,
    /// This project as it was, where that was built.
    Before,
    /// tonic with decoded pods.
    Tonic,
    /// tonic with encoded pods.
    TonicEncoded,
    /// grpc-go with typed pods.
    Go,
    /// The same bytes without gRPC.
    Raw,
}

impl Peer {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Podsapi,
        Self::Before,
        Self::Tonic,
        Self::TonicEncoded,
        Self::Go,
        Self::Raw,
    ];

    /// Those of the table for the README.
    pub const TABLE: [Self; 5] = [
        Self::Podsapi,
        Self::Tonic,
        Self::TonicEncoded,
        Self::Go,
        Self::Raw,
    ];

    /// Returns the name in arguments and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Before => "podsapi_before",
            Self::Podsapi => "podsapi",
            Self::Tonic => "tonic",
            Self::TonicEncoded => "tonic_encoded",
            Self::Go => "go",
            Self::Raw => "raw",
        }
    }

    /// Returns the name for readers.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Before => "podsapi before",
            Self::Podsapi => "podsapi",
            Self::Tonic => "tonic",
            Self::TonicEncoded => "tonic, encoded pods",
            Self::Go => "grpc-go",
            Self::Raw => "bare socket",
        }
    }

    /// Returns how it is spoken to.
    pub const fn speech(self) -> Speech {
        match self {
            Self::Before | Self::Go | Self::Podsapi | Self::Tonic | Self::TonicEncoded => {
                Speech::Grpc
            }
            Self::Raw => Speech::Bare,
        }
    }

    /// Tells whether it can do what a workload asks.
    pub fn does(self, workload: Workload) -> bool {
        match self {
            Self::Before | Self::Podsapi | Self::Tonic => true,
            Self::Go | Self::Raw | Self::TonicEncoded => workload != Workload::List500Masked,
        }
    }

    /// Returns its program, which is beside this one, or `None` when it was not built.
    ///
    /// # Errors
    ///
    /// When this program does not know where it is.
    pub fn program(self) -> io::Result<Option<PathBuf>> {
        let name = format!("serve-{}", self.name().replace('_', "-"));
        let path = env::current_exe()?.with_file_name(name);
        Ok(path.exists().then_some(path))
    }
}
