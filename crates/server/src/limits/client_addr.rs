//! Client addresses as limits count them.

use std::net::IpAddr;
use std::num::NonZero;

/// The bits of an IPv6 address that name a client: a household or a device has such a network.
const CLIENT_BITS: u32 = 64;
/// The bits of the larger IPv6 networks whose clients share limits, and the factors of these limits. A provider gives one
/// customer a network of 56 bits (256 clients) or of 48 bits (65,536 clients).
const SHARED_NETWORKS: [(u32, u32); 2] = [(48, 16), (56, 4)];

/// An IPv4 address, or the /64 network of an IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientAddr(IpAddr);

impl ClientAddr {
    /// The most networks of a client.
    pub const MAX_NETWORKS: usize = 1 + SHARED_NETWORKS.len();

    /// The address, or the first address of the network.
    pub fn address(self) -> IpAddr {
        self.0
    }

    /// The network of this client alone.
    pub fn network(self) -> Network {
        Network {
            first: self.0,
            factor: 1,
        }
    }

    /// The networks whose limits count for this client: for IPv6 two larger ones, the largest first, and its own. There are at
    /// most [`ClientAddr::MAX_NETWORKS`].
    pub fn networks(self) -> impl Iterator<Item = Network> {
        let shared = SHARED_NETWORKS
            .into_iter()
            .filter_map(move |(bits, factor)| {
                let IpAddr::V6(address) = self.0 else {
                    return None;
                };
                let first = IpAddr::V6(first_address(address.to_bits(), bits).into());
                Some(Network { first, factor })
            });
        shared.chain([self.network()])
    }
}

impl From<IpAddr> for ClientAddr {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(first_address(address.to_bits(), CLIENT_BITS).into()),
        })
    }
}

/// The first address of the network of this size with an address.
fn first_address(address: u128, bits: u32) -> u128 {
    address & !(u128::MAX >> bits)
}

/// A network whose clients share limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Network {
    first: IpAddr,
    factor: u32,
}

impl Network {
    /// A number for each client, multiplied by the factor of this network.
    pub fn scale(self, count: usize) -> usize {
        count.saturating_mul(self.factor as usize)
    }

    /// The same for the units of a token bucket.
    pub fn scale_units(self, units: NonZero<u32>) -> NonZero<u32> {
        units.saturating_mul(NonZero::new(self.factor).unwrap_or(NonZero::<u32>::MIN))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn client(address: &str) -> ClientAddr {
        ClientAddr::from(address.parse::<IpAddr>().unwrap())
    }

    #[test]
    fn an_ipv6_client_belongs_to_three_networks() {
        let networks = |address| client(address).networks().collect::<Vec<_>>();
        let of = |first: &str, factor| Network {
            first: first.parse().unwrap(),
            factor,
        };
        assert_eq!(
            networks("2001:db8:12:34ab:1:2:3:4"),
            [
                of("2001:db8:12::", 16),
                of("2001:db8:12:3400::", 4),
                of("2001:db8:12:34ab::", 1)
            ]
        );
        assert_eq!(networks("192.0.2.1"), [of("192.0.2.1", 1)]);
        assert_eq!(networks("::ffff:192.0.2.1"), [of("192.0.2.1", 1)]);
    }

    #[test]
    fn networks_of_different_sizes_are_different() {
        let [site, block, own] = client("2001:db8::1").networks().collect::<Vec<_>>()[..] else {
            panic!("an IPv6 client has three networks");
        };
        assert!(own != block && block != site);
    }
}
