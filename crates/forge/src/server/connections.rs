//! Accepts connections: a bounded number of them, each with a bounded time to say what it wants.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use super::addresses::Addresses;
use super::idle::{BusyBody, ConnectionActivity, IdleConnections};
use super::peer::PeerLookup;
use crate::http::Connection;

const MOST: usize = 1024;
/// So many addresses beyond loopback have to join in to take all connections.
const ADDRESSES: usize = 4;
/// A connection that sends nothing is closed after this time.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// What a request may have before its body.
const MOST_HEAD_BYTES: usize = 64 * 1024;
const MOST_HEADERS: usize = 128;
/// A reader that takes nothing for so long is cut off. It can resume where it was; until then it holds memory.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);

/// Serves until told to stop, then lets every connection finish the request it is at.
pub(super) async fn accept(
    listener: TcpListener,
    router: Router,
    stopping: CancellationToken,
    tasks: TaskTracker,
) {
    let most = most_connections();
    let places = Arc::new(Semaphore::new(most));
    let addresses = Addresses::new(most / ADDRESSES);
    let (idle, peers) = (IdleConnections::default(), PeerLookup::open());
    let mut told = false;
    loop {
        let next = async {
            let (stream, address, peer) = loop {
                let (stream, peer) = listener.accept().await?;
                if let Some(address) = addresses.enter(peer.ip()) {
                    break (stream, address, peer);
                }
                tracing::debug!(%peer, "a connection is closed: its address has too many");
            };
            let local = stream.local_addr()?;
            // At once: a socket that the caller has closed has no owner any more.
            let is_own_user = peer.ip().is_loopback() && peers.is_own(local, peer);
            let place = match Arc::clone(&places).try_acquire_owned() {
                Ok(place) => place,
                // One waits here; all others wait in the system's queue and cost nothing.
                Err(_none_left) => make_room(&places, &idle).await.map_err(io::Error::other)?,
            };
            io::Result::Ok((stream, Connection { local, is_own_user, place: Arc::new((place, address)) }))
        };
        let accepted = tokio::select! {
            () = stopping.cancelled() => return,
            accepted = next => accepted,
        };
        match accepted {
            Ok((stream, connection)) => {
                told = false;
                tasks.spawn(serve(stream, connection, idle.add(), router.clone(), stopping.clone()));
            }
            Err(error) => {
                if !std::mem::replace(&mut told, true) {
                    tracing::warn!(error = %error, "connections wait, because none can be accepted: {error}");
                }
                // Out of file descriptors, mostly: trying again at once would only burn a core.
                drop(tokio::time::timeout(Duration::from_millis(100), stopping.cancelled()).await);
            }
        }
    }
}

/// A place, as soon as a connection ends. Those that are idle, or become so, are asked to.
async fn make_room(
    places: &Arc<Semaphore>,
    idle: &IdleConnections,
) -> Result<OwnedSemaphorePermit, AcquireError> {
    let mut place = pin!(Arc::clone(places).acquire_owned());
    loop {
        let mut became_idle = pin!(idle.became_idle());
        // From here on: one that becomes idle while another is evicted is not missed.
        became_idle.as_mut().enable();
        idle.evict();
        tokio::select! {
            place = &mut place => return place,
            () = became_idle => {}
        }
    }
}

/// Half of what the system lets us open: agents, database and git need the rest.
fn most_connections() -> usize {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(limit / 2).map_or(MOST, |half| half.clamp(16, MOST))
}

async fn serve(
    stream: TcpStream,
    connection: Connection,
    activity: Arc<ConnectionActivity>,
    router: Router,
    stopping: CancellationToken,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(error = %error, "small frames may wait on this connection");
    }
    limit_sending(&stream);
    let requests = Arc::clone(&activity);
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        let (router, connection, busy) = (router.clone(), connection.clone(), requests.begin());
        async move {
            let mut request: Request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(connection);
            let response: Result<Response, Infallible> = router.oneshot(request).await;
            response.map(|response| response.map(|body| BusyBody::new(body, busy)))
        }
    });
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    http.max_buf_size(MOST_HEAD_BYTES).max_headers(MOST_HEADERS);
    let mut serving = pin!(http.serve_connection(TokioIo::new(stream), service).with_upgrades());
    let ended = tokio::select! {
        ended = &mut serving => ended,
        () = activity.evicted() => return,
        () = stopping.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error = %error, "a connection ended early");
    }
}

/// Lets the kernel end a connection whose other end takes nothing.
#[cfg(target_os = "linux")]
fn limit_sending(stream: &TcpStream) {
    let millis = u32::try_from(SEND_TIMEOUT.as_millis()).unwrap_or(u32::MAX);
    if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(stream, millis) {
        tracing::debug!(error = %error, "a reader that stalls is not cut off");
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_sending(_stream: &TcpStream) {}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Poll;

    use super::*;

    #[tokio::test]
    async fn connection_makes_room_when_it_becomes_idle() {
        let (places, idle) = (Arc::new(Semaphore::new(1)), IdleConnections::default());
        let place = Arc::clone(&places).try_acquire_owned().unwrap();
        let connection = idle.add();
        let request = connection.begin();
        let mut room = pin!(make_room(&places, &idle));
        let waits = poll_fn(|context| Poll::Ready(room.as_mut().poll(context).is_pending())).await;
        assert!(waits, "the only connection is busy");
        drop(request);
        let ends = async {
            connection.evicted().await;
            drop(place);
        };
        let (room, ()) = tokio::join!(room, ends);
        assert!(room.is_ok());
    }
}
