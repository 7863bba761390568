//! Tests of the recorder with the installed browser, on pages served on loopback.

#![cfg(target_os = "linux")]

mod driven;
mod ends;
mod local;
mod pages;
mod replays;
mod support;
mod tabs;
mod visits;
mod workers;
