//! Fuzzes counting line by line.
#![cfg_attr(fuzzing, no_main)]

toolgate_fuzz::target!(toolgate_fuzz::token_lines::check);
