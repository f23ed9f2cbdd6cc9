//! Fuzzes the reading of CSV files of bars; see `toolgate_fuzz::bars_csv`.
#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(fuzzing, allow(unsafe_code))]

toolgate_fuzz::target!(toolgate_fuzz::bars_csv::check);
