//! Fuzzes QRP1 documents drawn from bytes; see `toolgate_fuzz::qrp1_round_trip`.
#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(fuzzing, allow(unsafe_code))]

toolgate_fuzz::target!(toolgate_fuzz::qrp1_round_trip::check);
