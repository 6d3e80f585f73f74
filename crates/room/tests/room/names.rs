//! The names that people may have.

use serde_json::json;
use sticheln_room::{Name, Refusal};

use crate::clients::TestRoom;

#[test]
fn spaces_of_names_are_folded_and_the_length_is_bounded() {
    let name = |text: &str| Name::new(text).map(|name| name.as_str().to_owned());
    assert_eq!(name("  Ann \t Lee "), Ok("Ann Lee".to_owned()));
    assert_eq!(name("Zoe\u{308}"), Ok("Zo\u{eb}".to_owned()));
    assert_eq!(name(&"\u{5b57}".repeat(20)), Ok("\u{5b57}".repeat(20)));
    assert_eq!(
        name(&"e\u{323}\u{302}".repeat(20)).map(|name| name.chars().count()),
        Ok(20)
    );
    for text in ["", " ", "\u{a0}\u{2003}"] {
        assert_eq!(name(text), Err(Refusal::NameEmpty), "{text:?}");
    }
    for text in ["a".repeat(21), "\u{5b57}".repeat(21), "a".repeat(100_000)] {
        assert_eq!(name(&text), Err(Refusal::NameTooLong));
    }
    // A grapheme of three characters, two of them marks, has 12 bytes. The text that is sent may have 160.
    let long = "\u{11005}\u{11001}\u{11001}";
    let most = long.repeat(13) + "aaaa";
    assert_eq!((most.len(), name(&most)), (160, Ok(most.clone())));
    for text in [most + "a", long.repeat(20)] {
        assert_eq!(name(&text), Err(Refusal::NameTooLong));
    }
    for text in [
        "Ann\0",
        "A\u{200b}nn",
        "\u{202e}nnA",
        "Ann\u{200d}",
        "A\u{feff}",
        "\u{2066}Ann",
        "\u{ad}Ann",
        "\u{3164}",
        "a\u{e0041}",
        "\u{2800}",
        "x\u{300}\u{301}\u{302}",
        "\u{e000}",
        "Ann\u{7f}",
    ] {
        assert_eq!(name(text), Err(Refusal::NameNotAllowed), "{text:?}");
    }
}

/// This holds for `sit`, also on a bot's chair, and for `rename`.
#[test]
fn no_person_has_a_name_that_is_confusable_with_a_bot() {
    let mut room = TestRoom::<sticheln_rules::Sticheln>::new(4, 1);
    let ann = room.join("Ann");
    for name in ["Bobbin", "bobbin", "Pompom", "B\u{43e}bbin", "P0mpom"] {
        let sit = json!({"type": "sit", "name": name});
        assert_eq!(room.send_command(ann, sit), "name_taken", "{name}");
    }
    assert_eq!(
        room.send_command(ann, json!({"type": "sit", "name": "Bobbie"})),
        "ok"
    );
    let rename = json!({"type": "rename", "name": "Needle"});
    assert_eq!(room.send_command(ann, rename), "name_taken");

    for _ in 0..3 {
        assert_eq!(
            room.send_command(ann, json!({"type": "add_bot", "level": "normal"})),
            "ok"
        );
    }
    let message = room.received(ann, "room").pop().unwrap();
    let bob = room.join("Bob");
    for seat in 1..4 {
        let name = &message["table"]["chairs"][seat]["name"];
        let sit = json!({"type": "sit", "name": name, "seat": seat});
        assert_eq!(room.send_command(bob, sit), "name_taken", "{name}");
    }
}

/// Names in many scripts, and other texts that are allowed.
const FINE: &[&str] = &[
    "Ann",
    "Zoë",
    "Łukasz",
    "Søren",
    "Björk",
    "Ñandú",
    "Ærø",
    "ß",
    "İpek",
    "Ömür",
    "Çağla",
    "Nguyễn",
    "Đặng",
    "Ştefan",
    "Þór",
    "Œuvre",
    "O'Brien",
    "D’Arcy",
    "Anna-Lena",
    "J. R. R.",
    "A",
    "7",
    "007",
    "Ann 2",
    "#1",
    "C++",
    "@home",
    "a_b",
    "<b>",
    "Юля",
    "Іван",
    "Ђорђе",
    "Ελένη",
    "Ωmega",
    "אבי",
    "שרה",
    "محمد",
    "فاطمة",
    "अमित",
    "প্রিয়া",
    "ਮਨਜੀਤ",
    "ગીતા",
    "தமிழ்",
    "తెలుగు",
    "ಕನ್ನಡ",
    "สมชาย",
    "ລາວ",
    "မြန်မာ",
    "ខ្មែរ",
    "თამარ",
    "Արամ",
    "李雷",
    "山田太郎",
    "やまだ",
    "ヤマダ",
    "김철수",
    "🂡",
    "😀",
    "👍🏽",
    "🇩🇪",
    "♥",
    "½",
];

