//! Fuzzes the reading of CSV files of bars; see `toolgate_fuzz::bars_csv`.
#![cfg_attr(fuzzing, no_main)]

toolgate_fuzz::target!(toolgate_fuzz::bars_csv::check);
