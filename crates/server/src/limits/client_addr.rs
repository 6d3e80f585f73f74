//! Client addresses as limits count them.

use std::net::IpAddr;

/// An IPv4 address, or the /64 network of an IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientAddr(IpAddr);

impl ClientAddr {
    /// The address, or the first address of the network.
    pub fn address(self) -> IpAddr {
        self.0
    }
}

impl From<IpAddr> for ClientAddr {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => {
                let network = address.to_bits() & !u128::from(u64::MAX);
                IpAddr::V6(network.into())
            }
        })
    }
}
