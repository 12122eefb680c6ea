//! Telling clients that something changed: the lists, to whoever said they had begun or listens, and
//! single resources, to whoever subscribed. A client hears of changes in its own catalog only.

use std::sync::Arc;

use metier_store::Catalog;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, RequestContext, SubscriptionContext};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::subscriptions::{self, INTERVAL, Subscriptions};
use super::{ATTENTION, Server, Service, shown};
use crate::aside::aside;
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

impl Server {
    /// From now on the client hears when its lists change.
    pub(super) fn tell_of_changes(&self, peer: Peer<RoleServer>) {
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
        let subscribed = Arc::clone(&self.subscriptions);
        let begins = self.look(context, move |service, catalog| {
            let stamp = subscriptions::stamp(&uri, catalog, service.store());
            subscribed.add(&uri, stamp)
        });
        if begins.await?? {
            let (service, who) = (Arc::clone(&self.service), self.asker(context));
            let known = Arc::clone(&self.subscriptions);
            tokio::spawn(tell_subscriber(service, who, known, context.peer.clone()));
        }
        Ok(())
    }

    /// Tells a client without a handshake what it listens for, until it does no more.
    pub(super) async fn tell_listener(
        &self,
        context: SubscriptionContext,
    ) -> Result<(), ErrorData> {
        let listeners = Arc::clone(&self.service.listeners);
        let Ok(_seat) = listeners.try_acquire_owned() else {
            return Err(ErrorData::internal_error("too many listen here; try again", None));
        };
        let (service, who) = (Arc::clone(&self.service), self.asker(context.request_context()));
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let looks = !uris.is_empty();
        let mut changes = service.changes.subscribe();
        let mut known = aside(move || Listener::of(&service, who, &uris)).await?;
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
        let resources = Subscriptions::of(uris, &lists.catalog, service.store());
        Self { lists, resources }
    }

    fn look(mut self, lists: bool) -> (Self, News) {
        let lists = lists && self.lists.changed();
        let catalog = self.lists.service.host.catalog(&self.lists.who);
        let resources = self.resources.changed(&catalog, self.lists.service.store());
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

/// Tells a client with a handshake of its resources, until it has none or is gone.
async fn tell_subscriber(
    service: Arc<Service>,
    who: Who,
    known: Arc<Subscriptions>,
    peer: Peer<RoleServer>,
) {
    loop {
        tokio::time::sleep(INTERVAL).await;
        if peer.is_transport_closed() {
            return;
        }
        let (service, who, known) = (Arc::clone(&service), who.clone(), Arc::clone(&known));
        let look = move || known.changed(&service.host.catalog(&who), service.store());
        let Ok(Some(changed)) = aside(look).await else { return };
        for uri in changed {
            let told = ResourceUpdatedNotificationParam::new(uri);
            let _ = peer.notify_resource_updated(told).await;
        }
    }
}
