//! The command as a user runs it, against its own server.

#[cfg(test)]
mod abuse;
#[cfg(test)]
mod apiserver;
#[cfg(test)]
mod beside;
#[cfg(test)]
mod connections;
#[cfg(test)]
mod consumer;
#[cfg(test)]
mod control_plane;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod kubelet;
#[cfg(test)]
mod masks;
#[cfg(test)]
mod not_utf8;
#[cfg(test)]
mod peers;
#[cfg(test)]
mod process;
#[cfg(test)]
mod restarts;
#[cfg(test)]
mod runtime;
#[cfg(test)]
mod serving;
#[cfg(test)]
mod signals;
#[cfg(test)]
mod soak;
#[cfg(test)]
mod sockets;
#[cfg(test)]
mod static_uids;
#[cfg(test)]
mod usage;
