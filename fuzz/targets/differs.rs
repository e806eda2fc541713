//! Fuzzes whether masks see the difference of two pods that the bytes decide for.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::differs(data));
