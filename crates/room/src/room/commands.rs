//! The commands of clients. Each message gets one answer with its id. A repetition while its password is checked
//! shares the answer.
//!
//! The documentation of the crate explains the steps. A command is executed and decided. Then its decision is finished: its
//! change is added to the room log, or the answer is kept.
//!
//! Each command has a function: in `seats.rs` (chairs of people), `claims.rs` (claims to lost seats), `host.rs` (settings,
//! bots, guests), `spectators.rs` (spectators), `game.rs` (the game), `talk.rs` (chat, reactions, nudges, `ask_host`),
//! `room/stand_in.rs` (`stand_in`, `back`) or `room/idle.rs` (`more_time`). `room/hello.rs` has the message that comes before
//! all commands.

mod claims;
mod game;
mod host;
mod seats;
mod spectators;
mod talk;

use sticheln_bots::Player;
use sticheln_protocol::{ClientMessage, Phase};
use sticheln_rules::{Illegal, Seat};

use super::{Effect, Room};
use crate::chair::Chair;
use crate::command_id::CommandId;
use crate::current_game::CurrentGame;
use crate::{Change, ClientRequest, ConnId, Eviction, Name, Owner, Refusal, RequestContent};

/// The sender and the id of a command: the connection, its owner, and the id of the message.
#[derive(Clone, Copy)]
struct CommandContext<'a> {
    conn: ConnId,
    owner: Owner,
    id: &'a str,
}

/// The decision on a command: its outcome, or a refusal.
pub(super) type Decision<G> = Result<CommandOutcome<G>, Refusal>;

/// The outcome of a command that is not refused.
pub(super) enum CommandOutcome<G: Player> {
    /// A change of the room, which needs an entry.
    Change(Change<G>),
    /// A change that gives a name to the asking person.
    NamedChange(Change<G>, Name),
    /// Nothing that the room log needs.
    Nothing,
    /// The answer has to wait for work on a password, or for a read of a round.
    Pending,
}

impl<G: Player> CommandOutcome<G> {
    /// This change if it is new, else nothing.
    fn if_new(is_new: bool, change: Change<G>) -> Self {
        match is_new {
            true => Self::Change(change),
            false => Self::Nothing,
        }
    }
}

impl<G: Player> Room<G> {
    /// Executes the command of a message and answers it: at once, or when work on a password is done.
    pub(super) fn handle_message(&mut self, conn: ConnId, request: ClientRequest) {
        let Some(connection) = self.presence.connection(conn) else {
            return;
        };
        let owner = connection.owner;
        let ClientRequest {
            id,
            content,
            is_outdated,
        } = request;
        let id = id.as_deref();
        let reads = &self.slow_work.read_requests;
        let waits = |id| self.admission.waits_for(conn, id) || reads.waits_for(conn, id);
        if id.is_some_and(waits) {
            // The client has sent it again: one answer is sent for both when the work is done.
            return;
        }
        let answer = match (id, owner, content) {
            (None, ..) => Some(Err(Refusal::Malformed)),
            (Some(_), _, RequestContent::Unreadable(error)) => Some(Err(error.into())),
            (Some(id), None, RequestContent::Hello(hello)) => {
                // A refused repetition of a `hello` that waits changes nothing.
                if self.admission.check_idle(conn).is_ok() {
                    let seen = self.seen_by(&hello);
                    self.broadcast.recent_events.set_seen(conn, seen);
                    self.presence
                        .admission_order
                        .set_earlier_admission(conn, hello.earlier_admission);
                }
                self.hello(conn, id, &hello)
            }
            (Some(_), Some(_), RequestContent::Hello(_)) => Some(Err(Refusal::HelloTwice)),
            (Some(_), None, RequestContent::Command(_)) => Some(Err(Refusal::HelloFirst)),
            (Some(id), Some(owner), RequestContent::Command(command)) => {
                let context = CommandContext { conn, owner, id };
                if is_outdated {
                    Some(self.answer_outdated(context))
                } else {
                    self.execute(context, command)
                }
            }
        };
        if let Some(answer) = answer {
            self.answer(conn, id, answer);
        }
    }

    /// Executes a command, once for each id. Returns the answer; `None` if it has to wait.
    fn execute(
        &mut self,
        context: CommandContext<'_>,
        command: ClientMessage,
    ) -> Option<Result<(), Refusal>> {
        if let Some(answer) = self.earlier_answer(context) {
            return Some(answer);
        }
        let shows_presence =
            shows_presence(&command) && !self.replaces_choice(context.owner, &command);
        if shows_presence {
            self.presence.record_message_of(context.owner);
        }
        let decision = self.decide(context, command);
        if shows_presence && decision.is_ok() {
            self.record_activity(context.owner);
        }
        self.finish_decision(context, decision)
    }

