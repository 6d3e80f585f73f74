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
fn a_protocol_violation_does_not_lower_a_negative_balance() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let wait = || {
        let mut table = address_limits.table();
        let state = table.states.get_mut(&client_addr(1).network()).unwrap();
        state
            .buckets
            .new_sockets
            .time_until_nonnegative(Instant::now())
    };
    address_limits.charge_violation(client_addr(1));
    while wait().is_zero() {
        address_limits.charge_violation(client_addr(1));
    }
    let first = wait();
    for _ in 0..3 {
        address_limits.charge_violation(client_addr(1));
        assert!(wait() <= first);
    }
}

/// A client with this /64 network in one /48 network. The first 256 are in one /56 network.
fn client_in_48(network: u16) -> ClientAddr {
    ClientAddr::from(IpAddr::from([0x2001, 0xdb8, 7, network, 0, 0, 0, 1]))
}

#[test]
fn the_clients_of_a_48_network_share_larger_limits() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let max = Limits::default().rooms_per_address.get();
    let mut permits = Vec::new();
    let mut open = |client_addr| {
        let permit = address_limits.permit_room(client_addr);
        permit.map(|permit| permits.push(permit)).is_ok()
    };
    let in_56 = (0..256).filter(|network| open(client_in_48(*network)));
    assert_eq!(in_56.count(), 4 * max, "the /56 network");
    let in_48 = (256..=u16::MAX).filter(|network| open(client_in_48(*network)));
    assert_eq!(in_48.count(), 12 * max, "the rest of the /48 network");
    let in_other_48 = ClientAddr::from(IpAddr::from([0x2001, 0xdb8, 8, 0, 0, 0, 0, 1]));
    assert!(open(in_other_48));
    drop(permits);
    assert!(address_limits.permit_room(client_in_48(0)).is_ok());
}

/// Otherwise one client could use up the units of other clients of its /56 network.
#[test]
fn a_refused_client_takes_no_units_of_shared_networks() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let now = Instant::now();
    let request =
        |client_addr| address_limits.try_charge_request(client_addr, Cost::Request(1), now);
    let units = Limits::default().requests_per_minute.get();
    let granted = |client_addr| {
        let requests = (0..20 * units).filter(|_| request(client_addr).is_ok());
        requests.count() as u32
    };
    assert_eq!(granted(client_in_48(0)), units);
    assert_eq!(granted(client_in_48(1)), units);
    assert_eq!(granted(client_in_48(2)), units);
    assert_eq!(granted(client_in_48(3)), units);
    assert_eq!(
        granted(client_in_48(4)),
        0,
        "the /56 network has four times as many"
    );
    assert_eq!(granted(client_in_48(256)), units);
}

#[test]
fn violations_with_a_negative_balance_are_not_charged_to_shared_networks() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    for _ in 0..1_000 {
        address_limits.charge_violation(client_in_48(0));
    }
    assert!(address_limits.permit_socket(client_in_48(0)).is_err());
    assert!(address_limits.permit_socket(client_in_48(1)).is_ok());
    assert!(address_limits.permit_socket(client_in_48(256)).is_ok());
}

#[test]
fn refused_clients_add_no_states() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let now = Instant::now();
    let granted = (0..=u16::MAX).filter(|network| {
        let request = Cost::Request(5);
        let client_addr = client_in_48(*network);
        address_limits
            .try_charge_request(client_addr, request, now)
            .is_ok()
    });
    assert_eq!(granted.count(), 16 * 2400 / 5);
    // Each granted request has a state for its client, besides those of larger networks.
    let states = address_limits.table().states.len();
    assert!(states < 16 * 2400 / 5 + 300, "{states} states");
}

#[test]
fn bytes_and_refunds_count_in_all_networks() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let now = Instant::now();
    let [one, two] = [client_in_48(0), client_in_48(1)];
    let full = address_limits.address_bytes_left(two, now);
    let all = 4 * full as usize;
    address_limits.charge_bytes(one, all, now);
    assert_eq!(address_limits.address_bytes_left(two, now), 0);
    address_limits.refund_bytes(one, all);
    assert_eq!(address_limits.address_bytes_left(two, now), full);

    let code = RoomCode::random().unwrap();
    for network in 0..256 {
        let lookup = address_limits.look_up_code(client_in_48(network), Some(&code));
        lookup.expect("a unit").refund();
    }
}

#[tokio::test]
async fn the_bytes_of_wake_ups_count_in_all_networks() {
    const UNIT_BYTES: usize = 64 * 1024;
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let units = Limits::default().wake_ups_per_minute.get() as usize;
    let wake_up = address_limits.permit_wake_up(client_in_48(0)).await;
    let _room = wake_up.unwrap().charge_and_release(4 * units * UNIT_BYTES);
    let in_same_56 = address_limits.permit_wake_up(client_in_48(1)).await;
    assert_eq!(in_same_56.unwrap_err(), LimitReached::TooOften);
    assert!(
        address_limits
            .permit_wake_up(client_in_48(256))
            .await
            .is_ok()
    );
}

/// Otherwise an address would get new units by waiting until its network is removed.
#[test]
fn a_network_is_idle_only_when_its_buckets_are_full() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let client_addr = client_addr(1);
    drop(address_limits.permit_socket(client_addr).unwrap());
    drop(address_limits.look_up_code(client_addr, None).unwrap());
    let begun = Instant::now();
    let mut table = address_limits.table();
    let state = table.states.get_mut(&client_addr.network()).unwrap();
    assert!(!state.is_idle(begun));
    assert!(state.is_idle(begun + Duration::from_secs(60)));
    state.buckets.new_sockets.charge(600, begun);
    assert!(!state.is_idle(begun + Duration::from_secs(60)));
    state.rooms = 1;
    assert!(!state.is_idle(begun + Duration::from_secs(600)));
}

#[test]
fn idle_networks_are_removed_once_a_minute() {
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    let use_room = |last| address_limits.permit_room(client_addr(last)).unwrap();
    let begun = |seconds| {
        let begun = Instant::now().checked_sub(Duration::from_secs(seconds));
        address_limits.table().removed_at = begun;
    };
    let states = || address_limits.table().states.len();
    drop(use_room(1));
    let _used = use_room(2);
    begun(50);
    drop(use_room(3));
    assert_eq!(states(), 3);
    begun(61);
    drop(use_room(4));
    assert_eq!(states(), 2, "those of 2 and 4");
}
