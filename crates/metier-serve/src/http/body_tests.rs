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

#[test]
fn who_says_that_much_will_come_takes_the_room_of_what_came() {
    // U3
    run(async {
        let room = Room::new(MAX_BUFFERED_BYTES);
        let before = room.all.available_permits();
        let who = Who::known("slow");
        let first = Bytes::from_static(&[b'x'; PIECE + 1]);
        let body = Body::new(Endless(Some(first)));
        let mut taking = Box::pin(room.take(&who, request(MAX_MESSAGE_BYTES, body)));
        let mut context = Context::from_waker(Waker::noop());
        assert!(taking.as_mut().poll(&mut context).is_pending());
        assert_eq!(before - room.all.available_permits(), 2);
        drop(taking);
        assert_eq!(room.all.available_permits(), before, "who leaves has nothing");
    });
}

#[test]
fn a_body_is_held_until_it_is_read() {
    // U3
    run(async {
        let room = Room::new(MAX_BUFFERED_BYTES);
        let before = room.all.available_permits();
        let asked = room.take(&Who::default(), request(3, Body::from("abc"))).await.unwrap();
        assert_eq!(before - room.all.available_permits(), 1);
        assert_eq!(axum::body::to_bytes(asked.into_body(), 9).await.unwrap(), "abc");
        assert_eq!(room.all.available_permits(), before);
    });
}

#[test]
fn one_client_cannot_take_the_room_of_all() {
    // U3
    run(async {
        let room = Room::new(MAX_BUFFERED_BYTES);
        let one = room.share(&Who::known("one"));
        let all_of_it = u32::try_from(one.available_permits()).unwrap();
        let _held = one.acquire_many_owned(all_of_it).await.unwrap();
        let mut context = Context::from_waker(Waker::noop());
        let who = Who::known("one");
        let mut more = Box::pin(room.take(&who, request(3, Body::from("abc"))));
        assert!(more.as_mut().poll(&mut context).is_pending());
        for other in [Who::known("two"), Who::default()] {
            assert!(room.take(&other, request(3, Body::from("abc"))).await.is_ok());
        }
    });
}

#[test]
fn what_is_larger_than_a_message_is_refused_whatever_it_says() {
    // U3
    run(async {
        let room = Room::new(MAX_BUFFERED_BYTES);
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
        let room = Room::new(MAX_BUFFERED_BYTES);
        let before = room.all.available_permits();
        let who = Who::known("slow");
        let kept = room.keep(&who, vec![7; 3 * PIECE]).await.unwrap();
        let mut body = Body::from(kept);
        assert_eq!(body.size_hint().exact(), Some(3 * PIECE as u64), "its length is told");
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        let data = frame.unwrap().unwrap().into_data().unwrap();
        drop(body);
        assert_eq!(before - room.all.available_permits(), 3, "a server still writes them");
        drop(data.slice(PIECE..));
        drop(data);
        assert_eq!(room.all.available_permits(), before);
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