    /// The answer to a command that was sent when the room was in another state. It is not executed.
    fn answer_outdated(&mut self, context: CommandContext<'_>) -> Result<(), Refusal> {
        let CommandContext { owner, id, .. } = context;
        self.earlier_answer(context)
            .unwrap_or_else(|| self.keep_answer(owner, id, Err(Refusal::Outdated)))
    }

    /// Records that the sender of an accepted command is active.
    fn record_activity(&mut self, owner: Owner) {
        let state = &self.state;
        let is_seated = |owner| state.seat_of(owner).is_some();
        let now = self.timers.now();
        let activity = &mut self.presence.activity;
        if activity.record_command(owner, now, is_seated) {
            self.broadcast.invalidate_table();
        }
    }

    /// The answer to an earlier command of this owner with this id.
    fn earlier_answer(
        &self,
        CommandContext { owner, id, .. }: CommandContext<'_>,
    ) -> Option<Result<(), Refusal>> {
        let id = CommandId::of(id);
        let applied = self.state.applied_ids.get(&owner);
        if applied.is_some_and(|ids| ids.contains(id)) {
            return Some(Ok(()));
        }
        self.answers.find(owner, id)
    }

    /// The decision about a command.
    fn decide(&mut self, context: CommandContext<'_>, command: ClientMessage) -> Decision<G> {
        let CommandContext { conn, owner, .. } = context;
        if self.state.has_seen_all_hands(owner) && !is_unnoticed(&command) {
            return Err(Refusal::WatchesHands);
        }
        match command {
            ClientMessage::Hello { .. } => Err(Refusal::HelloTwice),
            ClientMessage::Sit { name, seat } => self.sit(owner, &name, seat),
            ClientMessage::Stand {} => self.stand(owner),
            ClientMessage::Rename { name } => self.rename(owner, &name),
            ClientMessage::Ready { ready } => self.ready(owner, ready),
            ClientMessage::ChooseCharacter { character } => {
                self.choose_character(owner, character.as_deref())
            }
            ClientMessage::Configure(patch) => self.configure(context, patch),
            ClientMessage::AddBot { level, seat } => self.add_bot(owner, &level, seat),
            ClientMessage::SetBot { seat, level } => self.set_bot(owner, seat, &level),
            ClientMessage::Remove { seat } => self.remove(owner, seat),
            ClientMessage::MuteSpectator { spectator, muted } => {
                self.mute_spectator(owner, spectator, muted)
            }
            ClientMessage::RemoveSpectator { spectator } => self.remove_spectator(owner, spectator),
            ClientMessage::Queue { queue } => self.queue(owner, queue),
            ClientMessage::WatchHands { watch } => self.watch_hands(owner, watch),
            ClientMessage::AllowWatching { request, allow } => {
                self.allow_watching(owner, request, allow)
            }
            ClientMessage::GiveHost { seat } => self.give_host(owner, seat),
            ClientMessage::Swap { a, b } => self.swap(owner, a, b),
            ClientMessage::Start {} => self.start(owner),
            ClientMessage::Rematch {} => self.rematch(owner),
            ClientMessage::Pause {} => self.pause(owner),
            ClientMessage::Resume {} => self.resume(owner),
            ClientMessage::End {} => self.end(owner),
            ClientMessage::ReturnToLobby {} => self.return_to_lobby(owner),
            ClientMessage::AgreeToEnd { agree } => self.agree_to_end(owner, agree),
            ClientMessage::Hold {} => self.hold(owner),
            ClientMessage::MoreTime {} => self.more_time(owner),
            ClientMessage::StandIn { seat } => self.stand_in(owner, seat),
            ClientMessage::Back {} => self.back(owner),
            ClientMessage::Act { action } => self.act(owner, action),
            ClientMessage::Handover { code: None } => self.offer_handover(conn, owner),
            ClientMessage::Handover { code: Some(code) } => self.take_over(owner, &code),
            ClientMessage::Admit { guest, admit } => self.admit_guest(owner, guest, admit),
            ClientMessage::Claim { name } => self.claim(owner, &name),
            ClientMessage::AnswerClaim { claim, agree } => self.answer_claim(owner, claim, agree),
            ClientMessage::Chat { text } => self.chat(owner, &text),
            ClientMessage::React { reaction } => self.react(owner, &reaction),
            ClientMessage::Nudge { seat } => self.nudge(owner, seat),
            ClientMessage::AskHost {} => self.ask_host(owner),
            ClientMessage::RoundLog { round } => {
                self.request_round_log(conn, owner, context.id, round)?;
                Ok(CommandOutcome::Pending)
            }
            ClientMessage::Games {} => {
                self.request_games(conn, owner, context.id)?;
                Ok(CommandOutcome::Pending)
            }
            ClientMessage::Ping {} => Ok(CommandOutcome::Nothing),
        }
    }

