//! The recorder with the browser that is installed, on pages on loopback.

mod driven;
mod ends;
mod pages;
mod support;
