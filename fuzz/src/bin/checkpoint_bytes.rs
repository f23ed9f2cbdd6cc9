//! Fuzzes the decoding of stored checkpoints; see `toolgate_fuzz::checkpoint_bytes`.
#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(fuzzing, allow(unsafe_code))]

toolgate_fuzz::target!(toolgate_fuzz::checkpoint_bytes::check);