    /// Adds the entry of a decision, or keeps the answer. `None` if the answer has to wait.
    fn finish_decision(
        &mut self,
        context: CommandContext<'_>,
        decision: Decision<G>,
    ) -> Option<Result<(), Refusal>> {
        let CommandContext { owner, id, .. } = context;
        let (change, name) = match decision {
            Ok(CommandOutcome::Change(change)) => (change, None),
            Ok(CommandOutcome::NamedChange(change, name)) => (change, Some(name)),
            // A repetition gets the same answer.
            Ok(CommandOutcome::Nothing) => return Some(self.keep_answer(owner, id, Ok(()))),
            Ok(CommandOutcome::Pending) => return None,
            Err(refusal) => return Some(self.keep_answer(owner, id, Err(refusal))),
        };
        if self.is_log_full() && !change.properties().is_allowed_when_full {
            return Some(self.keep_answer(owner, id, Err(Refusal::LogFull)));
        }
        if let Err(refusal) = self.check_write_budget(&change) {
            return Some(self.keep_answer(owner, id, Err(refusal)));
        }
        // The id is part of the entry, so the answer need not be kept.
        self.add_entry_for(context, change, name);
        Some(Ok(()))
    }

    /// Keeps an answer to a command that changes nothing, and returns it.
    fn keep_answer(
        &mut self,
        owner: Owner,
        id: &str,
        answer: Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.answers.keep(owner, id, answer);
        answer
    }

    /// Adds the entry of a command, and closes the connections that it ends.
    fn add_entry_for(
        &mut self,
        CommandContext { conn, owner, id }: CommandContext<'_>,
        change: Change<G>,
        name: Option<Name>,
    ) {
        let evicted = self.evicted_by(owner, &change);
        let former_seat = self.state.seat_of(owner);
        let former_name = former_seat.and_then(|seat| self.state.chair(seat)?.name().cloned());
        let claimant = match change {
            Change::Claimed { owner, .. } => Some(owner),
            _ => None,
        };
        if let Some(name) = &name {
            self.free_name(name, owner);
        }
        self.add_entry(Some((owner, id.to_owned())), change, name);
        if let Some((owner, reason)) = evicted {
            self.evict(owner, reason);
        }
        if let Some(claimant) = claimant {
            self.settle_claim(claimant);
        }
        if self.state.seat_of(owner).is_some() {
            self.close_all(owner, Some(conn), Eviction::TakenUpElsewhere);
        } else {
            // They may have stood up: a code for the seat that they had is void, and they watch under the name that they had.
            self.transfers.handovers.remove(owner);
            if former_name.is_some() {
                self.welcome_spectator(owner, former_name);
            }
        }
    }

    /// Disconnects an owner who has lost their seat or was removed.
    fn evict(&mut self, owner: Owner, reason: Eviction) {
        // Their code has been used or is void.
        self.transfers.handovers.remove(owner);
        if reason == Eviction::Removed {
            // They need the password again, which the host may change.
            self.admission.revoke(owner);
            self.presence.spectators.queue.set(owner, false);
            // They may have other tokens here, or prepared: only people who are connected are not new to the room.
            let presence = &self.presence;
            self.admission.retain(|owner| presence.is_here(owner));
        }
        self.close_all(owner, None, reason);
    }

    /// The owner whose connections a change closes, and the reason.
    fn evicted_by(&self, sender: Owner, change: &Change<G>) -> Option<(Owner, Eviction)> {
        if let Change::SpectatorRemoved { owner } = *change {
            return Some((owner, Eviction::Removed));
        }
        let (seat, reason) = change.properties().evicted?;
        let owner = self.state.chair(seat)?.person()?.owner;
        (owner != sender).then_some((owner, reason))
    }

    /// Closes all connections of an owner but one.
    pub(super) fn close_all(&mut self, owner: Owner, except: Option<ConnId>, reason: Eviction) {
        let evicted = self.presence.evict(owner, except, self.timers.now());
        self.close(evicted, reason);
    }

