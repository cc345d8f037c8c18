//! Who may call. Being on this machine is not enough: every web page a person opens runs on it too. So a request
//! must name us as its host (a rebound DNS name does not), must not come from a page of another site, and must
//! carry the token where one is required.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::Connection;
use super::problem::{Problem, only};
use crate::config::Config;
use crate::token::Token;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Browsers cannot set headers on a WebSocket, but can offer protocols: `forge` and this one with the token.
const TOKEN_PROTOCOL: &str = "forge.token.";

/// What is told without the token: that the server is there, and that it wants one.
const OPEN: [&str; 3] = ["/health", "/api/forge/auth-required", "/docs"];

/// What is checked against.
pub(crate) struct Guard {
    port: u16,
    bound: IpAddr,
    hosts: Vec<String>,
    origins: Vec<String>,
    token: Option<Token>,
}

/// A host with its port, as a header or an origin spells it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Authority {
    host: String,
    port: u16,
}

impl Authority {
    /// Reads `localhost:8887`, `[::1]:8887`, `forge.example`. A port consists of digits only, and nothing but a port
    /// follows an address in brackets.
    fn parse(text: &str) -> Option<Self> {
        let uri: axum::http::uri::Authority = text.parse().ok()?;
        let end =
            if text.starts_with('[') { text.find(']')? + 1 } else { text.find(':').unwrap_or(text.len()) };
        let (host, rest) = text.split_at(end);
        if host.is_empty() || host != uri.host() {
            return None;
        }
        let port = match rest.strip_prefix(':') {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok()?,
            None if rest.is_empty() => 80,
            _ => return None,
        };
        Some(Self { host: host.to_ascii_lowercase(), port })
    }

    fn ip(&self) -> Option<IpAddr> {
        self.host.trim_start_matches('[').trim_end_matches(']').parse().ok()
    }

    fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.ip().is_some_and(|ip| ip.is_loopback())
    }
}

impl Guard {
    /// A guard for a server that listens on `address`.
    pub(crate) fn new(address: SocketAddr, config: &Config, token: Option<Token>) -> Self {
        Self {
            port: address.port(),
            bound: address.ip(),
            hosts: config.allow_hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            origins: config.allow_origins.iter().map(|origin| origin.to_ascii_lowercase()).collect(),
            token,
        }
    }

    /// Checks where a request comes from. What it gives back is the origin of a page of another site that was
    /// allowed to call.
    fn check_source(&self, request: &Request) -> Result<Option<HeaderValue>, Problem> {
        let local = request.extensions().get::<Connection>().map(|connection| connection.local.ip());
        let host = self.check_host(request.uri(), request.headers(), local)?;
        self.check_origin(request.method(), request.headers(), &host, local)
    }

    /// Whether this is an address of ours, which no foreign DNS name can spell.
    fn is_ours(&self, authority: &Authority, local: Option<IpAddr>) -> bool {
        let named = |ip: IpAddr| !ip.is_unspecified() && (ip == self.bound || Some(ip) == local);
        authority.port == self.port && (authority.is_loopback() || authority.ip().is_some_and(named))
    }

    /// Whether this is a port of another machine that is forwarded to our loopback address, as by `ssh -L`.
    fn is_forwarded(&self, host: &Authority, local: Option<IpAddr>) -> bool {
        host.is_loopback() && local.unwrap_or(self.bound).is_loopback()
    }

    fn check_host(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        local: Option<IpAddr>,
    ) -> Result<Authority, Problem> {
        let header = only(headers, &header::HOST)?;
        // `GET http://evil.example/ HTTP/1.1` names a host too.
        let named = [header, uri.authority().map(axum::http::uri::Authority::as_str)];
        let refused = || {
            Problem::refused("host_refused", "this server is not reached under that name")
                .hint("call it at its own address, or start it with --allow-host and the name")
        };
        let mut host = None;
        for text in named.into_iter().flatten() {
            let authority = Authority::parse(text).ok_or_else(refused)?;
            let text = text.to_ascii_lowercase();
            let allowed = self.hosts.iter().any(|host| *host == text || *host == authority.host);
            if !self.is_ours(&authority, local) && !self.is_forwarded(&authority, local) && !allowed {
                return Err(refused());
            }
            host = Some(authority);
        }
        host.ok_or_else(refused)
    }

