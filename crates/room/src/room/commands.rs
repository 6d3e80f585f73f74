//! The messages of clients: each is answered exactly once.

use serde::Deserialize;
use serde_json::Value;
use sticheln_bots::{Level, Player};
use sticheln_protocol::{
    ClientMessage, Incoming, Phase, Reaction, ServerMessage, SettingsPatch, names_fields,
};
use sticheln_rules::{Illegal, Seat};

use super::talk;
use super::{CHAIR_KEPT, Output, Room};
use crate::chair::{Chair, Sitter};
use crate::state::Play;
use crate::{By, Change, ConnId, Eviction, Name, Owner, PasswordHash, Refusal, Settings, Title};

/// What bots are called, and no person: more names than a table has chairs.
const BOT_NAMES: [&str; 8] = [
    "Bobbin", "Thimble", "Needle", "Button", "Spool", "Tassel", "Buckle", "Pompom",
];

impl<G: Player> Room<G> {
    /// Does what a message asks for and answers it: at once, or when slow work on a password is done.
    pub(super) fn handle_message(&mut self, conn: ConnId, message: Incoming) {
        let Some(connection) = self.presence.state(conn) else {
            return;
        };
        let Incoming { id, message } = message;
        let id = id.as_deref();
        if id.is_some_and(|id| connection.waits_for(id)) {
            // It was sent again: both are answered when the work is done.
            return;
        }
        let answer = match (id, connection.owner(), message) {
            (None, ..) => Some(Err(Refusal::Malformed)),
            (Some(_), _, Err(error)) => Some(Err(error.into())),
            (Some(id), None, Ok(ClientMessage::Hello { token, password })) => {
                self.hello(conn, id, &token, password.as_deref())
            }
            (Some(_), None, Ok(_)) => Some(Err(Refusal::HelloFirst)),
            (Some(id), Some(owner), Ok(command)) => match self.answered(owner, id) {
                Some(answer) => Some(answer),
                None => self.obey(conn, owner, id, command),
            },
        };
        if let Some(answer) = answer {
            self.answer(conn, id, answer);
        }
    }

    /// Closes all connections of an owner but one.
    pub(super) fn close_all(&mut self, owner: Owner, but: Option<ConnId>, reason: Eviction) {
        for conn in self.presence.evict(owner, but, self.now) {
            self.newcomers.retain(|newcomer| *newcomer != conn);
            self.outputs.push(Output::Close(conn, reason));
            self.stale = true;
        }
    }

    /// The answer that this owner received when they sent this id before.
    fn answered(&self, owner: Owner, id: &str) -> Option<Result<(), Refusal>> {
        let granted = self.state.granted.get(&owner);
        if granted.is_some_and(|ids| ids.iter().any(|granted| granted == id)) {
            return Some(Ok(()));
        }
        self.replies.find(owner, id)
    }

    /// Does what is asked for, or says why not; `None`: it is answered when slow work is done.
    fn obey(
        &mut self,
        conn: ConnId,
        owner: Owner,
        id: &str,
        command: ClientMessage,
    ) -> Option<Result<(), Refusal>> {
        if shows_presence(&command) {
            self.presence.note_message_of(owner);
        }
        let decided = match command {
            ClientMessage::Configure(mut patch) => match patch.take_password() {
                Some(password) => match self.hash_password(conn, owner, id, patch, &password) {
                    Ok(()) => return None,
                    Err(refusal) => Err(refusal),
                },
                None => self.decide(conn, owner, ClientMessage::Configure(patch)),
            },
            command => self.decide(conn, owner, command),
        };
        Some(self.settle(conn, owner, id, decided))
    }

    /// Does what was decided, and keeps the answer.
    pub(super) fn settle(
        &mut self,
        conn: ConnId,
        owner: Owner,
        id: &str,
        decided: Result<Option<Change<G>>, Refusal>,
    ) -> Result<(), Refusal> {
        match decided {
            Ok(Some(change)) if self.is_log_full() && !change.effects().fits_full_log => {
                self.remember(owner, id, Err(Refusal::LogFull))
            }
            Ok(Some(change)) => {
                let evicted = self.evicted_by(owner, &change);
                self.enter(Some((owner, id.to_owned())), change);
                if let Some((owner, reason)) = evicted {
                    if reason == Eviction::Removed {
                        // The host may change the password too.
                        self.admitted.retain(|admitted| *admitted != owner);
                    }
                    self.close_all(owner, None, reason);
                }
                if self.state.seat_of(owner).is_some() {
                    self.close_all(owner, Some(conn), Eviction::TakenUpElsewhere);
                }
                Ok(())
            }
            Ok(None) => self.remember(owner, id, Ok(())),
            Err(refusal) => self.remember(owner, id, Err(refusal)),
        }
    }

