//! Fuzzes the decoding of stored segments; see `toolgate_fuzz::segment_bytes`.
#![cfg_attr(fuzzing, no_main)]

toolgate_fuzz::target!(toolgate_fuzz::segment_bytes::check);
