//! Formats JSON for people, without changing the order of fields.

/// The most characters of a line.
const WIDTH: usize = 100;

/// Formats a JSON value, with line breaks if it does not fit into one line.
pub fn formatted(text: &str) -> String {
    let mut rest = text;
    let mut out = String::new();
    value(&mut rest, 0, 0, &mut out);
    assert!(rest.is_empty(), "one value");
    out
}

/// Formats the value at the beginning of `rest` and removes it from there. It starts after `used`
/// characters of a line with this indentation.
fn value(rest: &mut &str, indent: usize, used: usize, out: &mut String) {
    let length = length(rest);
    let (text, after) = rest.split_at(length);
    let flat = spaced(text);
    let is_list = text.starts_with(['{', '[']);
    if !is_list || indent + used + flat.len() < WIDTH {
        out.push_str(&flat);
        *rest = after;
        return;
    }
    let (open, close) = (&text[..1], &text[length - 1..]);
    out.push_str(open);
    *rest = &text[1..];
    let inner = " ".repeat(indent + 2);
    let mut line = String::new();
    loop {
        let mut key = String::new();
        if open == "{" {
            let at = self::length(rest);
            key = format!("{}: ", &rest[..at]);
            *rest = &rest[at + 1..];
        }
        let mut part = key.clone();
        value(rest, indent + 2, key.len(), &mut part);
        let is_last = !rest.starts_with(',');
        if !is_last {
            part.push(',');
        }
        // Short parts share a line.
        let fits = line.len() + 1 + part.len() + indent + 2 < WIDTH && !part.contains('\n');
        if line.is_empty() {
            line = part;
        } else if fits {
            line = format!("{line} {part}");
        } else {
            *out += &format!("\n{inner}{line}");
            line = part;
        }
        if is_last {
            break;
        }
        *rest = &rest[1..];
    }
    *out += &format!("\n{inner}{line}\n{}{close}", " ".repeat(indent));
    *rest = after;
}

/// The text with a space after each colon and comma.
fn spaced(text: &str) -> String {
    let mut out = String::new();
    let (mut is_quoted, mut is_escaped) = (false, false);
    for char in text.chars() {
        out.push(char);
        if is_escaped {
            is_escaped = false;
        } else if char == '"' {
            is_quoted = !is_quoted;
        } else if char == '\\' {
            is_escaped = true;
        } else if !is_quoted && matches!(char, ',' | ':') {
            out.push(' ');
        }
    }
    out
}

/// The length of the value at the beginning of a text.
fn length(text: &str) -> usize {
    let (mut depth, mut is_quoted, mut is_escaped) = (0, false, false);
    for (at, char) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
            continue;
        }
        match char {
            '\\' => is_escaped = true,
            '"' => {
                is_quoted = !is_quoted;
                if !is_quoted && depth == 0 {
                    return at + 1;
                }
            }
            _ if is_quoted => {}
            '{' | '[' => depth += 1,
            '}' | ']' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            ',' | ':' | '}' | ']' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[test]
fn formatting_does_not_change_the_value() {
    for sample in crate::samples::all() {
        let text = formatted(&sample.text);
        let read: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(read, sample.value());
        assert!(text.lines().all(|line| line.len() <= 2 * WIDTH), "{text}");
    }
}
