//! Names of people and bots, and titles of tables.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;
use unicode_segmentation::UnicodeSegmentation;

use crate::Refusal;

/// The name of a person or a bot: 20 graphemes are what a plate on a phone can show.
pub type Name = Label<20>;

/// The title of a table.
pub type Title = Label<40>;

/// The most combining marks in a row: more would grow out of the line.
const MAX_MARKS: usize = 2;

/// A text that can be shown to everybody: composed (NFC), of 1 to `MAX` graphemes, without
/// anything that is invisible or turns the text around.
///
/// It is judged once, by [`Label::new`]; what was written down is read back as it is, so that a log
/// outlives a change of what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Label<const MAX: usize>(String);

impl<const MAX: usize> Label<MAX> {
    /// The most bytes: a grapheme has no length of its own.
    const MAX_BYTES: usize = 8 * MAX;

    /// Reads a name: composes it, and folds every run of spaces into one.
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
        } else if name.chars().any(is_invisible) || piles_marks(&name) {
            Err(Refusal::NameNotAllowed)
        } else {
            Ok(Self(name))
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether two texts can be taken for one another, at a glance or in another case
    /// (UTS 39, section 4).
    pub fn resembles(&self, other: &Self) -> bool {
        let mine = self.skeletons();
        let others = other.skeletons();
        mine.iter().any(|skeleton| others.contains(skeleton))
    }

    /// What is left of the text when everything that looks alike is written alike: a capital I
    /// looks like a small L, a small i does not, so there is one skeleton for each case.
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

/// Whether a character shows nothing, or changes how its neighbours are shown: control characters,
/// marks of direction, characters without width, fillers, and what Unicode reserves or does not
/// assign a form to. The joiner that holds emoji together is one of them too.
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

/// Whether more marks follow one another than a name may pile up.
fn piles_marks(name: &str) -> bool {
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
