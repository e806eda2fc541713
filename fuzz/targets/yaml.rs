//! Fuzzes YAML texts.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::yaml(data));
