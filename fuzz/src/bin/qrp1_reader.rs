//! Fuzzes the QRP1 reader; see `toolgate_fuzz::qrp1_reader`.
#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(fuzzing, allow(unsafe_code))]

toolgate_fuzz::target!(toolgate_fuzz::qrp1_reader::check);
