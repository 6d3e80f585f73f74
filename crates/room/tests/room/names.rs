//! Which names people may have.

use serde_json::json;
use sticheln_room::{Name, Refusal};

use crate::guests::Table;

#[test]
fn names_are_folded_and_bounded() {
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

#[test]
fn names_that_look_alike_are_the_same() {
    let alike = |one: &str, other: &str| {
        Name::new(one)
            .unwrap()
            .resembles(&Name::new(other).unwrap())
    };
    for (one, other) in [
        ("Ann", "ann"),
        ("Paul", "\u{420}aul"),
        ("Ivo", "lvo"),
        ("O1", "0l"),
        ("Zo\u{eb}", "Zoe\u{308}"),
    ] {
        assert!(alike(one, other), "{one} {other}");
    }
    for (one, other) in [("Ann", "Anna"), ("Bob", "Rob"), ("Zoe", "Zo\u{eb}")] {
        assert!(!alike(one, other), "{one} {other}");
    }
}

/// No person can be taken for a bot: not at first, nor on a bot's chair, nor by another name.
#[test]
fn nobody_is_called_like_a_bot() {
    let mut table = Table::<sticheln_rules::Sticheln>::new(4, 1);
    let ann = table.come("Ann");
    for name in ["Bobbin", "bobbin", "Pompom", "B\u{43e}bbin", "P0mpom"] {
        let sit = json!({"type": "sit", "name": name});
        assert_eq!(table.say(ann, sit), "name_taken", "{name}");
    }
    assert_eq!(
        table.say(ann, json!({"type": "sit", "name": "Bobbie"})),
        "ok"
    );
    let rename = json!({"type": "rename", "name": "Needle"});
    assert_eq!(table.say(ann, rename), "name_taken");

    for _ in 0..3 {
        assert_eq!(
            table.say(ann, json!({"type": "add_bot", "level": "normal"})),
            "ok"
        );
    }
    let room = table.received(ann, "room").pop().unwrap();
    let bob = table.come("Bob");
    for seat in 1..4 {
        let name = &room["chairs"][seat]["name"];
        let sit = json!({"type": "sit", "name": name, "seat": seat});
        assert_eq!(table.say(bob, sit), "name_taken", "{name}");
    }
}
