//! What a client hears while a script runs, and how it stops it.

use std::time::Duration;

use metier_sandbox::Cancel;

use super::sdk::{ProgressNotificationParam, RequestContext, RoleServer};
use crate::runs::Ends;

/// How often the client hears that a script still runs. Clients that wait for a minute and give up
/// start their minute again.
const INTERVAL: Duration = Duration::from_secs(1);

/// Waits for `running`. Meanwhile the client is told that it goes on, when it asked to be; when it
/// cancels its request, or is gone, `switch` is thrown and what runs is ended.
pub(super) async fn accompany<T>(
    context: &RequestContext<RoleServer>,
    switch: Cancel,
    running: impl Future<Output = T>,
) -> T {
    // Dropping this future is how the SDK tells that nobody waits any more.
    let _ends = Ends(switch.clone());
    let token = context.meta.get_progress_token();
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.tick().await;
    let mut seconds = 0.0;
    tokio::pin!(running);
    loop {
        tokio::select! {
            done = &mut running => return done,
            () = context.ct.cancelled() => {
                switch.cancel();
                return running.await;
            }
            _ = ticks.tick() => {
                seconds += INTERVAL.as_secs_f64();
                if let Some(token) = &token {
                    let note = ProgressNotificationParam::new(token.clone(), seconds);
                    let note = note.with_message("the script is running");
                    // A client that is gone is told nothing, and nobody says when that was.
                    tokio::select! {
                        done = &mut running => return done,
                        _ = context.peer.notify_progress(note) => {}
                    }
                }
            }
        }
    }
}
