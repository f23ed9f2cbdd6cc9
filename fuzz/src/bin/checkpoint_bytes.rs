//! Fuzzes the decoding of stored checkpoints; see `toolgate_fuzz::checkpoint_bytes`.
#![cfg_attr(fuzzing, no_main)]

toolgate_fuzz::target!(toolgate_fuzz::checkpoint_bytes::check);