    fn check_origin(
        &self,
        method: &Method,
        headers: &HeaderMap,
        host: &Authority,
        local: Option<IpAddr>,
    ) -> Result<Option<HeaderValue>, Problem> {
        let refused = |message| {
            Problem::refused("origin_refused", message)
                .hint("start the server with --allow-origin and the page's origin if it may call")
        };
        let Some(origin) = only(headers, &header::ORIGIN)? else {
            let site = only(headers, &SEC_FETCH_SITE)?;
            let reads = matches!(*method, Method::GET | Method::HEAD);
            if site == Some("cross-site") && !reads {
                return Err(refused("pages of other sites may not call this server"));
            }
            return Ok(None);
        };
        let origin = origin.to_ascii_lowercase();
        let page = origin.strip_prefix("http://").and_then(Authority::parse);
        if page.is_some_and(|page| self.is_ours(&page, local) || page == *host)
            || self.is_ours_by_https(&origin)
        {
            Ok(None)
        } else if self.origins.contains(&origin) {
            Ok(headers.get(header::ORIGIN).cloned())
        } else {
            Err(refused("pages of that origin may not call this server"))
        }
    }

    /// Whether a page is ours behind something that speaks https for us, under a name that was allowed.
    fn is_ours_by_https(&self, origin: &str) -> bool {
        let Some(text) = origin.strip_prefix("https://") else { return false };
        let Some(page) = Authority::parse(text) else { return false };
        let usual = format!("{}:443", page.host);
        let names = [text, &page.host, if text == page.host { &usual } else { text }];
        self.hosts.iter().any(|host| names.contains(&host.as_str()))
    }

    /// Checks who calls: by the token, or, where none is required, by the user who owns the connection.
    fn check_caller(&self, request: &Request) -> Result<(), Problem> {
        let Some(token) = &self.token else { return check_user(request) };
        let (uri, headers) = (request.uri(), request.headers());
        if OPEN.contains(&uri.path())
            || bearer(headers).chain(offered(headers)).any(|text| token.matches(text))
        {
            return Ok(());
        }
        Err(Problem::new(StatusCode::UNAUTHORIZED, "token_required", "this server requires its token")
            .hint("send `Authorization: Bearer <token>` with what the file `token` in the server's data folder holds"))
    }
}

/// Every user of this machine reaches a loopback address, but only one of them owns the repositories.
fn check_user(request: &Request) -> Result<(), Problem> {
    let connection = request.extensions().get::<Connection>();
    if connection.is_some_and(|connection| connection.is_own_user) {
        return Ok(());
    }
    Err(Problem::refused("other_user", "this server belongs to another user of this machine")
        .hint("start your own server, or ask its owner for one with --auth and for its token"))
}

/// Tokens in the Authorization header.
fn bearer(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(header::AUTHORIZATION)
        .iter()
        .filter_map(|value| value.to_str().ok()?.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
}

/// Tokens among the protocols that a WebSocket offers.
fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(header::SEC_WEBSOCKET_PROTOCOL)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|protocols| protocols.split(','))
        .filter_map(|protocol| protocol.trim().strip_prefix(TOKEN_PROTOCOL))
}

/// Refuses what may not call. A page that may call from elsewhere is told so, also when it is refused for another
/// reason: it could not read the refusal otherwise.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let Some(origin) = guard.check_source(&request)? else {
        guard.check_caller(&request)?;
        return Ok(next.run(request).await);
    };
    // Browsers ask without the token whether they may send it.
    let asks = request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if request.method() == Method::OPTIONS && asks {
        StatusCode::NO_CONTENT.into_response()
    } else if let Err(problem) = guard.check_caller(&request) {
        problem.into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, DELETE"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, idempotency-key, last-event-id, mcp-protocol-version",
        ),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, "x-request-id, x-next-cursor, link, retry-after"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
