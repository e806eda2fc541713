//! A client of the tonic library, dialing a UNIX socket in its default way.

#[cfg(test)]
mod calls;
#[cfg(test)]
mod dial;
#[cfg(test)]
mod masks;
#[cfg(test)]
mod watches;
