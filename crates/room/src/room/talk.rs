//! Chat lines, reactions and nudges: how often they may come, and the lines that are kept.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use sticheln_protocol::MessageText;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use super::rate_limit::{Rate, RateLimit};
use crate::name::is_invisible;
use crate::{Owner, Refusal, Timestamp};

/// The most graphemes of a line of chat.
const MAX_GRAPHEMES: usize = 200;
/// The most bytes of a line of chat in UTF-8: a grapheme can have many bytes. The `chat` message with such a line fits into
/// `--message-bytes`.
const MAX_BYTES: usize = 8 * MAX_GRAPHEMES;
/// The most combining marks in a row. Words of Burmese have five, and many more would cover other lines (Zalgo text).
const MAX_MARKS: usize = 8;
/// The character that joins several emoji into one.
const ZERO_WIDTH_JOINER: char = '\u{200d}';
/// The variation selector after which a character is shown as emoji.
const VARIATION_SELECTOR_16: char = '\u{fe0f}';
/// The most lines that are kept for people who come later.
const MAX_LINES: usize = 50;
/// The lines or reactions of an owner.
const LINES: Rate = Rate {
    burst: 5,
    interval: Duration::from_secs(1),
};
/// The time between two nudges in a room.
const NUDGE_INTERVAL: Duration = Duration::from_secs(20);

/// A line of the operator for all rooms. Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice(Arc<str>);

