//! The examples of the toolgate family; each is a program beside this folder.
