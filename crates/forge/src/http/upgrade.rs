//! The handshake of a WebSocket, and the socket after it.
//!
//! Forge speaks WebSocket by tungstenite itself, because axum's own socket cannot send a message in pieces.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::problem::Problem;

/// Clients have nothing to say here.
const MOST_RECEIVED: usize = 64 * 1024;
/// The subprotocol that clients may ask for.
const PROTOCOL: &str = "forge";

/// A WebSocket that is open.
pub(super) type OpenSocket = WebSocketStream<TokioIo<Upgraded>>;

/// A request that asks for a WebSocket.
pub(super) struct UpgradeRequest {
    key: HeaderValue,
    has_protocol: bool,
    on_upgrade: OnUpgrade,
}

impl<S: Send + Sync> FromRequestParts<S> for UpgradeRequest {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let headers = &parts.headers;
        let is_upgrade = parts.method == Method::GET
            && names(headers, header::CONNECTION, "upgrade")
            && names(headers, header::UPGRADE, "websocket");
        let key = headers.get(header::SEC_WEBSOCKET_KEY).cloned();
        let (true, Some(key)) = (is_upgrade, key) else {
            return Err(refused(StatusCode::BAD_REQUEST));
        };
        if headers.get(header::SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
            return Err(refused(StatusCode::BAD_REQUEST));
        }
        let has_protocol = names(headers, header::SEC_WEBSOCKET_PROTOCOL, PROTOCOL);
        let on_upgrade = parts.extensions.remove::<OnUpgrade>();
        let on_upgrade = on_upgrade.ok_or_else(|| refused(StatusCode::UPGRADE_REQUIRED))?;
        Ok(Self { key, has_protocol, on_upgrade })
    }
}

impl UpgradeRequest {
    /// Accepts the upgrade. The future ends with the open socket, or with none when the client has gone.
    pub(super) fn accept(self) -> Result<(Response, impl Future<Output = Option<OpenSocket>>), Problem> {
        let accept = HeaderValue::from_str(&derive_accept_key(self.key.as_bytes()));
        let mut response = StatusCode::SWITCHING_PROTOCOLS.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept.map_err(Problem::internal)?);
        if self.has_protocol {
            headers.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
        }
        let socket = async move {
            let upgraded = TokioIo::new(self.on_upgrade.await.ok()?);
            let config = WebSocketConfig::default()
                .max_message_size(Some(MOST_RECEIVED))
                .max_frame_size(Some(MOST_RECEIVED));
            Some(WebSocketStream::from_raw_socket(upgraded, Role::Server, Some(config)).await)
        };
        Ok((response, socket))
    }
}

/// Whether a comma-separated header names this word.
fn names(headers: &HeaderMap, header: header::HeaderName, word: &str) -> bool {
    let values = headers.get_all(header).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|name| name.trim().eq_ignore_ascii_case(word))
}

fn refused(status: StatusCode) -> Problem {
    Problem::new(status, "websocket_expected", "this path is read over a WebSocket")
        .hint("open this path with a WebSocket client, at ws:// in place of http://")
}