    /// The owner whose connections a change closes, and why.
    fn evicted_by(&self, asker: Owner, change: &Change<G>) -> Option<(Owner, Eviction)> {
        let (seat, reason) = change.effects().evicted?;
        let owner = self.state.chair(seat)?.person()?.owner;
        (owner != asker).then_some((owner, reason))
    }

    fn remember(
        &mut self,
        owner: Owner,
        id: &str,
        answer: Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.replies.keep(owner, id, answer);
        answer
    }
}

// The commands, one by one: the change that each leads to, or why it is refused. `None`: nothing goes into the log.
impl<G: Player> Room<G> {
    fn decide(
        &mut self,
        conn: ConnId,
        owner: Owner,
        command: ClientMessage,
    ) -> Result<Option<Change<G>>, Refusal> {
        match command {
            ClientMessage::Hello { .. } => Err(Refusal::HelloTwice),
            ClientMessage::Sit { name, seat } => self.sit(owner, &name, seat).map(Some),
            ClientMessage::Stand {} => {
                let seat = self.seat(owner)?;
                Ok(Some(self.left(seat)))
            }
            ClientMessage::Rename { name } => {
                let seat = self.seat(owner)?;
                let name = self.name_of_person(&name, seat)?;
                let is_news = self.chair(seat)?.name() != Some(&name);
                Ok(is_news.then_some(Change::Renamed { seat, name }))
            }
            ClientMessage::Ready { ready } => {
                let seat = self.seat(owner)?;
                let is_news = self.chair(seat)?.ready != ready;
                Ok(is_news.then_some(Change::Ready { seat, ready }))
            }
            ClientMessage::Configure(patch) => {
                if patch.password.is_some() {
                    self.not_hashing(conn)?;
                }
                self.configured(owner, &patch, None)
            }
            ClientMessage::AddBot { level: name, seat } => {
                self.host(owner)?;
                let level = level(&name)?;
                let seat = self.free_chair(seat)?;
                let name = self.bot_name();
                Ok(Some(Change::BotSeated { seat, level, name }))
            }
            ClientMessage::SetBot { seat, level: name } => {
                self.host(owner)?;
                let level = level(&name)?;
                match &self.chair(seat)?.sitter {
                    Sitter::Bot(bot) => {
                        let name = bot.name.clone();
                        let is_news = bot.level != level;
                        Ok(is_news.then_some(Change::BotSeated { seat, level, name }))
                    }
                    Sitter::Nobody | Sitter::Person(_) => Err(Refusal::NotABot),
                }
            }
            ClientMessage::Remove { seat } => {
                self.host(owner)?;
                match &self.chair(seat)?.sitter {
                    Sitter::Nobody => Err(Refusal::NobodyThere),
                    Sitter::Bot(_) if self.is_game_on() => Err(Refusal::GameRuns),
                    Sitter::Bot(_) | Sitter::Person(_) => Ok(Some(self.left(seat))),
                }
            }
            ClientMessage::GiveHost { seat } => {
                self.host(owner)?;
                let person = self.chair(seat)?.person().ok_or(Refusal::NotAPerson)?;
                if !self.presence.is_here(person.owner) {
                    return Err(Refusal::NotHere);
                }
                let is_news = self.state.host != Some(seat);
                Ok(is_news.then_some(Change::HostPassed { seat: Some(seat) }))
            }
            ClientMessage::Swap { a, b } => {
                self.host(owner)?;
                self.lobby()?;
                self.chair(a)?;
                self.chair(b)?;
                Ok((a != b).then_some(Change::Swapped { a, b }))
            }
            ClientMessage::Start {} => {
                self.host(owner)?;
                self.lobby()?;
                if !self.begins_with_enough() {
                    return Err(Refusal::WrongSeats);
                }
                Ok(Some(self.start()))
            }
            ClientMessage::Rematch {} => {
                self.host(owner)?;
                if self.state.phase() != Phase::Over {
                    return Err(Refusal::GameNotOver);
                }
                if !self.begins_with_enough() {
                    return Err(Refusal::WrongSeats);
                }
                Ok(Some(self.start()))
            }
            ClientMessage::Pause {} => {
                self.host(owner)?;
                match self.state.phase() {
                    Phase::Playing => Ok(Some(Change::Paused)),
                    Phase::Paused => Err(Refusal::Paused),
                    Phase::Lobby | Phase::Over => Err(Refusal::NoGame),
                }
            }
            ClientMessage::Resume {} => {
                self.host(owner)?;
                match self.state.phase() {
                    Phase::Paused => Ok(Some(Change::Resumed)),
                    Phase::Lobby | Phase::Playing | Phase::Over => Err(Refusal::NotPaused),
                }
            }
            ClientMessage::End {} => {
                self.host(owner)?;
                let has_game = self.state.play.is_some();
                has_game
                    .then_some(Some(Change::Ended))
                    .ok_or(Refusal::NoGame)
            }
            ClientMessage::StandIn { seat } => {
                // If no seated person is here, a spectator may keep the game going.
                if !self.present().is_empty() {
                    self.seat(owner)?;
                }
                if !self.is_game_on() {
                    return Err(Refusal::NoGame);
                }
                let person = self.chair(seat)?.person().ok_or(Refusal::NotAPerson)?;
                if self.state.acting_bot_level(seat).is_some() {
                    Err(Refusal::StoodIn)
                } else if !self.is_missed(seat, person.owner) {
                    Err(Refusal::NotAway)
                } else {
                    Ok(Some(Change::StoodIn { seat }))
                }
            }
            ClientMessage::Back {} => {
                let seat = self.seat(owner)?;
                if self.state.waits_for_deal(seat) {
                    return Err(Refusal::WaitsForDeal);
                }
                let person = self.chair(seat)?.person();
                let stood_in = person.is_some_and(|person| person.stood_in);
                let returned = stood_in.then_some(Change::Returned { seat });
                returned.map(Some).ok_or(Refusal::NotStoodIn)
            }
            ClientMessage::Act { action } => {
                let seat = self.seat(owner)?;
                let action = read_action::<G>(action)?;
                let play = self.playing()?;
                if self.state.waits_for_deal(seat) {
                    return Err(Refusal::WaitsForDeal);
                }
                play.state.view(Some(seat)).check(&action)?;
                let by = By::Owner;
                Ok(Some(Change::Acted { seat, by, action }))
            }
            ClientMessage::Handover { code: None } => {
                self.seat(owner)?;
                self.offer_handover(conn, owner);
                Ok(None)
            }
            ClientMessage::Handover { code: Some(code) } => self.take_over(owner, &code).map(Some),
            ClientMessage::Chat { text } => self.chat(owner, &text).map(|()| None),
            ClientMessage::React { reaction } => {
                let seat = self.seat(owner)?;
                let reaction: Reaction = reaction.parse().map_err(|_| Refusal::UnknownReaction)?;
                self.talk.charge(owner, self.now)?;
                self.talk_to_all(&ServerMessage::Reacted { seat, reaction }.encode());
                Ok(None)
            }
            ClientMessage::Nudge { seat } => self.nudge(owner, seat).map(|()| None),
            ClientMessage::Ping {} => Ok(None),
        }
    }

