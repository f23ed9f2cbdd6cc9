//! Fuzzes the reading of plans; see `toolgate_fuzz::plan_json`.
#![cfg_attr(fuzzing, no_main)]
#![cfg_attr(fuzzing, allow(unsafe_code))]

toolgate_fuzz::target!(toolgate_fuzz::plan_json::check);
