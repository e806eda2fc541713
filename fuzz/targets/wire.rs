//! Fuzzes the decoding of requests.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::wire(data));