    /// The change that a `configure` asks for. The hash is that of the new password, if there is one.
    pub(super) fn configured(
        &self,
        owner: Owner,
        patch: &SettingsPatch,
        password_hash: Option<PasswordHash>,
    ) -> Result<Option<Change<G>>, Refusal> {
        self.host(owner)?;
        let is_for_lobby = patch.options.is_some()
            || patch.seats.is_some()
            || patch.opening_seat.is_some()
            || patch.password.is_some();
        if is_for_lobby {
            self.lobby()?;
        }
        let seats = self.seats_for(patch.seats)?;
        let is_chair = |seat: &Seat| seat.index() < seats;
        if !patch.opening_seat.flatten().as_ref().is_none_or(is_chair) {
            return Err(Refusal::NoSuchSeat);
        }
        let old = &self.state.settings;
        let settings = Settings {
            title: match &patch.title {
                Some(Some(title)) => Some(Title::new(title)?),
                Some(None) => None,
                None => old.title.clone(),
            },
            listed: patch.listed.unwrap_or(old.listed),
            options: match &patch.options {
                Some(options) => Settings::<G>::read_options(options)?,
                None => old.options.clone(),
            },
            opening_seat: patch
                .opening_seat
                .unwrap_or(old.opening_seat)
                .filter(is_chair),
            turn_seconds: patch.turn_seconds.unwrap_or(old.turn_seconds),
            spectator_chat: patch.spectator_chat.unwrap_or(old.spectator_chat),
            fast_bots: patch.fast_bots.unwrap_or(old.fast_bots),
            password_hash: match patch.password {
                Some(_) => password_hash,
                None => old.password_hash.clone(),
            },
        };
        let is_news = *old != settings || self.state.chairs.len() != seats;
        Ok(is_news.then_some(Change::Configured { seats, settings }))
    }

