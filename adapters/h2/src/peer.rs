//! Who is at the other end of a connection.

/// The other end of a connection as the operating system names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peer {
    /// User id of the process that connected, where the transport tells it.
    pub uid: Option<u32>,
    /// Process id of the process that connected, where the transport tells it.
    pub pid: Option<i32>,
}
