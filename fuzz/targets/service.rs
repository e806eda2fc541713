//! Fuzzes the service beside its model.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podsapi_tests::entry::service(data));
