//! What host and clients say to each other on the socket.
//!
//! A message is two lengths (u32, little-endian), that many bytes of JSON, and that many raw bytes. Hosts outlive servers, so both
//! sides meet newer and older peers: fields may be added, a client passes over news it does not know, and a host refuses
//! a request it does not know. [`Status::version`] is raised only when that is not enough.

use std::io;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::end::End;
use super::program::Failure;
use crate::log::MAX_FRAME;

/// The version of this protocol.
pub(crate) const VERSION: u32 = 1;

const MAX_JSON: usize = 256 * 1024;

/// Client to host. Each request is answered by [`News::Answer`] with its id.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) id: u64,
    pub(crate) ask: Ask,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Ask {
    /// The raw bytes of the message go to standard input, if `ordinal` is the next one. One that was taken before is not
    /// taken again, so a client that does not know whether its write arrived just repeats it.
    Write { ordinal: u64 },
    /// Standard input ends after what was written so far. Counts as a write.
    CloseStdin { ordinal: u64 },
    /// SIGINT to the program's process group.
    Interrupt,
    /// SIGINT, and after `grace_ms` the kill of the whole tree.
    Stop { grace_ms: u64 },
    /// The program goes on as the process of another directory, whose path is the raw bytes, and this process ends as if
    /// the program had exited with 0. If nothing is written to the new one for `idle_ms`, its standard input ends, and
    /// `grace_ms` later it is killed: nobody may be left to do that.
    MoveOn { idle_ms: u64, grace_ms: u64 },
    /// A request of a newer client.
    #[serde(other)]
    Unknown,
}

/// Host to client.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum News {
    /// The first message, once the program runs.
    Status(Status),
    /// Instead of [`News::Status`]: the program could not be started, and the host is going.
    Failed {
        failure: Failure,
    },
    /// The log has grown. A slow client hears of the newest head only.
    Head {
        seq: u64,
        /// Why the log cannot be written at present, if so; the program's output waits meanwhile.
        stalled: Option<String>,
    },
    Answer {
        id: u64,
        refusal: Option<Refusal>,
    },
    /// The last message.
    Ended {
        end: End,
    },
    /// News of a newer host.
    #[serde(other)]
    Unknown,
}

/// A running process, as its host sees it when a client comes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The version of the protocol that the host speaks.
    pub version: u32,
    pub host_pid: u32,
    /// The program's process and process group.
    pub pid: u32,
    pub head: u64,
    /// The ordinal of the next write to standard input.
    pub next_ordinal: u64,
    /// When the program was started, in milliseconds since 1970.
    pub started_at: u64,
}

/// Why a host does not do what it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Refusal {
    OutOfOrder {
        expected: u64,
    },
    StdinClosed,
    StdinFull,
    LogStalled,
    NotMoved,
    Unsupported,
    #[serde(other)]
    Unknown,
}

/// Reads one message; `None` at the end of the connection.
pub(crate) async fn read<T: DeserializeOwned>(
    from: &mut (impl AsyncRead + Unpin),
) -> io::Result<Option<(T, Vec<u8>)>> {
    let json_len = match from.read_u32_le().await {
        Ok(len) => usize::try_from(len).unwrap_or(usize::MAX),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    };
    let body_len = usize::try_from(from.read_u32_le().await?).unwrap_or(usize::MAX);
    if json_len > MAX_JSON || body_len > MAX_FRAME {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too long"));
    }
    let mut json = vec![0; json_len];
    from.read_exact(&mut json).await?;
    let mut body = vec![0; body_len];
    from.read_exact(&mut body).await?;
    Ok(Some((serde_json::from_slice(&json)?, body)))
}

/// Writes one message.
pub(crate) async fn write<T: Serialize>(
    to: &mut (impl AsyncWrite + Unpin),
    message: &T,
    body: &[u8],
) -> io::Result<()> {
    let json = serde_json::to_vec(message)?;
    let mut head = Vec::with_capacity(8 + json.len());
    for len in [json.len(), body.len()] {
        let len = u32::try_from(len).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        head.extend_from_slice(&len.to_le_bytes());
    }
    head.extend_from_slice(&json);
    to.write_all(&head).await?;
    to.write_all(body).await
}

#[cfg(test)]
mod tests {
    use super::{Ask, News, Refusal, Request};

    #[test]
    fn messages_of_a_newer_peer_are_passed_over_not_misread() {
        let request: Request =
            serde_json::from_str(r#"{"id":7,"ask":{"type":"freeze","depth":3},"hint":1}"#).unwrap();
        assert!(matches!(request, Request { id: 7, ask: Ask::Unknown }));
        let news: News = serde_json::from_str(r#"{"type":"weather","sunny":true}"#).unwrap();
        assert!(matches!(news, News::Unknown));
        let news: News =
            serde_json::from_str(r#"{"type":"head","seq":3,"stalled":null,"bytes":99}"#).unwrap();
        assert!(matches!(news, News::Head { seq: 3, stalled: None }));
        let refusal: Refusal = serde_json::from_str(r#"{"type":"too_tired"}"#).unwrap();
        assert_eq!(refusal, Refusal::Unknown);
    }
}
