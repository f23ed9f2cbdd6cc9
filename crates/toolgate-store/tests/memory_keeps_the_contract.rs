//! The in-memory back end keeps every promise of the contract.

use toolgate_store::conformance::MemoryHarness;

toolgate_store::conformance_tests!(async || MemoryHarness::new());
