//! Telling clients that something changed: the lists, to whoever said they had begun or listens, and
//! single resources, to whoever subscribed. A client hears of changes in its own catalog only.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use axum::http::request::Parts;
use metier_store::Catalog;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::sdk::{
    ErrorData, HEADER_SESSION_ID, Peer, RequestContext, ResourceUpdatedNotificationParam,
    RoleServer, SubscriptionContext,
};
use super::subscriptions::{self, INTERVAL, Sight, Subscriptions};
use super::{ATTENTION, Server, Service, shown};
use crate::aside::aside;
use crate::limits::MAX_LISTENERS;
use crate::who::Who;

/// The catalog a client knows of.
struct Known {
    service: Arc<Service>,
    who: Who,
    catalog: Arc<Catalog>,
}

impl Known {
    fn of(service: &Arc<Service>, who: Who) -> Self {
        let catalog = service.host.catalog(&who);
        Self { service: Arc::clone(service), who, catalog }
    }

    /// Whether the catalog has changed for this client since it was last asked.
    fn changed(&mut self) -> bool {
        let now = self.service.host.catalog(&self.who);
        let before = std::mem::replace(&mut self.catalog, now);
        !before.diff(&self.catalog).is_empty()
    }
}

impl Service {
    fn sight<'a>(&'a self, who: &'a Who, catalog: &'a Catalog) -> Sight<'a> {
        Sight { who, catalog, store: self.store(), shared: &self.index_stamps }
    }
}

/// What a client without a handshake could know when it was told that it is listened to: whatever
/// changes from then on it hears of.
pub(super) struct Accepted {
    changes: watch::Receiver<u64>,
    catalog: Arc<Catalog>,
}

impl Server {
    /// Notes what a client that is about to listen can know.
    pub(super) fn accept(&self) {
        let changes = self.service.changes.subscribe();
        let catalog = self.service.host.catalog(&self.who(None));
        // A panic elsewhere left one in it or not.
        let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        accepted.push_back(Accepted { changes, catalog });
        if accepted.len() > MAX_LISTENERS {
            accepted.pop_front();
        }
    }

    fn accepted(&self) -> Option<Accepted> {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// From now on the client hears when its lists change, once, however often it says that it began.
    pub(super) fn tell_of_changes(&self, peer: Peer<RoleServer>) {
        if self.hears.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut changes = self.service.changes.subscribe();
        let follows = self.service.dialect.follows_catalog();
        let log = Arc::clone(&self.log);
        let name = peer.peer_info().map(|info| info.client_info.name.clone());
        let (service, who) = (Arc::clone(&self.service), self.who(name.as_deref()));
        tokio::spawn(async move {
            let Ok(mut known) = aside(move || Known::of(&service, who)).await else { return };
            while change(&mut changes, &peer).await {
                let looked = aside(move || (known.changed(), known)).await;
                let Ok((changed, kept)) = looked else { return };
                known = kept;
                if !changed {
                    continue;
                }
                log.info(&peer, "the skills have changed").await;
                if follows {
                    let _ = peer.notify_tool_list_changed().await;
                }
                let _ = peer.notify_prompt_list_changed().await;
                let _ = peer.notify_resource_list_changed().await;
            }
        });
    }

    /// From now on the client hears when the resource at `uri` changes.
    pub(super) async fn begin_subscription(
        &self,
        uri: String,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !subscriptions::is_ours(&uri) {
            let data = Some(json!({ "uri": shown(&uri) }));
            return Err(ErrorData::resource_not_found("no resource has such an address", data));
        }
        let (subscribed, who) = (Arc::clone(&self.subscriptions), self.asker(context));
        let begins = self.look(context, move |service, catalog| {
            let stamp = subscriptions::stamp(&uri, service.sight(&who, catalog));
            subscribed.add(&uri, stamp)
        });
        if begins.await?? {
            let subscriber = Subscriber {
                service: Arc::clone(&self.service),
                who: self.asker(context),
                known: Arc::clone(&self.subscriptions),
                session: session(context),
            };
            tokio::spawn(tell_subscriber(Arc::new(subscriber), context.peer.clone()));
        }
        Ok(())
    }

    /// Tells a client without a handshake what it listens for, until it does no more.
    pub(super) async fn tell_listener(
        &self,
        context: SubscriptionContext,
    ) -> Result<(), ErrorData> {
        let Ok(_seat) = self.service.listeners.try_take(&self.guest.section) else {
            return Err(ErrorData::internal_error("too many listen here; try again", None));
        };
        let (service, who) = (Arc::clone(&self.service), self.asker(context.request_context()));
        let accepted = self.accepted();
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let looks = !uris.is_empty();
        let mut changes = service.changes.subscribe();
        let mut known = aside(move || Listener::of(&service, who, &uris)).await?;
        if let Some(accepted) = accepted {
            changes = accepted.changes;
            known.lists.catalog = accepted.catalog;
        }
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let lists = tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => match changed {
                    Ok(()) => true,
                    Err(_) => return Ok(()),
                },
                _ = ticks.tick(), if looks => false,
            };
            let (kept, news) = aside(move || known.look(lists)).await?;
            known = kept;
            tell(&context, news).await;
        }
    }
}

