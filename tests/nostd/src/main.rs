//! Lists, gets and watches a pod in a program that has no std, to prove that the core needs none.
//!
//! `cargo run --manifest-path tests/nostd/Cargo.toml` exits with 0 when every answer is right, and
//! with the number of the first wrong step otherwise. An allocator, a panic handler and a `main`
//! for the C runtime are all that the program brings itself.
#![no_std]
#![no_main]

extern crate alloc;

mod bare;
mod steps;

use core::ffi::{c_char, c_int};

/// What the C runtime calls.
#[unsafe(no_mangle)]
pub extern "C" fn main(_count: c_int, _arguments: *const *const c_char) -> c_int {
    match steps::run() {
        Ok(()) => 0,
        Err(steps::WrongStep(number)) => number,
    }
}
