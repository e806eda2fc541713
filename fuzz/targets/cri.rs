//! Fuzzes the answers of a container runtime.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::cri(data));
