//! The page a person sees who opens the server's address: what is here. It has no script and loads
//! nothing.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use metier_runtime::Capability;

const CONTENT_SECURITY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
                                frame-ancestors 'none'";

/// `GET /`.
pub(super) async fn show() -> Response {
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    let secure = HeaderValue::from_static(CONTENT_SECURITY);
    let headers = [(header::CONTENT_TYPE, html), (header::CONTENT_SECURITY_POLICY, secure)];
    (headers, text()).into_response()
}

fn text() -> String {
    let row = |capability: &Capability| {
        let (name, description) = (capability.name, escaped(capability.description));
        format!("<tr><td><code>POST /v1/{name}</code></td><td>{description}</td></tr>\n")
    };
    let rows: String = Capability::ALL.iter().map(row).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>metier</title>\n\
         <style>body{{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}}\
         td{{padding:.2em 1em .2em 0;vertical-align:top}}</style>\n\
         <h1>metier {}</h1>\n<p>Agent Skills over HTTP. <a href=\"/openapi.json\">The interface\
         </a>, <a href=\"/metrics\">numbers</a>, <a href=\"/health\">health</a>, <a \
         href=\"/v1/events/stream\">events</a>. MCP is on <code>/mcp</code>.</p>\n\
         <table>\n{rows}</table>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