    fn sit(&self, owner: Owner, name: &str, seat: Option<Seat>) -> Result<Change<G>, Refusal> {
        if self.state.seat_of(owner).is_some() {
            return Err(Refusal::AlreadySeated);
        }
        let seats = || self.state.seats();
        let free = seats().find(|(_, chair)| chair.sitter == Sitter::Nobody);
        let of_bot = || seats().find(|(_, chair)| matches!(chair.sitter, Sitter::Bot(_)));
        let abandoned = || seats().find(|(_, chair)| self.is_abandoned(chair));
        // Somebody who left in this round comes back to their own hand, if no other person has the chair.
        let own = || {
            let seat = *self.state.play.as_ref()?.hand_seats.get(&owner)?;
            let chair = self.state.chair(seat)?;
            chair.person().is_none().then_some((seat, chair))
        };
        let seat = match seat {
            None => {
                let chair = own().or(free).or_else(of_bot).or_else(abandoned);
                chair.map(|(seat, _)| seat).ok_or(Refusal::TableFull)?
            }
            Some(seat) => {
                let chair = self.chair(seat)?;
                let can_go = free.is_none() && self.is_abandoned(chair);
                if chair.person().is_some() && !can_go {
                    return Err(Refusal::SeatTaken);
                }
                seat
            }
        };
        let name = self.name_of_person(name, seat)?;
        Ok(Change::Sat { seat, name })
    }

    /// Whether somebody else may take the chair of an absent person: after a while, unless a game
    /// is played.
    fn is_abandoned(&self, chair: &Chair) -> bool {
        let gone = |owner| {
            let time = self.patience(CHAIR_KEPT);
            self.presence.is_gone_for(owner, time, self.now)
        };
        !self.is_game_on() && chair.person().is_some_and(|person| gone(person.owner))
    }

    /// The person leaves this seat for good; in a running game a bot keeps it.
    fn left(&self, seat: Seat) -> Change<G> {
        let keeper = self.is_game_on().then(|| self.bot_name());
        Change::Left { seat, keeper }
    }

    fn offer_handover(&mut self, conn: ConnId, owner: Owner) {
        let bits = (self.entropy.bits)();
        let state = &self.state;
        let is_seated = |owner| state.seat_of(owner).is_some();
        let (code, expires_at) = self.handovers.offer(owner, bits, self.now, is_seated);
        let offer = ServerMessage::Handover {
            code: &code,
            expires_at,
        };
        self.send(conn, &offer);
    }

    fn take_over(&mut self, owner: Owner, code: &str) -> Result<Change<G>, Refusal> {
        if self.state.seat_of(owner).is_some() {
            return Err(Refusal::AlreadySeated);
        }
        let from = self.handovers.owner_of(code, self.now);
        let seat = from.and_then(|from| self.state.seat_of(from));
        let (Some(from), Some(seat)) = (from, seat) else {
            return Err(Refusal::BadHandover);
        };
        self.handovers.remove(from);
        Ok(Change::HandedOver { seat })
    }

    fn chat(&mut self, owner: Owner, text: &str) -> Result<(), Refusal> {
        let seat = self.state.seat_of(owner);
        if seat.is_none() && !self.state.settings.spectator_chat {
            return Err(Refusal::ChatClosed);
        }
        let text = talk::visible(text)?;
        self.talk.charge(owner, self.now)?;
        let name = seat.and_then(|seat| self.state.chair(seat)?.name());
        let line = ServerMessage::Chat {
            at: self.now,
            seat,
            name: name.map(Name::as_str),
            text: &text,
        };
        let line = line.encode();
        self.talk_to_all(&line);
        self.talk.keep(line);
        Ok(())
    }

    fn nudge(&mut self, owner: Owner, seat: Seat) -> Result<(), Refusal> {
        let by = self.seat(owner)?;
        self.chair(seat)?;
        let play = self.playing()?;
        if by == seat || !play.state.view(None).to_act().contains(&seat) {
            return Err(Refusal::NotWaited);
        }
        self.talk.nudge(self.now)?;
        self.talk_to_all(&ServerMessage::Nudged { seat, by }.encode());
        Ok(())
    }

