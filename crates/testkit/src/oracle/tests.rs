//! Tests of the oracle on hand-written traces: each rule fires where it must, and not in a near
//! miss.

mod android;
mod asyncclock;
mod coverage;
mod event;
mod eventracer_android;
mod facts;
mod mini;
mod races;
mod threads;
mod web;
