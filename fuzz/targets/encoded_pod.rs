//! Fuzzes the entry check of pods.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::encoded_pod(data));
