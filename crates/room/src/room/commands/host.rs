//! The commands of the host about settings and chairs: `configure`, `add_bot`, `set_bot`, `remove`, `admit`,
//! `give_host` and `swap`.

use sticheln_bots::{Level, Player};
use sticheln_protocol::SettingsPatch;
use sticheln_rules::Seat;

use super::{CommandContext, CommandOutcome, Decision};
use crate::chair::Sitter;
use crate::room::{Effect, NotHashed, Room};
use crate::{Change, ConnId, Owner, Password, PasswordHash, Refusal, RoomSettings, Title};

impl<G: Player> Room<G> {
    /// Changes the settings. A new password is hashed first, and the rest of the message is done with it.
    pub(super) fn configure(
        &mut self,
        context: CommandContext<'_>,
        mut patch: SettingsPatch,
    ) -> Decision<G> {
        let CommandContext { conn, owner, id } = context;
        let Some(password) = patch.take_password() else {
            if patch.password.is_some() {
                self.admission.check_idle(conn)?;
            }
            return self.decide_configure(owner, &patch, None);
        };
        // A message that would be refused afterwards is refused before the work.
        self.decide_configure(owner, &patch, None)?;
        let password = Password::new(&password)?;
        self.admission.check_idle(conn)?;
        self.admission.await_hash(conn, id, patch);
        let hash = Effect::HashPassword(conn, password);
        self.outputs.effects.push(hash);
        Ok(CommandOutcome::Pending)
    }

    /// Ends the wait of a `configure` for the hash of its password. It is decided now.
    pub(in crate::room) fn password_hashed(
        &mut self,
        conn: ConnId,
        hashed: Result<PasswordHash, NotHashed>,
    ) {
        let connection = self.presence.connection(conn);
        let Some(owner) = connection.and_then(|connection| connection.owner) else {
            return;
        };
        let Some(configure) = self.admission.take_configure(conn) else {
            return;
        };
        let id = &configure.id;
        let decision = match hashed {
            Ok(hash) => self.decide_configure(owner, &configure.patch, Some(hash)),
            Err(NotHashed::TooMany) => Err(Refusal::TooManyAttempts),
            Err(NotHashed::Failed) => Err(Refusal::Busy),
        };
        if let Some(answer) = self.finish_decision(CommandContext { conn, owner, id }, decision) {
            self.answer(conn, Some(id), answer);
        }
    }

    /// The change that a `configure` asks for. The hash is that of the new password, if there is one.
    fn decide_configure(
        &self,
        owner: Owner,
        patch: &SettingsPatch,
        password_hash: Option<PasswordHash>,
    ) -> Decision<G> {
        self.check_host(owner)?;
        let is_for_lobby =
            patch.options.is_some() || patch.seats.is_some() || patch.opening_seat.is_some();
        if is_for_lobby {
            self.check_lobby()?;
            self.check_no_continuation()?;
        }
        let seats = self.seats_for(patch.seats)?;
        let settings = self.patched_settings(patch, seats, password_hash)?;
        let is_new = self.state.settings != settings || self.state.chairs.len() != seats;
        let change = Change::Configured { seats, settings };
        Ok(CommandOutcome::if_new(is_new, change))
    }

    /// The settings with this patch, for this number of chairs.
    fn patched_settings(
        &self,
        patch: &SettingsPatch,
        seats: usize,
        password_hash: Option<PasswordHash>,
    ) -> Result<RoomSettings<G>, Refusal> {
        // A new field must be named here.
        let SettingsPatch {
            options,
            seats: _,
            opening_seat,
            title,
            listed,
            turn_seconds,
            spectator_chat,
            fast_bots,
            waiting_room,
            replays,
            password,
        } = patch;
        let is_chair = |seat: &Seat| seat.index() < seats;
        if !opening_seat.flatten().as_ref().is_none_or(is_chair) {
            return Err(Refusal::NoSuchChair);
        }
        let old = &self.state.settings;
        let loses_password =
            password.is_some() && password_hash.is_none() && old.password_hash.is_some();
        let kept_replays = match loses_password {
            // Games that were played under the password stay with their players until the host opens them.
            true => Some(old.replay_access()),
            false => old.replays,
        };
        Ok(RoomSettings {
            title: match title {
                Some(Some(title)) => Some(Title::new(title)?),
                Some(None) => None,
                None => old.title.clone(),
            },
            listed: listed.unwrap_or(old.listed),
            options: match options {
                Some(options) => RoomSettings::<G>::read_options(options)?,
                None => old.options.clone(),
            },
            opening_seat: opening_seat.unwrap_or(old.opening_seat).filter(is_chair),
            turn_seconds: turn_seconds.unwrap_or(old.turn_seconds),
            spectator_chat: spectator_chat.unwrap_or(old.spectator_chat),
            fast_bots: fast_bots.unwrap_or(old.fast_bots),
            waiting_room: waiting_room.unwrap_or(old.waiting_room),
            replays: replays.or(kept_replays),
            password_hash: match password {
                Some(_) => password_hash,
                None => old.password_hash.clone(),
            },
        })
    }

