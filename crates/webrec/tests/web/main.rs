//! The recorder with the browser that is installed, on pages on loopback.

#![cfg(target_os = "linux")]

mod driven;
mod ends;
mod local;
mod pages;
mod support;
