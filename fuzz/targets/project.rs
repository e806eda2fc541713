//! Fuzzes projection on pods and masks that the bytes decide for.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::project(data));
