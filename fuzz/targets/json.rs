//! Fuzzes JSON texts and encoded pods.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::json(data));
