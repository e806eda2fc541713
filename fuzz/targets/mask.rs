//! Fuzzes the parser and the compiler of field masks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::mask(data));
