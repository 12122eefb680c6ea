use std::io::ErrorKind;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::Timed;

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

#[test]
fn a_client_that_does_not_read_is_left_alone() {
    // U3
    run(async {
        let (near, far) = tokio::io::duplex(8);
        let mut near = Timed::new(near, Duration::from_millis(20));
        let error = near.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        drop(far);
    });
}

#[test]
fn a_client_that_reads_slowly_gets_everything() {
    // U3
    run(async {
        let (near, mut far) = tokio::io::duplex(8);
        let mut near = Timed::new(near, Duration::from_secs(60));
        let wrote = tokio::spawn(async move {
            near.write_all(&[7; 64]).await.unwrap();
            near.flush().await.unwrap();
            near.shutdown().await.unwrap();
        });
        let mut all = Vec::new();
        far.read_to_end(&mut all).await.unwrap();
        wrote.await.unwrap();
        assert_eq!(all, [7; 64]);
    });
}
