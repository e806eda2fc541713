//! Fuzzes the framing of gRPC messages.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::frame(data));
