//! Fuzzes the restoring of kernels and runs; see `toolgate_fuzz::kernel_state`.
#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(fuzzing, allow(unsafe_code))]

toolgate_fuzz::target!(toolgate_fuzz::kernel_state::check);
