//! Run one child inside limits, and say which of them the system enforced.
