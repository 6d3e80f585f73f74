//! Names of people and bots, and titles of rooms.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;
use unicode_segmentation::UnicodeSegmentation;

use crate::Refusal;

/// The name of a person or a bot. A name plate on a phone has space for 20 graphemes.
pub type Name = Label<20>;

/// The title of a room.
pub type Title = Label<40>;

/// The most combining marks in a row: more would reach into other lines.
const MAX_MARKS: usize = 2;

/// A text that can be shown to everybody: in composed form (NFC), of 1 to `MAX` graphemes, without invisible characters
/// and marks of direction.
///
/// [`Label::new`] checks it. A saved text is not checked again: so stricter checks do not make old rooms unreadable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Label<const MAX: usize>(String);

impl<const MAX: usize> Label<MAX> {
    /// The most bytes: the length of a grapheme has no bound.
    const MAX_BYTES: usize = 8 * MAX;

    /// Reads a text: composes it, and replaces each run of spaces by one.
    ///
    /// # Errors
    /// [`Refusal::NameEmpty`], [`Refusal::NameTooLong`] or [`Refusal::NameNotAllowed`].
    pub fn new(text: &str) -> Result<Self, Refusal> {
        if text.len() > Self::MAX_BYTES {
            return Err(Refusal::NameTooLong);
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let name: String = words.join(" ").nfc().collect();
        if name.is_empty() {
            Err(Refusal::NameEmpty)
        } else if name.graphemes(true).count() > MAX {
            Err(Refusal::NameTooLong)
        } else if name.chars().any(is_invisible) || has_too_many_marks(&name) {
            Err(Refusal::NameNotAllowed)
        } else {
            Ok(Self(name))
        }
    }

    /// A text that was checked before it was saved.
    pub fn from_saved(text: String) -> Self {
        Self(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether two texts are confusable, also if their case differs (UTS 39, section 4).
    pub fn resembles(&self, other: &Self) -> bool {
        let mine = self.skeletons();
        let others = other.skeletons();
        mine.iter().any(|skeleton| others.contains(skeleton))
    }

    /// The skeletons of the text: characters that look alike are replaced by the same one. A capital I looks like a small
    /// L, a small i does not; so there is a skeleton of the text and one of its lower case.
    fn skeletons(&self) -> [String; 2] {
        [&self.0, &self.0.to_lowercase()]
            .map(|text| skeleton(text).collect::<String>().to_lowercase())
    }
}

impl<const MAX: usize> fmt::Display for Label<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a character is invisible, or changes how its neighbours are shown. These are control characters, marks of
/// direction, characters without width, fillers, and characters that Unicode reserves or gives no form. The joiner
/// of emoji is one of them.
pub(crate) fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{e000}'..='\u{f8ff}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{ffff}'
            | '\u{13430}'..='\u{1345f}'
            | '\u{16fe4}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d159}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{10ffff}'
    )
}

/// Whether too many combining marks follow one another.
fn has_too_many_marks(name: &str) -> bool {
    let mut marks = 0;
    name.chars().any(|char| {
        marks = if is_combining_mark(char) {
            marks + 1
        } else {
            0
        };
        marks > MAX_MARKS
    })
}
