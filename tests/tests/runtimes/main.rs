//! What a server promises it keeps on every runtime.

#[cfg(test)]
mod hosts;
#[cfg(test)]
mod leaving;
#[cfg(test)]
mod promises;
