//! How many connections each address beyond this machine has, so that one of them cannot take all.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

/// The connections of every address that is not loopback: from there, browser tabs and agents are one address.
#[derive(Clone)]
pub(super) struct Addresses {
    most: usize,
    open: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// The place of one connection among those of its address.
pub(super) struct AddressPlace {
    all: Addresses,
    address: Option<IpAddr>,
}

impl Addresses {
    /// Each address may have `most` connections.
    pub(super) fn new(most: usize) -> Self {
        Self { most, open: Arc::default() }
    }

    /// Counts a connection until the place is dropped. None when its address has too many.
    pub(super) fn enter(&self, peer: IpAddr) -> Option<AddressPlace> {
        let address = counted(peer);
        if let Some(address) = address {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            let count = open.entry(address).or_default();
            if *count >= self.most {
                return None;
            }
            *count += 1;
        }
        Some(AddressPlace { all: self.clone(), address })
    }
}

impl Drop for AddressPlace {
    fn drop(&mut self) {
        let Some(address) = self.address else { return };
        let mut open = self.all.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&address);
            }
        }
    }
}

/// By what a peer is counted; none on loopback. Who has one address of IPv6 has the 64 bits after its network.
fn counted(peer: IpAddr) -> Option<IpAddr> {
    let peer = peer.to_canonical();
    if peer.is_loopback() {
        return None;
    }
    Some(match peer {
        IpAddr::V4(_) => peer,
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_beyond_loopback_are_capped() {
        let addresses = Addresses::new(2);
        let enter = |peer: &str| addresses.enter(peer.parse().unwrap());
        let local: Vec<_> =
            ["127.0.0.1", "::1", "::ffff:127.0.0.1"].repeat(3).into_iter().map(enter).collect();
        assert!(local.iter().all(Option::is_some));
        for peers in
            [["10.0.0.1", "::ffff:10.0.0.1", "10.0.0.1"], ["2001:db8::1", "2001:db8::2", "2001:db8::3"]]
        {
            let mut places: Vec<_> = peers.into_iter().map(enter).collect();
            assert_eq!(
                places.iter().map(Option::is_some).collect::<Vec<_>>(),
                [true, true, false],
                "{peers:?}"
            );
            drop(places.swap_remove(0));
            assert!(enter(peers[2]).is_some());
        }
        assert!(enter("10.0.0.2").is_some() && enter("2001:db8:0:1::1").is_some());
        drop(local);
        assert!(addresses.open.lock().unwrap().is_empty());
    }
}
