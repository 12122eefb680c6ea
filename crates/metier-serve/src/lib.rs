//! Sessions as others see them.
