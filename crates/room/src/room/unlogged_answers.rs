//! The answers to command ids (idempotency): a command that comes twice gets the same answer.
//!
//! These answers belong to commands that changed nothing. `RoomState::applied_ids` has those that changed the room;
//! `Room::earlier_answer` looks at both.

use std::collections::{BTreeMap, VecDeque};

use crate::command_id::CommandId;
use crate::state::MAX_IDS_PER_OWNER;
use crate::{Owner, Refusal};

/// The answers to the last commands of each owner that changed nothing. The room log has the others.
#[derive(Default)]
pub(super) struct UnloggedAnswers(BTreeMap<Owner, VecDeque<KeptAnswer>>);

/// The id of a command, and its answer.
type KeptAnswer = (CommandId, Result<(), Refusal>);

impl UnloggedAnswers {
    /// Keeps the answer to a command. The oldest one of this owner is removed if there are too many.
    pub(super) fn keep(&mut self, owner: Owner, id: &str, answer: Result<(), Refusal>) {
        let answers = self.0.entry(owner).or_default();
        if answers.len() >= MAX_IDS_PER_OWNER {
            answers.pop_front();
        }
        answers.push_back((CommandId::of(id), answer));
    }

    /// The answer to the command of this owner with this id, if it is kept.
    pub(super) fn find(&self, owner: Owner, id: CommandId) -> Option<Result<(), Refusal>> {
        let answers = self.0.get(&owner)?;
        answers
            .iter()
            .find_map(|(other, answer)| (*other == id).then_some(*answer))
    }

    /// Keeps only the answers to owners for which `is_kept` is true.
    pub(super) fn retain(&mut self, is_kept: impl Fn(Owner) -> bool) {
        self.0.retain(|owner, _| is_kept(*owner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_for_its_owner_and_id() {
        let mut answers = UnloggedAnswers::default();
        answers.keep(Owner::numbered(0), "1", Ok(()));
        answers.keep(Owner::numbered(0), "2", Err(Refusal::TooSoon));
        assert_eq!(
            answers.find(Owner::numbered(0), CommandId::of("1")),
            Some(Ok(()))
        );
        assert_eq!(
            answers.find(Owner::numbered(0), CommandId::of("2")),
            Some(Err(Refusal::TooSoon))
        );
        assert_eq!(answers.find(Owner::numbered(0), CommandId::of("3")), None);
        assert_eq!(answers.find(Owner::numbered(1), CommandId::of("1")), None);
    }

    #[test]
    fn the_newest_answers_are_kept() {
        let mut answers = UnloggedAnswers::default();
        for id in 0..=MAX_IDS_PER_OWNER {
            answers.keep(Owner::numbered(0), &id.to_string(), Ok(()));
        }
        assert_eq!(answers.find(Owner::numbered(0), CommandId::of("0")), None);
        assert_eq!(
            answers.find(Owner::numbered(0), CommandId::of("1")),
            Some(Ok(()))
        );
    }

    #[test]
    fn owners_are_forgotten() {
        let mut answers = UnloggedAnswers::default();
        answers.keep(Owner::numbered(0), "1", Ok(()));
        answers.keep(Owner::numbered(1), "1", Ok(()));
        answers.retain(|other| other == Owner::numbered(1));
        assert_eq!(answers.find(Owner::numbered(0), CommandId::of("1")), None);
        assert_eq!(
            answers.find(Owner::numbered(1), CommandId::of("1")),
            Some(Ok(()))
        );
    }
}
