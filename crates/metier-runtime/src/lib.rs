//! One session with skills: activate, guard, read, run, record, replay.
//!
//! Every effect has the same five beats: look up, decide, append the intent, act, append the
//! result. State is only ever applied from events, so a process that dies and starts again sees the
//! same stack. This crate is synchronous and knows neither terminal nor network.

pub mod arguments;
pub mod capability;
pub mod clock;
pub mod event;
pub mod finder;
pub mod journal;
pub mod limits;
pub mod redact;
pub mod replay;
pub mod resolver;
pub mod script;
pub mod session;
pub mod session_name;
pub mod shape;
pub mod state;
pub mod survive;
pub mod telemetry;
pub mod unambiguous;
pub mod wrapper;

pub use capability::{Capability, CapabilityError, Operation, invoke};
pub use clock::{Clock, Moment};
pub use event::Event;
pub use journal::{Frame, Ids, Journal, JournalError};
pub use script::{ScriptCall, ScriptError, ScriptGround, ScriptOutcome};
pub use session::{Activation, ActivationError, Session, Setup};
pub use session_name::{SessionName, SessionNameError};
pub use state::State;
