//! Benches of the toolgate family; see the `benches` folder.
