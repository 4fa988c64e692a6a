//! What is read from C++ only.