    /// Closes connections that were evicted.
    pub(super) fn close(&mut self, evicted: Vec<ConnId>, reason: Eviction) {
        for conn in evicted {
            self.admission.forget(conn);
            self.broadcast.forget(conn);
            self.slow_work.read_requests.forget(conn);
            self.broadcast.invalidate_table();
            self.outputs.effects.push(Effect::Close(conn, reason));
        }
        self.drop_void_claims();
        self.forget_absent();
    }
}

// Conditions of several commands.
impl<G: Player> Room<G> {
    pub(super) fn seat(&self, owner: Owner) -> Result<Seat, Refusal> {
        let seat = self.state.seat_of(owner);
        seat.ok_or(Refusal::Illegal(Illegal::NOT_SEATED))
    }

    pub(super) fn chair(&self, seat: Seat) -> Result<&Chair, Refusal> {
        self.state.chair(seat).ok_or(Refusal::NoSuchChair)
    }

    fn check_host(&self, owner: Owner) -> Result<(), Refusal> {
        let is_host = self.state.host_owner() == Some(owner);
        is_host.then_some(()).ok_or(Refusal::NotHost)
    }

    fn check_lobby(&self) -> Result<(), Refusal> {
        let is_lobby = self.state.phase() == Phase::Lobby;
        is_lobby.then_some(()).ok_or(Refusal::GameInProgress)
    }

    /// Checks that the next game is not played on from a position, which fixes its seats and its options.
    fn check_no_continuation(&self) -> Result<(), Refusal> {
        let is_new = self.state.continuation.is_none();
        is_new.then_some(()).ok_or(Refusal::PositionGiven)
    }

    /// Whether a game is on, be it paused.
    pub(super) fn is_game_on(&self) -> bool {
        matches!(self.state.phase(), Phase::Playing | Phase::Paused)
    }

    /// The game, also if it is over, unless it is paused.
    pub(super) fn unpaused_game(&self) -> Result<&CurrentGame<G>, Refusal> {
        match &self.state.game {
            Some(game) if game.is_paused() => Err(Refusal::Paused),
            Some(game) => Ok(game),
            None => Err(Refusal::NoGame),
        }
    }
}

/// Whether others notice neither a command nor its effects. A spectator who sees all hands can send only such commands.
fn is_unnoticed(command: &ClientMessage) -> bool {
    matches!(
        command,
        ClientMessage::Hello { .. }
            | ClientMessage::Ping {}
            | ClientMessage::RoundLog { .. }
            | ClientMessage::Games {}
    )
}

/// Whether a command comes from a person: clients send the others by themselves.
fn shows_presence(command: &ClientMessage) -> bool {
    match command {
        ClientMessage::Hello { .. }
        | ClientMessage::Ping {}
        | ClientMessage::Back {}
        | ClientMessage::RoundLog { .. }
        | ClientMessage::Games {} => false,
        ClientMessage::Sit { .. }
        | ClientMessage::Stand {}
        | ClientMessage::Rename { .. }
        | ClientMessage::Ready { .. }
        | ClientMessage::ChooseCharacter { .. }
        | ClientMessage::Configure(_)
        | ClientMessage::AddBot { .. }
        | ClientMessage::SetBot { .. }
        | ClientMessage::Remove { .. }
        | ClientMessage::MuteSpectator { .. }
        | ClientMessage::RemoveSpectator { .. }
        | ClientMessage::Queue { .. }
        | ClientMessage::WatchHands { .. }
        | ClientMessage::AllowWatching { .. }
        | ClientMessage::GiveHost { .. }
        | ClientMessage::Swap { .. }
        | ClientMessage::Start {}
        | ClientMessage::Pause {}
        | ClientMessage::Resume {}
        | ClientMessage::End {}
        | ClientMessage::ReturnToLobby {}
        | ClientMessage::AgreeToEnd { .. }
        | ClientMessage::Hold {}
        | ClientMessage::MoreTime {}
        | ClientMessage::Rematch {}
        | ClientMessage::StandIn { .. }
        | ClientMessage::Act { .. }
        | ClientMessage::Handover { .. }
        | ClientMessage::Admit { .. }
        | ClientMessage::Claim { .. }
        | ClientMessage::AnswerClaim { .. }
        | ClientMessage::Chat { .. }
        | ClientMessage::React { .. }
        | ClientMessage::Nudge { .. }
        | ClientMessage::AskHost {} => true,
    }
}