/// Waits for the next change of the catalog. False when nobody is left to be told; that is looked at
/// in intervals, so that a client that is gone is forgotten although nothing changes.
async fn change(changes: &mut watch::Receiver<u64>, peer: &Peer<RoleServer>) -> bool {
    loop {
        let changed = timeout(ATTENTION, changes.changed()).await;
        if peer.is_transport_closed() {
            return false;
        }
        if let Ok(changed) = changed {
            return changed.is_ok();
        }
    }
}

/// What a client without a handshake knows.
struct Listener {
    lists: Known,
    resources: Subscriptions,
}

/// What it does not know yet.
struct News {
    lists: bool,
    resources: Vec<String>,
}

impl Listener {
    fn of(service: &Arc<Service>, who: Who, uris: &[String]) -> Self {
        let lists = Known::of(service, who);
        let sight = service.sight(&lists.who, &lists.catalog);
        let resources = Subscriptions::of(uris, sight);
        Self { lists, resources }
    }

    fn look(mut self, lists: bool) -> (Self, News) {
        let lists = lists && self.lists.changed();
        let Known { service, who, .. } = &self.lists;
        let resources = self.resources.changed(service.sight(who, &service.host.catalog(who)));
        (self, News { lists, resources: resources.unwrap_or_default() })
    }
}

/// A client that does not read any more cancels sooner or later, so failing to tell it is nothing.
async fn tell(context: &SubscriptionContext, news: News) {
    let (sink, accepted) = (context.sink(), context.accepted());
    let wants = |wanted: Option<bool>| news.lists && wanted.unwrap_or(false);
    if wants(accepted.tools_list_changed) {
        let _ = sink.notify_tool_list_changed().await;
    }
    if wants(accepted.prompts_list_changed) {
        let _ = sink.notify_prompt_list_changed().await;
    }
    if wants(accepted.resources_list_changed) {
        let _ = sink.notify_resource_list_changed().await;
    }
    for uri in news.resources {
        let _ = sink.notify_resource_updated(uri).await;
    }
}

/// A client with a handshake that subscribed to resources.
struct Subscriber {
    service: Arc<Service>,
    who: Who,
    known: Arc<Subscriptions>,
    /// Its session over HTTP, where it hears nothing without a stream.
    session: Option<String>,
}

impl Subscriber {
    /// What is to be told now; none when nobody has to look any more. For who does not listen nothing
    /// is looked at: what changes meanwhile has changed when they do.
    async fn look(self: Arc<Self>) -> Option<Vec<String>> {
        if self.session.as_ref().is_some_and(|session| !self.service.streams.is_open(session)) {
            return Some(Vec::new());
        }
        let look = move || {
            let catalog = self.service.host.catalog(&self.who);
            self.known.changed(self.service.sight(&self.who, &catalog))
        };
        aside(look).await.ok()?
    }
}

/// The session over HTTP that a request belongs to.
fn session(context: &RequestContext<RoleServer>) -> Option<String> {
    let parts = context.extensions.get::<Parts>()?;
    parts.headers.get(HEADER_SESSION_ID)?.to_str().ok().map(str::to_owned)
}

/// Tells a client with a handshake of its resources, until it has none or is gone.
async fn tell_subscriber(subscriber: Arc<Subscriber>, peer: Peer<RoleServer>) {
    loop {
        tokio::time::sleep(INTERVAL).await;
        if peer.is_transport_closed() {
            return;
        }
        let Some(changed) = Arc::clone(&subscriber).look().await else { return };
        for uri in changed {
            let told = ResourceUpdatedNotificationParam::new(uri);
            let _ = peer.notify_resource_updated(told).await;
        }
    }
}

#[cfg(test)]
#[path = "news_tests.rs"]
mod tests;
