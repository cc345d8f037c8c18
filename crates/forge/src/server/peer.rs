//! Finds the user who owns the other end of a loopback connection.
//!
//! The kernel answers by `sock_diag`, one lookup by both addresses; where that is not allowed, `/proc/net/tcp` has the
//! same table as text. A socket that its program has closed has no owner any more, and the kernel calls it root's: such
//! an answer, which lacks the inode, counts as unknown.

use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;

use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, netlink};

/// Whether this system can answer. Elsewhere every caller needs the token.
pub(super) const IS_SUPPORTED: bool = cfg!(target_os = "linux");

const REQUEST_LENGTH: u32 = 72;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 1;
const TCP: u8 = 6;
const LISTEN: u8 = 10;

/// Asks who owns peers. It is opened once, so that it also works when no more files can be opened.
pub(super) struct PeerLookup {
    kernel: Option<OwnedFd>,
}

impl PeerLookup {
    pub(super) fn open() -> Self {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let protocol = Some(netlink::SOCK_DIAG);
        let kernel = rustix::net::socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, protocol);
        Self { kernel: kernel.ok() }
    }

    /// Whether the peer of a connection is the user of this process, or root.
    pub(super) fn is_own(&self, local: SocketAddr, peer: SocketAddr) -> bool {
        let own = rustix::process::geteuid().as_raw();
        self.owner(local, peer).is_some_and(|owner| owner == own || owner == 0)
    }

    /// The user who owns the peer's socket; none where nobody can tell.
    fn owner(&self, local: SocketAddr, peer: SocketAddr) -> Option<u32> {
        let asked = self.kernel.as_ref().map(|kernel| ask_kernel(kernel, local, peer));
        asked.and_then(Result::ok).or_else(|| read_table(local, peer).ok()).flatten()
    }
}

fn ask_kernel(socket: &OwnedFd, local: SocketAddr, peer: SocketAddr) -> io::Result<Option<u32>> {
    let family = if peer.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    // The socket we look for is the peer's: its own address is our peer's address.
    let mut id = Vec::with_capacity(48);
    id.extend(peer.port().to_be_bytes());
    id.extend(local.port().to_be_bytes());
    id.extend(sixteen(peer.ip()));
    id.extend(sixteen(local.ip()));
    let mut request = Vec::with_capacity(72);
    request.extend(REQUEST_LENGTH.to_ne_bytes());
    request.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    request.extend(NLM_F_REQUEST.to_ne_bytes());
    request.extend([0; 8]);
    let family = u8::try_from(family.as_raw()).map_err(io::Error::other)?;
    request.extend([family, TCP, 0, 0]);
    request.extend(u32::MAX.to_ne_bytes());
    request.extend(&id);
    request.extend([0; 4]);
    request.extend([0xff; 8]);
    rustix::net::send(socket, &request, SendFlags::empty())?;
    let mut answer = [0_u8; 512];
    let (length, _) = rustix::net::recv(socket, &mut answer[..], rustix::net::RecvFlags::empty())?;
    let answer = answer.get(..length).unwrap_or_default();
    if number::<2>(answer, 4).map(u16::from_ne_bytes) != Some(SOCK_DIAG_BY_FAMILY) {
        return Err(io::ErrorKind::NotFound.into());
    }
    // Without an open connection the kernel answers with the listening socket.
    let is_it = answer.get(17) != Some(&LISTEN) && answer.get(20..56) == id.get(..36);
    let [uid, inode] = [80, 84].map(|at| number::<4>(answer, at).map(u32::from_ne_bytes));
    Ok(uid.filter(|_| is_it && inode.is_some_and(|inode| inode != 0)))
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

/// An address in the 16 bytes that the kernel has for one.
fn sixteen(ip: IpAddr) -> [u8; 16] {
    let mut bytes = [0; 16];
    match ip {
        IpAddr::V4(ip) => bytes.iter_mut().zip(ip.octets()).for_each(|(byte, octet)| *byte = octet),
        IpAddr::V6(ip) => bytes = ip.octets(),
    }
    bytes
}

fn read_table(local: SocketAddr, peer: SocketAddr) -> io::Result<Option<u32>> {
    let file = if peer.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
    Ok(find(&fs::read_to_string(file)?, local, peer))
}

/// Finds the peer's line in the text of `/proc/net/tcp`.
fn find(table: &str, local: SocketAddr, peer: SocketAddr) -> Option<u32> {
    let (its, ours) = (in_table(peer), in_table(local));
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let is_it = fields.get(1) == Some(&its.as_str()) && fields.get(2) == Some(&ours.as_str());
        let inode: u64 = fields.get(9)?.parse().ok()?;
        fields.get(7).filter(|_| is_it && inode != 0)?.parse().ok()
    })
}

/// An address as the table has it: words of four bytes in the machine's order, in hexadecimal.
fn in_table(address: SocketAddr) -> String {
    let octets = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let words = octets.chunks_exact(4).filter_map(|word| word.try_into().ok().map(u32::from_ne_bytes));
    let text: String = words.map(|word| format!("{word:08X}")).collect();
    format!("{text}:{:04X}", address.port())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    fn connect(host: &str) -> (TcpListener, TcpStream, TcpStream) {
        let listener = TcpListener::bind((host, 0)).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        (listener, client, server)
    }

    fn ends(server: &TcpStream) -> (SocketAddr, SocketAddr) {
        (server.local_addr().unwrap(), server.peer_addr().unwrap())
    }

    #[test]
    fn owner_of_peer_is_found_both_ways() {
        let own = rustix::process::geteuid().as_raw();
        for host in ["127.0.0.1", "::1"] {
            let (_listener, _client, server) = connect(host);
            let (local, peer) = ends(&server);
            assert!(PeerLookup::open().is_own(local, peer), "{host}");
            assert!(PeerLookup { kernel: None }.is_own(local, peer), "{host}");
            assert_eq!(read_table(local, peer).unwrap(), Some(own), "{host}");
        }
    }

    #[test]
    fn closed_peer_has_no_owner() {
        let (_listener, client, server) = connect("127.0.0.1");
        let (local, peer) = ends(&server);
        drop(client);
        let lookup = PeerLookup::open();
        assert_eq!(lookup.owner(local, peer), None);
        // Nor has a listener of the same port.
        let (listener, client, _server) = connect("127.0.0.1");
        let nobody = SocketAddr::new(client.local_addr().unwrap().ip(), 1);
        assert_eq!(lookup.owner(nobody, listener.local_addr().unwrap()), None);
    }

    #[test]
    fn table_is_read_by_both_addresses() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
             0: 0100007F:22B7 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0\n\
             1: 0100007F:C001 0100007F:22B7 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0 20 4 30 10 -1\n\
             2: 0100007F:C002 0100007F:22B7 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0\n\
             3: 0100007F:22B7 0100007F:C001 01 00000000:00000000 00:00000000 00000000     7        0 13 1 0 20 4 30 10 -1\n";
        let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(find(table, at(0x22b7), at(0xc001)), Some(1000));
        assert_eq!(find(table, at(0x22b7), at(0xc002)), None);
        assert_eq!(find(table, at(0x22b7), at(0xc003)), None);
    }
}
