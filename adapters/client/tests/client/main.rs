//! The client against servers that do what a test says.

#[cfg(test)]
mod calls;
#[cfg(test)]
mod channel;
#[cfg(test)]
mod endings;
#[cfg(test)]
mod follow;
#[cfg(test)]
mod masks;
#[cfg(test)]
mod server;