/// Invisible characters, and marks of direction.
const INVISIBLE: &[char] = &[
    '\u{0}',
    '\u{1}',
    '\u{7}',
    '\u{8}',
    '\u{1b}',
    '\u{1f}',
    '\u{7f}',
    '\u{80}',
    '\u{85}',
    '\u{9f}',
    '\u{ad}',
    '\u{34f}',
    '\u{61c}',
    '\u{115f}',
    '\u{1160}',
    '\u{17b4}',
    '\u{17b5}',
    '\u{180b}',
    '\u{180e}',
    '\u{200b}',
    '\u{200c}',
    '\u{200d}',
    '\u{200e}',
    '\u{200f}',
    '\u{2028}',
    '\u{2029}',
    '\u{202a}',
    '\u{202b}',
    '\u{202c}',
    '\u{202d}',
    '\u{202e}',
    '\u{2060}',
    '\u{2061}',
    '\u{2064}',
    '\u{2065}',
    '\u{2066}',
    '\u{2067}',
    '\u{2068}',
    '\u{2069}',
    '\u{206a}',
    '\u{206f}',
    '\u{2800}',
    '\u{3164}',
    '\u{e000}',
    '\u{f8ff}',
    '\u{fe00}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{ffa0}',
    '\u{fff0}',
    '\u{fff9}',
    '\u{fffb}',
    '\u{fffc}',
    '\u{fffd}',
    '\u{13430}',
    '\u{16fe4}',
    '\u{1bca0}',
    '\u{1d159}',
    '\u{1d173}',
    '\u{1d17a}',
    '\u{e0001}',
    '\u{e0020}',
    '\u{e0061}',
    '\u{e007f}',
    '\u{e0100}',
    '\u{f0000}',
    '\u{10fffd}',
];

/// Pairs that are confusable.
const ALIKE: &[(&str, &str)] = &[
    ("Ann", "ANN"),
    ("Ann", "ann"),
    ("Paul", "\u{420}aul"),
    ("Paul", "P\u{430}ul"),
    ("Ivo", "lvo"),
    ("Ivo", "1vo"),
    ("Ivo", "|vo"),
    ("O1", "0l"),
    ("Zo\u{eb}", "Zoe\u{308}"),
    ("Bob", "\u{412}\u{43e}b"),
    ("Cem", "\u{421}\u{435}m"),
    ("Eve", "\u{415}ve"),
    ("Eve", "\u{395}ve"),
    ("Hans", "\u{41d}ans"),
    ("Kai", "\u{39a}ai"),
    ("Max", "\u{41c}ax"),
    ("Max", "\u{41c}\u{430}x"),
    ("Tom", "\u{422}om"),
    ("Tom", "T\u{3bf}m"),
    ("Tom", "T\u{43e}m"),
    ("Xaver", "\u{425}aver"),
    ("Yan", "\u{3a5}an"),
    ("Jo", "\u{408}o"),
    ("Sam", "\u{405}am"),
    ("Ida", "\u{406}da"),
    ("Ida", "\u{399}da"),
    ("Ann", "\u{410}nn"),
    ("Ann", "\u{391}nn"),
    ("Ann", "\u{ff21}\u{ff4e}\u{ff4e}"),
    ("Ann", "\u{1d400}\u{1d427}\u{1d427}"),
    ("Ann", "\u{1d49c}nn"),
    ("Ann", "\u{1d538}\u{1d55f}\u{1d55f}"),
    ("Ann", "\u{1d670}\u{1d697}\u{1d697}"),
    ("Ann", "\u{1d5a0}\u{1d5c7}\u{1d5c7}"),
    ("Pia", "\u{440}ia"),
    ("Pia", "\u{3c1}ia"),
    ("Mia", "rnia"),
    ("Ole", "0le"),
    ("Ole", "\u{555}le"),
    ("Leo", "\u{216c}eo"),
    ("Leo", "le\u{3bf}"),
    ("Vic", "\u{2164}ic"),
    ("Vic", "\u{2174}ic"),
    ("Mo", "\u{216f}o"),
    ("Dan", "\u{216e}an"),
    ("Nick", "\u{2c9a}ick"),
    ("Gus", "\u{50c}us"),
    ("Ned", "ned"),
    ("Uli", "\u{222a}li"),
    ("Ed", "ed"),
    ("Ann-Lee", "Ann\u{2010}Lee"),
    ("Ann-Lee", "Ann\u{2013}Lee"),
    ("Ann-Lee", "Ann\u{2212}Lee"),
    ("O'B", "O\u{2019}B"),
    ("O'B", "O`B"),
    ("O'B", "O\u{2b9}B"),
    ("A.B", "A\u{2024}B"),
    ("Z\u{e9}", "Z\u{c9}"),
    ("Gro\u{df}", "GRO\u{df}"),
    ("Ann Lee", "ann lee"),
];

