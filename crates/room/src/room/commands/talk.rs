//! The commands of talk: `chat`, `react`, `nudge` and `ask_host`.

use sticheln_bots::Player;
use sticheln_protocol::{Reaction, ServerMessage};
use sticheln_rules::Seat;

use super::{CommandOutcome, Decision};
use crate::chair::Chair;
use crate::room::{Room, talk};
use crate::{Name, Notice, Owner, Refusal};

impl<G: Player> Room<G> {
    pub(super) fn chat(&mut self, owner: Owner, text: &str) -> Decision<G> {
        let seat = self.state.seat_of(owner);
        if seat.is_none() && !self.state.settings.spectator_chat {
            return Err(Refusal::ChatClosed);
        }
        if seat.is_none() && self.is_muted(owner) {
            return Err(Refusal::Muted);
        }
        let text = talk::visible(text)?;
        let now = self.timers.now();
        self.talk.try_charge(owner, now)?;
        let name = match seat {
            Some(seat) => self.state.chair(seat).and_then(Chair::name),
            None => self.spectator_name(owner),
        };
        let number = self
            .presence
            .spectators
            .of(owner)
            .map(|spectator| spectator.number);
        let line = ServerMessage::Chat {
            at: now,
            seat,
            name: name.map(Name::as_str),
            spectator: number.filter(|_| seat.is_none()),
            text: &text,
        };
        let line = line.encode();
        self.send_talk(&line);
        self.talk.keep(line);
        Ok(CommandOutcome::Nothing)
    }

    /// Sends a line of the operator to everybody, and keeps it for people who come later.
    pub(in crate::room) fn post_notice(&mut self, notice: &Notice) {
        let line = ServerMessage::Notice {
            at: self.timers.now(),
            text: notice.text(),
        };
        let line = line.encode();
        self.send_talk(&line);
        self.talk.keep(line);
    }

    pub(super) fn react(&mut self, owner: Owner, reaction: &str) -> Decision<G> {
        let seat = self.seat(owner)?;
        let reaction: Reaction = reaction.parse().map_err(|_| Refusal::UnknownReaction)?;
        self.talk.try_charge(owner, self.timers.now())?;
        self.send_talk(&ServerMessage::Reacted { seat, reaction }.encode());
        Ok(CommandOutcome::Nothing)
    }

    pub(super) fn nudge(&mut self, owner: Owner, seat: Seat) -> Decision<G> {
        let by = self.seat(owner)?;
        self.chair(seat)?;
        let game = self.unpaused_game()?;
        if by == seat || !game.state.view(None).to_act().contains(&seat) {
            return Err(Refusal::NotAwaited);
        }
        self.talk.nudge(self.timers.now())?;
        self.send_talk(&ServerMessage::Nudged { seat, by }.encode());
        Ok(CommandOutcome::Nothing)
    }

    /// Asks the host to act. Another person becomes the host if this one sends nothing for a while. The nudge for it is sent
    /// only if the last one was not a moment ago.
    pub(super) fn ask_host(&mut self, owner: Owner) -> Decision<G> {
        let by = self.seat(owner)?;
        let seat = self.state.host.filter(|seat| *seat != by);
        let seat = seat.ok_or(Refusal::NotAwaited)?;
        let host = self.chair(seat)?.person().ok_or(Refusal::NotAPerson)?.owner;
        if !self.presence.is_here(host) {
            return Err(Refusal::NotHere);
        }
        let now = self.timers.now();
        self.presence.activity.record_request(host, now);
        self.broadcast.invalidate_table();
        if self.talk.nudge(now).is_ok() {
            self.send_talk(&ServerMessage::Nudged { seat, by }.encode());
        }
        Ok(CommandOutcome::Nothing)
    }
}
