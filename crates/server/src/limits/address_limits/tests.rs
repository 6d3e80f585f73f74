#![allow(clippy::unwrap_used)]

use std::net::IpAddr;
use std::num::NonZero;

use super::*;

fn client_addr(last: u8) -> ClientAddr {
    ClientAddr::from(IpAddr::from([192, 0, 2, last]))
}

#[test]
fn connections_of_all_addresses_are_bounded() {
    let limits = Limits {
        sockets: NonZero::new(2).unwrap(),
        ..Limits::default()
    };
    let address_limits = Arc::new(AddressLimits::new(limits));
    let open = |last| address_limits.permit_connection(client_addr(last), 10);
    let first = open(1).unwrap();
    let _second = open(2).unwrap();
    assert_eq!(open(3).unwrap_err(), LimitReached::Server);
    assert_eq!(open(1).unwrap_err(), LimitReached::Server);
    drop(first);
    assert!(open(3).is_ok());
}

#[test]
fn a_protocol_violation_does_not_increase_a_debt() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let debt = || {
        let mut addresses = address_limits.addresses();
        let address = addresses.states.get_mut(&client_addr(1).network()).unwrap();
        address
            .buckets
            .new_sockets
            .time_until_nonnegative(Instant::now())
    };
    address_limits.charge_violation(client_addr(1));
    while debt().is_zero() {
        address_limits.charge_violation(client_addr(1));
    }
    let first = debt();
    for _ in 0..3 {
        address_limits.charge_violation(client_addr(1));
        assert!(debt() <= first);
    }
}

/// A client of IPv6, with a network of its own in one network of 48 bits.
fn client_in_site(network: u16) -> ClientAddr {
    ClientAddr::from(IpAddr::from([0x2001, 0xdb8, 7, network, 0, 0, 0, 1]))
}

#[test]
fn the_networks_of_one_customer_share_larger_limits() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let max = Limits::default().rooms_per_address.get();
    let mut permits = Vec::new();
    let mut open = |client_addr| {
        let permit = address_limits.permit_room(client_addr);
        permit.map(|permit| permits.push(permit)).is_ok()
    };
    let in_block = (0..256).filter(|network| open(client_in_site(*network)));
    assert_eq!(in_block.count(), 4 * max, "the networks of 56 bits");
    let in_site = (256..=u16::MAX).filter(|network| open(client_in_site(*network)));
    assert_eq!(in_site.count(), 12 * max, "the networks of 48 bits");
    let neighbour = ClientAddr::from(IpAddr::from([0x2001, 0xdb8, 8, 0, 0, 0, 0, 1]));
    assert!(open(neighbour));
    drop(permits);
    assert!(address_limits.permit_room(client_in_site(0)).is_ok());
}

/// Otherwise one client could use up the units of its neighbours.
#[test]
fn a_refused_client_takes_nothing_from_its_neighbours() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let now = Instant::now();
    let request = |client_addr| address_limits.charge_request(client_addr, Cost::Request(1), now);
    let units = Limits::default().requests_per_minute.get();
    let granted = |client_addr| {
        let requests = (0..20 * units).filter(|_| request(client_addr).is_ok());
        requests.count() as u32
    };
    assert_eq!(granted(client_in_site(0)), units);
    assert_eq!(granted(client_in_site(1)), units);
    assert_eq!(granted(client_in_site(2)), units);
    assert_eq!(granted(client_in_site(3)), units);
    assert_eq!(
        granted(client_in_site(4)),
        0,
        "the network of 56 bits has four times as many"
    );
    assert_eq!(granted(client_in_site(256)), units);
}

#[test]
fn violations_of_a_client_in_debt_are_not_charged_to_its_neighbours() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    for _ in 0..1_000 {
        address_limits.charge_violation(client_in_site(0));
    }
    assert!(address_limits.permit_socket(client_in_site(0)).is_err());
    assert!(address_limits.permit_socket(client_in_site(1)).is_ok());
    assert!(address_limits.permit_socket(client_in_site(256)).is_ok());
}

#[test]
fn refused_clients_of_a_network_add_no_states() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let now = Instant::now();
    let granted = (0..=u16::MAX).filter(|network| {
        let request = Cost::Request(5);
        let client_addr = client_in_site(*network);
        address_limits
            .charge_request(client_addr, request, now)
            .is_ok()
    });
    assert_eq!(granted.count(), 16 * 1200 / 5);
    // Each granted request has a state for its client, besides those of larger networks.
    let states = address_limits.addresses().states.len();
    assert!(states < 16 * 1200 / 5 + 300, "{states} states");
}

#[test]
fn bytes_and_refunds_count_in_all_networks() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let now = Instant::now();
    let [one, two] = [client_in_site(0), client_in_site(1)];
    let full = address_limits.bytes_left(two, now);
    let all = 4 * full as usize;
    address_limits.charge_bytes(one, all, now);
    assert_eq!(address_limits.bytes_left(two, now), 0);
    address_limits.refund_bytes(one, all);
    assert_eq!(address_limits.bytes_left(two, now), full);

    let code = RoomCode::random().unwrap();
    for network in 0..256 {
        let lookup = address_limits.look_up_code(client_in_site(network), Some(&code));
        lookup.expect("a unit").refund();
    }
}

#[tokio::test]
async fn the_bytes_of_wakings_count_in_all_networks() {
    const UNIT_BYTES: usize = 64 * 1024;
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let units = Limits::default().wakings_per_minute.get() as usize;
    let waking = address_limits.permit_waking(client_in_site(0)).await;
    let _room = waking.unwrap().finish(4 * units * UNIT_BYTES);
    let neighbour = address_limits.permit_waking(client_in_site(1)).await;
    assert_eq!(neighbour.unwrap_err(), LimitReached::TooOften);
    assert!(
        address_limits
            .permit_waking(client_in_site(256))
            .await
            .is_ok()
    );
}

/// Otherwise an address would get new units by waiting until it is forgotten.
#[test]
fn an_address_is_forgotten_only_when_its_buckets_are_full() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let client_addr = client_addr(1);
    drop(address_limits.permit_socket(client_addr).unwrap());
    drop(address_limits.look_up_code(client_addr, None).unwrap());
    let begun = Instant::now();
    let mut addresses = address_limits.addresses();
    let address = addresses.states.get_mut(&client_addr.network()).unwrap();
    assert!(!address.can_be_forgotten(begun));
    assert!(address.can_be_forgotten(begun + Duration::from_secs(60)));
    address.buckets.new_sockets.charge(600, begun);
    assert!(!address.can_be_forgotten(begun + Duration::from_secs(60)));
    address.rooms = 1;
    assert!(!address.can_be_forgotten(begun + Duration::from_secs(600)));
}

#[test]
fn unused_addresses_are_forgotten_once_a_minute() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let use_room = |last| address_limits.permit_room(client_addr(last)).unwrap();
    let begun = |seconds| {
        let begun = Instant::now().checked_sub(Duration::from_secs(seconds));
        address_limits.addresses().forgot_at = begun;
    };
    let states = || address_limits.addresses().states.len();
    drop(use_room(1));
    let _used = use_room(2);
    begun(50);
    drop(use_room(3));
    assert_eq!(states(), 3);
    begun(61);
    drop(use_room(4));
    assert_eq!(states(), 2, "those of 2 and 4");
}
