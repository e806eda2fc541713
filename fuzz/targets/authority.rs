//! Fuzzes the filter of client frames in front of h2.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::authority(data));
