//! The live layer through its public surface: a scripted server in this process, real processes under a real guard.

mod diagnostics;
mod instance;
mod look;
mod pool;
mod rename;
mod rpc;
mod silence;
mod support;
