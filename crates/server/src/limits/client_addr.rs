//! Client addresses as limits count them.

use std::net::IpAddr;
use std::num::NonZero;

/// The prefix length of the IPv6 network that counts as a client: a household or a device has a /64 network.
const CLIENT_PREFIX_LENGTH: u32 = 64;
/// The prefix lengths of the larger IPv6 networks whose clients share limits, and the factors of these limits. A provider gives
/// one customer a /56 network (256 clients) or a /48 network (65,536 clients).
const SHARED_NETWORKS: [(u32, u32); 2] = [(48, 16), (CUSTOMER_PREFIX_LENGTH, 4)];
/// The prefix length of the smallest IPv6 network of a customer.
const CUSTOMER_PREFIX_LENGTH: u32 = 56;

/// An IPv4 address, or the /64 network of an IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientAddr(IpAddr);

impl ClientAddr {
    /// The most networks of a client.
    pub const NETWORKS_PER_CLIENT: usize = 1 + SHARED_NETWORKS.len();

    /// The address.
    pub fn ip(self) -> IpAddr {
        self.0
    }

    /// The address by which spectators of a room are counted: the IPv4 address, or the first one of the smallest network that a
    /// provider gives to a customer.
    pub fn customer(self) -> IpAddr {
        match self.0 {
            IpAddr::V4(_) => self.0,
            IpAddr::V6(address) => {
                IpAddr::V6(first_address(address.to_bits(), CUSTOMER_PREFIX_LENGTH).into())
            }
        }
    }

    /// The network of this client alone.
    pub fn network(self) -> Network {
        Network {
            first: self.0,
            factor: 1,
        }
    }

    /// The networks whose limits count for this client: for IPv6 two larger ones, the largest first, and its own. There are at
    /// most [`ClientAddr::NETWORKS_PER_CLIENT`].
    pub fn networks(self) -> impl Iterator<Item = Network> {
        let shared = SHARED_NETWORKS
            .into_iter()
            .filter_map(move |(prefix_length, factor)| {
                let IpAddr::V6(address) = self.0 else {
                    return None;
                };
                let first = IpAddr::V6(first_address(address.to_bits(), prefix_length).into());
                Some(Network { first, factor })
            });
        shared.chain([self.network()])
    }
}

impl From<IpAddr> for ClientAddr {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => {
                IpAddr::V6(first_address(address.to_bits(), CLIENT_PREFIX_LENGTH).into())
            }
        })
    }
}

/// The first address of the network with this prefix length that contains an address.
fn first_address(address: u128, prefix_length: u32) -> u128 {
    address & !(u128::MAX >> prefix_length)
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
    fn a_customer_has_a_56_network() {
        let customer = |address| client(address).customer().to_string();
        assert_eq!(customer("2001:db8:0:12ff::1"), "2001:db8:0:1200::");
        assert_eq!(customer("2001:db8:0:1300::1"), "2001:db8:0:1300::");
        assert_eq!(customer("192.0.2.1"), "192.0.2.1");
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
        let networks = client("2001:db8::1").networks().collect::<Vec<_>>();
        let [of_48, of_56, of_64] = networks[..] else {
            panic!("an IPv6 client has three networks");
        };
        assert!(of_64 != of_56 && of_56 != of_48);
    }
}
