//! Fuzzes the answers of an API server.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::listwatch(data));