    /// The new number of chairs. Only free ones can be removed.
    fn seats_for(&self, wanted: Option<usize>) -> Result<usize, Refusal> {
        let Some(seats) = wanted else {
            return Ok(self.state.chairs.len());
        };
        if !G::SEATS.contains(&seats) {
            return Err(Refusal::WrongSeats);
        }
        let mut removed = self.state.chairs.iter().skip(seats);
        let are_free = removed.all(|chair| chair.sitter == Sitter::Free);
        are_free.then_some(seats).ok_or(Refusal::ChairTaken)
    }

    pub(super) fn add_bot(&self, owner: Owner, level: &str, seat: Option<Seat>) -> Decision<G> {
        self.check_host(owner)?;
        let level = read_level(level)?;
        let seat = self.chair_for_bot(seat)?;
        let name = self.bot_name();
        Ok(CommandOutcome::Change(Change::BotSeated {
            seat,
            level,
            name,
        }))
    }

    /// A free chair: this one, or the first.
    fn chair_for_bot(&self, seat: Option<Seat>) -> Result<Seat, Refusal> {
        match seat {
            Some(seat) => match self.chair(seat)?.sitter {
                Sitter::Free => Ok(seat),
                Sitter::Person(_) | Sitter::Bot(_) => Err(Refusal::ChairTaken),
            },
            None => {
                let mut chairs = self.state.seats();
                let free = chairs.find(|(_, chair)| chair.sitter == Sitter::Free);
                free.map(|(seat, _)| seat).ok_or(Refusal::NoFreeChair)
            }
        }
    }

    pub(super) fn set_bot(&self, owner: Owner, seat: Seat, level: &str) -> Decision<G> {
        self.check_host(owner)?;
        let level = read_level(level)?;
        match &self.chair(seat)?.sitter {
            Sitter::Bot(bot) => {
                let name = bot.name.clone();
                let is_new = bot.level != level;
                let change = Change::BotSeated { seat, level, name };
                Ok(CommandOutcome::if_new(is_new, change))
            }
            Sitter::Free | Sitter::Person(_) => Err(Refusal::NotABot),
        }
    }

    pub(super) fn remove(&self, owner: Owner, seat: Seat) -> Decision<G> {
        self.check_host(owner)?;
        match &self.chair(seat)?.sitter {
            Sitter::Free => Err(Refusal::ChairFree),
            Sitter::Bot(_) if self.is_game_on() => Err(Refusal::GameInProgress),
            Sitter::Bot(_) | Sitter::Person(_) => {
                Ok(CommandOutcome::Change(self.leaving_change(seat)))
            }
        }
    }

    pub(super) fn admit_guest(&mut self, owner: Owner, guest: u64, admit: bool) -> Decision<G> {
        self.check_host(owner)?;
        let guest = self.admission.guests.take(guest);
        let guest = guest.ok_or(Refusal::NoSuchGuest)?;
        let verdict = admit.then_some(()).ok_or(Refusal::NotAdmitted);
        self.answer_guest(&guest, verdict);
        let owner = guest.owner;
        let change = Change::GuestAdmitted { owner };
        // Without an entry they are let in until the room sleeps.
        let may_log = !self.is_log_full() && self.check_write_budget(&change).is_ok();
        let is_admitted = self.admission.has_admitted(owner);
        Ok(CommandOutcome::if_new(is_admitted && may_log, change))
    }

    pub(super) fn give_host(&self, owner: Owner, seat: Seat) -> Decision<G> {
        self.check_host(owner)?;
        let person = self.chair(seat)?.person().ok_or(Refusal::NotAPerson)?;
        if !self.presence.is_here(person.owner) {
            return Err(Refusal::NotHere);
        }
        let is_new = self.state.host != Some(seat);
        let change = Change::HostPassed { seat: Some(seat) };
        Ok(CommandOutcome::if_new(is_new, change))
    }

    pub(super) fn swap(&self, owner: Owner, a: Seat, b: Seat) -> Decision<G> {
        self.check_host(owner)?;
        self.check_lobby()?;
        self.chair(a)?;
        self.chair(b)?;
        Ok(CommandOutcome::if_new(a != b, Change::Swapped { a, b }))
    }
}

/// The level of this name.
fn read_level(name: &str) -> Result<Level, Refusal> {
    name.parse().map_err(|_| Refusal::UnknownLevel)
}
