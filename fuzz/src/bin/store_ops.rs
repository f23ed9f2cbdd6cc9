//! Fuzzes histories of operations on the in-memory store; see `toolgate_fuzz::store_ops`.
#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(fuzzing, allow(unsafe_code))]

toolgate_fuzz::target!(toolgate_fuzz::store_ops::check);
