use std::error::Error as _;

use rmcp::service::ServerInitializeError;

use super::ServeError;

#[test]
fn each_end_of_serving_says_what_happened() {
    // U2
    let runtime = ServeError::Runtime(std::io::Error::other("no threads"));
    assert_eq!(runtime.source().unwrap().to_string(), "no threads");
    let handshake = ServeError::Handshake(Box::new(ServerInitializeError::Cancelled));
    assert!(handshake.to_string().contains("did not begin"));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let stopped = runtime.block_on(async {
        let task = tokio::spawn(std::future::pending::<()>());
        task.abort();
        task.await.unwrap_err()
    });
    assert_eq!(ServeError::Stopped(stopped).to_string(), "the server stopped");
}
