//! Fuzzes the decoding of stored segments; see `toolgate_fuzz::segment_bytes`.
#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(fuzzing, allow(unsafe_code))]

toolgate_fuzz::target!(toolgate_fuzz::segment_bytes::check);
