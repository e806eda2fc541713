//! Fuzzes the checks of request headers.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::request(data));
