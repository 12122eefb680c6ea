//! May this tool call happen? A pure answer from policy, active skills and the call.
