//! Fuzzes the opening of cursors and the reading of view rows; see `toolgate_fuzz::cursor_open`.
#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(fuzzing, allow(unsafe_code))]

toolgate_fuzz::target!(toolgate_fuzz::cursor_open::check);
