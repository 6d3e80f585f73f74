//! The lookups of room codes by an address: wrong codes are limited.

use std::sync::Arc;
use std::time::Instant;

use super::AddressLimits;
use crate::limits::client_addr::ClientAddr;
use crate::room_code::RoomCode;

/// The most room codes that are remembered as known at one address. A lookup of a known code takes no unit, so other
/// clients at the address cannot block it.
const MAX_KNOWN_CODES: usize = 64;

/// The concurrent lookups of one code by one address. They share one unit.
#[derive(Debug)]
pub(super) struct ConcurrentLookups {
    count: usize,
    is_refunded: bool,
}

/// A lookup of a room by its code.
///
/// It holds a unit for wrong codes. The unit is spent unless [`CodeLookup::refund`] is called, also if the request is
/// cancelled.
#[derive(Debug)]
pub struct CodeLookup {
    address_limits: Arc<AddressLimits>,
    client_addr: ClientAddr,
    /// The code, if the address does not know it. `None` if no unit can be refunded: the address knows the code, or
    /// the text is not a code.
    unknown_code: Option<RoomCode>,
}

impl CodeLookup {
    /// Puts the unit back: the code was right, or it could not be looked up.
    pub fn refund(self) {
        let mut table = self.address_limits.table();
        let network = self.client_addr.network();
        let state = self.address_limits.state(&mut table, network);
        let code = self.unknown_code.as_ref();
        let lookups = code.and_then(|code| state.lookups.get_mut(code));
        if let Some(lookups) = lookups.filter(|lookups| !lookups.is_refunded) {
            lookups.is_refunded = true;
            for network in self.client_addr.networks() {
                let state = self.address_limits.state(&mut table, network);
                state.buckets.wrong_codes.refund();
            }
        }
    }
}

impl Drop for CodeLookup {
    fn drop(&mut self) {
        let Some(code) = &self.unknown_code else {
            return;
        };
        let mut table = self.address_limits.table();
        let network = self.client_addr.network();
        let state = self.address_limits.state(&mut table, network);
        if let Some(lookups) = state.lookups.get_mut(code) {
            lookups.count -= 1;
            if lookups.count == 0 {
                state.lookups.remove(code);
            }
        }
    }
}

impl AddressLimits {
    /// Begins a lookup of a room code. `code` is `None` for a text that is not a code.
    ///
    /// It takes a unit for wrong codes unless the address knows the code; `None` if no unit is left. Concurrent
    /// lookups of one code share one unit.
    pub fn look_up_code(
        self: &Arc<Self>,
        client_addr: ClientAddr,
        code: Option<&RoomCode>,
    ) -> Option<CodeLookup> {
        let mut table = self.table();
        let state = self.state(&mut table, client_addr.network());
        let unknown_code = code.filter(|code| !state.known_codes.contains(code));
        let unknown_code = unknown_code.cloned();
        let is_new = match &unknown_code {
            Some(code) => !state.lookups.contains_key(code),
            None => code.is_none(),
        };
        if is_new {
            let now = Instant::now();
            let taken = self.take(
                &mut table,
                client_addr,
                |state| state.buckets.wrong_codes.check(1, now),
                |state| state.buckets.wrong_codes.take(1, now),
            );
            taken.ok()?;
        }
        if let Some(code) = &unknown_code {
            let lookups = self
                .state(&mut table, client_addr.network())
                .lookups
                .entry(code.clone())
                .or_insert(ConcurrentLookups {
                    count: 0,
                    is_refunded: false,
                });
            lookups.count += 1;
        }
        Some(CodeLookup {
            address_limits: self.clone(),
            client_addr,
            unknown_code,
        })
    }

    /// Notes that the address knows the code of a room.
    pub fn record_known_code(&self, client_addr: ClientAddr, code: &RoomCode) {
        let mut table = self.table();
        let state = self.state(&mut table, client_addr.network());
        let known_codes = &mut state.known_codes;
        if !known_codes.contains(code) {
            known_codes.push_back(code.clone());
        }
        if known_codes.len() > MAX_KNOWN_CODES {
            known_codes.pop_front();
        }
    }
}