    fn seat(&self, owner: Owner) -> Result<Seat, Refusal> {
        let seat = self.state.seat_of(owner);
        seat.ok_or(Refusal::Illegal(Illegal::NotSeated))
    }

    fn chair(&self, seat: Seat) -> Result<&Chair, Refusal> {
        self.state.chair(seat).ok_or(Refusal::NoSuchSeat)
    }

    fn host(&self, owner: Owner) -> Result<(), Refusal> {
        let is_host = self.state.host_owner() == Some(owner);
        is_host.then_some(()).ok_or(Refusal::NotHost)
    }

    fn lobby(&self) -> Result<(), Refusal> {
        let is_lobby = self.state.phase() == Phase::Lobby;
        is_lobby.then_some(()).ok_or(Refusal::GameRuns)
    }

    fn is_game_on(&self) -> bool {
        matches!(self.state.phase(), Phase::Playing | Phase::Paused)
    }

    /// The game on the table, unless it rests.
    fn playing(&self) -> Result<&Play<G>, Refusal> {
        match &self.state.play {
            Some(play) if play.paused => Err(Refusal::Paused),
            Some(play) => Ok(play),
            None => Err(Refusal::NoGame),
        }
    }

    /// A chair on which nobody sits: this one, or any.
    fn free_chair(&self, seat: Option<Seat>) -> Result<Seat, Refusal> {
        match seat {
            Some(seat) => match self.chair(seat)?.sitter {
                Sitter::Nobody => Ok(seat),
                Sitter::Person(_) | Sitter::Bot(_) => Err(Refusal::SeatTaken),
            },
            None => {
                let mut entries = self.state.seats();
                let free = entries.find(|(_, chair)| chair.sitter == Sitter::Nobody);
                free.map(|(seat, _)| seat).ok_or(Refusal::TableFull)
            }
        }
    }

    /// How many chairs the table has from now on; only free ones can go.
    fn seats_for(&self, wanted: Option<usize>) -> Result<usize, Refusal> {
        let Some(seats) = wanted else {
            return Ok(self.state.chairs.len());
        };
        if !G::SEATS.contains(&seats) {
            return Err(Refusal::WrongSeats);
        }
        let mut gone = self.state.chairs.iter().skip(seats);
        let are_free = gone.all(|chair| chair.sitter == Sitter::Nobody);
        are_free.then_some(seats).ok_or(Refusal::SeatTaken)
    }

    /// This name for the person on this chair, unless somebody on another one has one like it, or
    /// a bot could have.
    fn name_of_person(&self, name: &str, seat: Seat) -> Result<Name, Refusal> {
        let name = Name::new(name)?;
        let is_free =
            self.is_free(&name, Some(seat)) && !bot_names().any(|bot| bot.resembles(&name));
        is_free.then_some(name).ok_or(Refusal::NameTaken)
    }

    /// Whether nobody has a name like this one, but for who sits on this chair.
    fn is_free(&self, name: &Name, but: Option<Seat>) -> bool {
        let mut others = self.state.seats().filter(|(seat, _)| Some(*seat) != but);
        !others.any(|(_, chair)| chair.name().is_some_and(|other| other.resembles(name)))
    }

    /// A name for a bot that nobody here has.
    fn bot_name(&self) -> Name {
        let mut names = bot_names().filter(|name| self.is_free(name, None));
        names.next().expect("there are more names than chairs")
    }
}

/// Whether a message shows that a person is there: clients send the others by themselves.
fn shows_presence(message: &ClientMessage) -> bool {
    !matches!(
        message,
        ClientMessage::Hello { .. } | ClientMessage::Ping {} | ClientMessage::Back {}
    )
}

/// The level of this name.
fn level(name: &str) -> Result<Level, Refusal> {
    name.parse().map_err(|_| Refusal::UnknownLevel)
}

/// What bots are called.
fn bot_names() -> impl Iterator<Item = Name> {
    BOT_NAMES.iter().filter_map(|name| Name::new(name).ok())
}

/// An action as the game reads it; what cannot be a card or a space has a code of its own.
fn read_action<G: Player>(action: Value) -> Result<G::Action, Refusal> {
    let read = G::Action::deserialize(&action).map_err(|error| {
        let illegal = Illegal::in_reading(&error);
        illegal.map_or(Refusal::Malformed, Refusal::Illegal)
    })?;
    names_fields(&action, &read)
        .then_some(read)
        .ok_or(Refusal::Malformed)
}