impl Notice {
    /// The visible part of this text, with the bounds of a line of chat.
    ///
    /// # Errors
    /// [`Refusal::BadText`] if nothing of it is visible, or if it is too long.
    pub fn new(text: &str) -> Result<Self, Refusal> {
        Ok(Self(visible(text)?.into()))
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// The talk in one room.
#[derive(Default)]
pub(super) struct Talk {
    /// The last lines as messages, the oldest first.
    lines: VecDeque<MessageText>,
    limit: RateLimit<Owner>,
    last_nudge: Option<Timestamp>,
}

impl Talk {
    /// The kept lines, the oldest first.
    pub(super) fn lines(&self) -> impl Iterator<Item = &MessageText> {
        self.lines.iter()
    }

    /// Keeps a line. The oldest one is removed if there are too many.
    pub(super) fn keep(&mut self, line: MessageText) {
        self.lines.push_back(line);
        if self.lines.len() > MAX_LINES {
            self.lines.pop_front();
        }
    }

    /// Charges an owner for one line or reaction.
    ///
    /// # Errors
    /// [`Refusal::TooSoon`] if the burst is used up; nothing is charged then.
    pub(super) fn try_charge(&mut self, owner: Owner, now: Timestamp) -> Result<(), Refusal> {
        self.limit.try_charge(owner, LINES, now)
    }

    /// Notes a nudge.
    ///
    /// # Errors
    /// [`Refusal::TooSoon`] if another one was a moment ago.
    pub(super) fn nudge(&mut self, now: Timestamp) -> Result<(), Refusal> {
        if self
            .last_nudge
            .is_some_and(|at| now < at.after(NUDGE_INTERVAL))
        {
            return Err(Refusal::TooSoon);
        }
        self.last_nudge = Some(now);
        Ok(())
    }
}

/// The visible part of a line of chat, without spaces around it, and with [`MAX_MARKS`] combining marks in a row at most.
///
/// # Errors
/// [`Refusal::BadText`] if nothing of it is visible, or if it is too long.
pub(super) fn visible(text: &str) -> Result<String, Refusal> {
    if text.len() > MAX_BYTES || text.graphemes(true).count() > MAX_GRAPHEMES {
        return Err(Refusal::BadText);
    }
    // The characters that hold an emoji together stay; other invisible ones do not.
    let is_kept = |char: &char| {
        !is_invisible(*char) || matches!(*char, ZERO_WIDTH_JOINER | VARIATION_SELECTOR_16)
    };
    let mut marks = 0;
    let is_within_mark_limit = |char: &char| {
        marks = match *char {
            mark if is_combining_mark(mark) => marks + 1,
            ZERO_WIDTH_JOINER => marks,
            _ => 0,
        };
        marks <= MAX_MARKS
    };
    let text: String = text
        .chars()
        .filter(is_kept)
        .filter(is_within_mark_limit)
        .collect();
    let text = text.trim();
    // A joiner or a variation selector alone is invisible.
    let is_blank = |char: char| is_invisible(char) || char.is_whitespace();
    if text.chars().all(is_blank) {
        return Err(Refusal::BadText);
    }
    Ok(text.to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);

    #[test]
    fn an_owner_has_five_lines_at_once_and_one_more_each_second() {
        let (ann, bob) = (Owner::numbered(0), Owner::numbered(1));
        let mut talk = Talk::default();
        for _ in 0..5 {
            assert_eq!(talk.try_charge(ann, NOON), Ok(()));
        }
        assert_eq!(talk.try_charge(ann, NOON), Err(Refusal::TooSoon));
        assert_eq!(
            talk.try_charge(bob, NOON),
            Ok(()),
            "each owner has their own"
        );
        let later = NOON.after(LINES.interval);
        assert_eq!(talk.try_charge(ann, later), Ok(()));
        assert_eq!(talk.try_charge(ann, later), Err(Refusal::TooSoon));
    }

    #[test]
    fn the_newest_lines_are_kept() {
        let mut talk = Talk::default();
        for number in 0..=MAX_LINES {
            talk.keep(number.to_string().into());
        }
        let kept: Vec<_> = talk.lines().map(|line| &**line).collect();
        assert_eq!((kept.len(), kept[0]), (MAX_LINES, "1"));
        assert_eq!(kept.last().copied(), Some("50"));
    }

    #[test]
    fn a_room_is_nudged_once_in_an_interval() {
        let mut talk = Talk::default();
        assert_eq!(talk.nudge(NOON), Ok(()));
        let end = NOON.after(NUDGE_INTERVAL);
        assert_eq!(talk.nudge(Timestamp(end.0 - 1)), Err(Refusal::TooSoon));
        assert_eq!(talk.nudge(end), Ok(()));
    }

    #[test]
    fn invisible_characters_are_removed_and_blank_lines_refused() {
        assert_eq!(visible("  hi\u{200b} "), Ok("hi".to_owned()));
        let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
        assert_eq!(visible(family), Ok(family.to_owned()));
        for blank in [" \u{200b} ", "\u{200d}", "\u{fe0f}", "\u{200d} \u{fe0f}"] {
            assert_eq!(visible(blank), Err(Refusal::BadText), "{blank:?}");
        }
        assert_eq!(
            visible(&"a".repeat(MAX_GRAPHEMES + 1)),
            Err(Refusal::BadText)
        );
        let marks = "e".to_owned() + &"\u{301}".repeat(MAX_BYTES / 2);
        assert_eq!(visible(&marks), Err(Refusal::BadText));
    }

    #[test]
    fn combining_marks_do_not_pile_up() {
        let mark = "\u{301}";
        let burmese = "\u{101c}\u{103b}\u{103e}\u{1031}\u{102c}\u{1037}";
        assert_eq!(visible(burmese), Ok(burmese.to_owned()));
        let few = format!("e{}", mark.repeat(MAX_MARKS));
        assert_eq!(visible(&few), Ok(few.clone()));
        let many = format!("e{} a{}", mark.repeat(300), mark.repeat(2));
        assert_eq!(visible(&many), Ok(format!("{few} a{}", mark.repeat(2))));
        let joined = format!("e{}", format!("{mark}\u{200d}").repeat(100));
        let kept = visible(&joined).unwrap().matches(mark).count();
        assert_eq!(kept, MAX_MARKS, "a joiner begins no new run of marks");
    }
}
