//! What a client is told when it does not get what it asked for: a status, and the same code and
//! sentence as on every other surface.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use metier_format::text::visible;
use metier_runtime::{CapabilityError, JournalError};
use serde_json::{Value, json};

use super::routes::Verb;
use crate::aside::Broke;
use crate::dialect::written;
use crate::turns::Busy;
use crate::who::NotYours;

/// Why a request was not answered as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    pub(super) code: &'static str,
    pub(super) message: String,
}

/// The status of each code an operation fails with; what is not named is the client's fault and
/// could not be done.
const STATUS: &[(StatusCode, &[&str])] = &[
    (StatusCode::BAD_REQUEST, &["invalid_arguments", "invalid_path"]),
    (
        StatusCode::FORBIDDEN,
        &[
            "skill_not_trusted",
            "skill_hidden",
            "skill_out_of_scope",
            "skill_not_for_models",
            "skill_not_for_users",
            "skill_denied",
            "read_denied",
            "permission_denied",
        ],
    ),
    (StatusCode::NOT_FOUND, &["skill_not_found", "file_not_found", "not_found", "invalid_name"]),
    (
        StatusCode::CONFLICT,
        &[
            "skill_ambiguous",
            "skill_already_active",
            "skill_outdated",
            "skill_not_active",
            "skill_stack_violation",
            "skill_stack_full",
            "cancelled",
        ],
    ),
    (
        StatusCode::PAYLOAD_TOO_LARGE,
        &["skill_arguments_too_large", "args_too_large", "file_too_large"],
    ),
    (StatusCode::SERVICE_UNAVAILABLE, &["journal_refused", "busy"]),
];

/// The status that goes with `code`.
pub(super) fn status(code: &str) -> StatusCode {
    let row = STATUS.iter().find(|(_, codes)| codes.contains(&code));
    row.map_or(StatusCode::UNPROCESSABLE_ENTITY, |(status, _)| *status)
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    pub(super) fn forbidden(code: &'static str, message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    pub(super) fn unauthorized(message: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    pub(super) fn not_found(message: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "no_such_route", message)
    }

    /// It is asked in one of these ways, and in no other.
    pub(super) fn wrong_method(verbs: &[Verb]) -> Self {
        let ways: Vec<String> = verbs.iter().map(|verb| format!("`{}`", verb.as_str())).collect();
        let message = format!("this is asked with {}", ways.join(" or "));
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", message)
    }

    pub(super) fn wrong_type() -> Self {
        let message = "the body has to be `application/json`";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "wrong_type", message)
    }

    pub(super) fn too_large(most: usize) -> Self {
        let message = format!("the body has more than {most} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    pub(super) fn too_slow() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "too_slow", "the body took too long")
    }

    pub(super) fn busy() -> Self {
        Busy.into()
    }

    /// A failure that has a code on every surface.
    pub(super) fn of(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(status(code), code, message)
    }
}

impl From<&CapabilityError> for Problem {
    fn from(error: &CapabilityError) -> Self {
        Self::of(error.code(), error.sentence())
    }
}

impl From<&JournalError> for Problem {
    fn from(error: &JournalError) -> Self {
        Self::of("journal_refused", error.to_string())
    }
}

impl From<Busy> for Problem {
    fn from(busy: Busy) -> Self {
        Self::of("busy", busy.to_string())
    }
}

impl From<Broke> for Problem {
    fn from(broke: Broke) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "bug", broke.to_string())
    }
}

impl From<NotYours> for Problem {
    fn from(why: NotYours) -> Self {
        match why {
            NotYours::Invalid(message) => Self::bad_request(message),
            NotYours::Agents | NotYours::Section => Self::forbidden(why.code(), &why.to_string()),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = json!({ "error": { "code": self.code, "message": visible(&self.message) } });
        let mut response = answer(self.status, &body);
        let headers = response.headers_mut();
        match self.status {
            StatusCode::UNAUTHORIZED => {
                let how = HeaderValue::from_static("Bearer realm=\"metier\"");
                headers.insert(header::WWW_AUTHENTICATE, how);
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}

/// An answer in JSON. A program reads what is in `body`, and a terminal has nothing to obey.
pub(super) fn answer(status: StatusCode, body: &Value) -> Response {
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    (status, [kind], written(body)).into_response()
}

#[cfg(test)]
#[path = "problem_tests.rs"]
mod tests;
