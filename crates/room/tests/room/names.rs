//! Which names people may have.

use sticheln_room::{Name, Refusal};

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
