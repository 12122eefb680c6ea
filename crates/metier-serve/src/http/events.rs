//! A session's journal as server-sent events: each frame once, in order, from the one after
//! `Last-Event-ID` on, and on as it grows. The event's id is the frame's number in its session.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use http_body::Frame as Part;
use metier_runtime::Frame;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{sleep, timeout};

use super::calls::place;
use super::desks::Place;
use super::problem::Problem;
use super::routes::Api;
use crate::aside::aside;
use crate::desk::Tail;
use crate::limits::WRITE_TIME;
use crate::who::Who;

/// How often a journal is looked at. Short enough for a person to call it at once.
const PAUSE: Duration = Duration::from_millis(100);

/// Looks without anything new after which a client hears that it is still connected.
const QUIET: u32 = 150;

/// Events that wait for a slow client before the journal is not read on.
const QUEUE: usize = 16;

/// `GET /v1/events/stream`.
pub(super) async fn stream(
    State(api): State<Arc<Api>>,
    Extension(who): Extension<Who>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let place = place(&who, &headers, &api)?;
    follow(api, place, &headers).await
}

/// `GET /v1/sessions/SESSION/events/stream`.
pub(super) async fn stream_in(
    State(api): State<Arc<Api>>,
    Extension(who): Extension<Who>,
    Path(session): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let place = Place::of(&*api.host, &who, &session)?;
    follow(api, place, &headers).await
}

async fn follow(api: Arc<Api>, place: Place, headers: &HeaderMap) -> Result<Response, Problem> {
    let after = after(headers)?;
    let seat = api.streams.try_take(&place.who.known)?;
    let host = Arc::clone(&api.host);
    let tail = aside(move || host.tail(&place.client())).await?;
    let tail = tail.map_err(|error| Problem::from(&error))?;
    let (sender, receiver) = channel(QUEUE);
    tokio::spawn(async move {
        let _seat = seat;
        let _open = api.numbers.stream();
        tell(&api, tail, after, &sender).await;
    });
    let mut response = Body::new(Queue(receiver)).into_response();
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

/// The number of the last frame the client has; none when it has none.
fn after(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    number.map(Some).ok_or_else(|| Problem::bad_request("`Last-Event-ID` is a frame's number"))
}

/// Sends frames until the client is gone, the journal is broken or the server has stopped.
async fn tell(api: &Api, mut tail: Box<dyn Tail>, after: Option<u64>, client: &Sender<Bytes>) {
    if !send(client, "retry: 1000\n\n".to_owned()).await {
        return;
    }
    let mut quiet = 0;
    loop {
        // Looked at first, so that what was written before the end is still told: a server that stops
        // lets those inside finish, and what they did is recorded last of all.
        let over = api.stop.is_stopping() && api.is_at_rest();
        let Ok((kept, read)) = aside(move || {
            let read = tail.next();
            (tail, read)
        })
        .await
        else {
            return;
        };
        tail = kept;
        let frames = match read {
            Ok(frames) => frames,
            Err(error) => {
                let message =
                    serde_json::json!({ "code": "journal_refused", "message": error.to_string() });
                send(client, format!("event: error\ndata: {message}\n\n")).await;
                return;
            }
        };
        quiet = if frames.is_empty() { quiet + 1 } else { 0 };
        let idle = frames.is_empty();
        for frame in frames.iter().filter(|frame| after.is_none_or(|after| frame.seq > after)) {
            if !send(client, event(frame)).await {
                return;
            }
        }
        if idle && over {
            return;
        }
        if quiet >= QUIET {
            quiet = 0;
            if !send(client, ":\n\n".to_owned()).await {
                return;
            }
        }
        if idle {
            tokio::select! {
                () = sleep(PAUSE) => {}
                () = client.closed() => return,
            }
        }
    }
}

/// One frame as an event. JSON has no line breaks of its own.
fn event(frame: &Frame) -> String {
    format!("id: {}\nevent: frame\ndata: {}\n\n", frame.seq, frame.to_json())
}

/// Whether the client took it, in the time a client may take.
async fn send(client: &Sender<Bytes>, text: String) -> bool {
    matches!(timeout(WRITE_TIME, client.send(text.into())).await, Ok(Ok(())))
}

/// A body that is written while it is sent.
struct Queue(Receiver<Bytes>);

impl HttpBody for Queue {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Part<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Part::data(bytes))))
    }
}
