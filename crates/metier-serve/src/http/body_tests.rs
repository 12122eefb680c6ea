use std::task::Waker;

use axum::http::StatusCode;

use super::*;
use crate::limits::MAX_BUFFERED_BYTES;

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

/// A body that brings `first` and then nothing more, without an end.
struct Endless(Option<Bytes>);

impl HttpBody for Endless {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.0.take() {
            Some(first) => Poll::Ready(Some(Ok(Frame::data(first)))),
            None => Poll::Pending,
        }
    }
}

fn request(length: usize, body: Body) -> Request {
    Request::builder().header(header::CONTENT_LENGTH, length).body(body).unwrap()
}

/// The room for all bodies, where clients are known apart.
fn room() -> Room {
    Room::new(MAX_BUFFERED_BYTES, true)
}

/// Begins to take a body that says it has `told` bytes and of which `came` come.
fn begun<'r>(
    room: &'r Room,
    who: &'r Who,
    (told, came): (usize, usize),
) -> Pin<Box<impl Future<Output = Result<Request, Problem>> + 'r>> {
    let body = Body::new(Endless(Some(vec![b'x'; came].into())));
    let mut taking = Box::pin(room.take(who, request(told, body)));
    assert!(taking.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    taking
}

#[test]
fn who_says_that_much_will_come_gets_room_when_it_comes_and_then_for_all_of_it() {
    // U3
    run(async {
        let room = room();
        let before = room.0.left();
        let who = Who::known("slow");
        let small = begun(&room, &who, (MAX_MESSAGE_BYTES, LARGE_MESSAGE));
        assert_eq!(room.0.left(), before, "to say so is nothing");
        let large = begun(&room, &who, (MAX_MESSAGE_BYTES, LARGE_MESSAGE + 1));
        assert_eq!(before - room.0.left(), MAX_MESSAGE_BYTES / PIECE, "it never has to wait again");
        drop((small, large));
        assert_eq!(room.0.left(), before, "who leaves has nothing");
    });
}

#[test]
fn bodies_that_wait_for_room_have_none_and_small_ones_never_wait() {
    // U3, F4
    run(async {
        let room = room();
        let who = Who::known("many");
        let share = MAX_BUFFERED_BYTES / 4 / MAX_MESSAGE_BYTES;
        // More than the client has room for, each with most of its bytes there.
        let mut slow: Vec<_> = (0..2 * share)
            .map(|_| begun(&room, &who, (MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES - 1)))
            .collect();
        let held = MAX_BUFFERED_BYTES / PIECE - room.0.left();
        assert_eq!(held, share * MAX_MESSAGE_BYTES / PIECE, "those who have it have all of it");
        let small = vec![b'x'; LARGE_MESSAGE];
        let asked = room.take(&who, request(LARGE_MESSAGE, Body::from(small))).await;
        assert!(asked.is_ok(), "what is small comes through");
        let waiting = slow.split_off(share);
        drop(slow);
        let mut context = Context::from_waker(Waker::noop());
        for mut next in waiting {
            assert!(next.as_mut().poll(&mut context).is_pending());
        }
        assert_eq!(room.0.left(), MAX_BUFFERED_BYTES / PIECE);
    });
}

#[test]
fn a_large_body_is_held_until_it_is_read_and_has_no_more_room_than_it_needs() {
    // U3
    run(async {
        let room = room();
        let before = room.0.left();
        let large = vec![b'x'; 3 * LARGE_MESSAGE];
        let unsaid = Request::builder().body(Body::from(large.clone())).unwrap();
        for asked in [request(large.len(), Body::from(large.clone())), unsaid] {
            let asked = room.take(&Who::default(), asked).await.unwrap();
            assert_eq!(before - room.0.left(), large.len() / PIECE);
            assert_eq!(axum::body::to_bytes(asked.into_body(), large.len()).await.unwrap(), large);
            assert_eq!(room.0.left(), before);
        }
    });
}

#[test]
fn one_client_cannot_take_the_room_of_all() {
    // U3
    run(async {
        let room = room();
        let who = Who::known("one");
        let now = Instant::now();
        let _held = room.0.take(&who.known, usize::MAX, now).await.unwrap();
        let large = || Body::from(vec![b'x'; LARGE_MESSAGE + 1]);
        let mut context = Context::from_waker(Waker::noop());
        let mut more = Box::pin(room.take(&who, request(LARGE_MESSAGE + 1, large())));
        assert!(more.as_mut().poll(&mut context).is_pending());
        for other in [Who::known("two"), Who::default()] {
            assert!(room.take(&other, request(LARGE_MESSAGE + 1, large())).await.is_ok());
        }
    });
}

#[test]
fn what_is_larger_than_a_message_is_refused_whatever_it_says() {
    // U3
    run(async {
        let room = room();
        let large = Body::from(vec![0; MAX_MESSAGE_BYTES + 1]);
        let unsaid = Request::builder().body(large).unwrap();
        for asked in [request(MAX_MESSAGE_BYTES + 1, Body::from("x")), unsaid] {
            let problem = room.take(&Who::default(), asked).await.unwrap_err();
            let status = axum::response::IntoResponse::into_response(problem).status();
            assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
        }
    });
}

#[test]
fn an_answer_has_room_until_the_last_of_its_bytes_is_gone() {
    // U3
    run(async {
        let room = room();
        let before = room.0.left();
        let who = Who::known("slow");
        let kept = room.keep(&who, vec![7; 3 * PIECE]).await.unwrap();
        let mut body = Body::from(kept);
        assert_eq!(body.size_hint().exact(), Some(3 * PIECE as u64), "its length is told");
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        let data = frame.unwrap().unwrap().into_data().unwrap();
        drop(body);
        assert_eq!(before - room.0.left(), 3, "a server still writes them");
        drop(data.slice(PIECE..));
        drop(data);
        assert_eq!(room.0.left(), before);
        let large = room.keep(&who, vec![7; MAX_BUFFERED_BYTES]).await;
        assert_eq!(large.unwrap().len(), MAX_BUFFERED_BYTES, "nothing is too large for ever");
        let held = room.keep(&who, vec![7; MAX_BUFFERED_BYTES]).await.unwrap();
        let mut context = Context::from_waker(Waker::noop());
        let mut more = Box::pin(room.keep(&who, vec![7]));
        assert!(more.as_mut().poll(&mut context).is_pending(), "one client has its share");
        assert!(room.keep(&Who::known("other"), vec![7]).await.is_ok());
        drop(held);
        assert!(more.await.is_ok());
    });
}