/// Pairs that are similar, but not confusable.
const DIFFERENT: &[(&str, &str)] = &[
    ("Ann", "Anna"),
    ("Bob", "Rob"),
    ("Zoe", "Zo\u{eb}"),
    ("Ann", "\u{c4}nn"),
    ("Tom", "Tim"),
    ("Max", "Mex"),
    ("Ida", "Ada"),
    ("Jo", "Joe"),
    ("Ann 1", "Ann 2"),
    ("Ann", "An"),
    ("Li", "Lu"),
    ("\u{674e}", "\u{5b63}"),
    ("\u{42e}\u{43b}\u{44f}", "\u{42e}\u{43b}\u{438}\u{44f}"),
    ("\u{5d0}\u{5d1}\u{5d9}", "\u{5d0}\u{5d1}\u{5d0}"),
    ("\u{5c71}", "\u{5ddd}"),
    ("Leo", "Lea"),
    ("Mia", "Pia"),
    ("Ole", "Ulle"),
    ("Ann Lee", "AnnLee"),
    ("\u{1f600}", "\u{1f601}"),
];

#[test]
fn names_in_all_scripts_are_allowed() {
    for text in FINE {
        assert_eq!(
            Name::new(text).map(|name| name.to_string()).as_deref(),
            Ok(*text)
        );
    }
}

#[test]
fn invisible_characters_are_not_allowed_in_names() {
    for char in INVISIBLE {
        for text in [
            format!("{char}Ann"),
            format!("A{char}nn"),
            format!("Ann{char}x"),
        ] {
            let refused = match char {
                // These count as spaces.
                '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{1f}' if char.is_whitespace() => continue,
                _ => Err(Refusal::NameNotAllowed),
            };
            assert_eq!(Name::new(&text).map(|_| ()), refused, "{text:?}");
        }
    }
}

/// It does not matter which of the two came first.
#[test]
fn a_name_confusable_with_another_one_is_taken() {
    let answer = |one: &str, other: &str| {
        let mut room = TestRoom::<sticheln_rules::Sticheln>::new(4, 1);
        let [ann, bob] = ["Ann", "Bob"].map(|person| room.join(person));
        let mut sit =
            |who, name: &str| room.send_command(who, json!({"type": "sit", "name": name}));
        assert_eq!(sit(ann, one), "ok", "{one}");
        sit(bob, other)
    };
    for (one, other) in ALIKE {
        assert_eq!(answer(one, other), "name_taken", "{one} {other}");
        assert_eq!(answer(other, one), "name_taken", "{other} {one}");
    }
    for (one, other) in DIFFERENT {
        assert_eq!(answer(one, other), "ok", "{one} {other}");
    }
    assert!(FINE.len() + INVISIBLE.len() + ALIKE.len() + DIFFERENT.len() >= 200);
}
