//! What the released kubelet's own tests check, an item a test: the number is in the first line of
//! a test's documentation.
//!
//! Whatever is visible on the wire is looked at through a real client on a real UNIX socket.

#[cfg(test)]
mod consumers;
#[cfg(test)]
mod counting;
#[cfg(test)]
mod coverage;
#[cfg(test)]
mod events;
#[cfg(test)]
mod lifecycle;
#[cfg(test)]
mod local_status;
#[cfg(test)]
mod readiness;
#[cfg(test)]
mod reads;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod static_pods;
