//! Transforms the schemas of schemars into a readable form.

use std::collections::BTreeSet;

use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::{Map, Value, json};

use super::Definitions;

/// The prefix of references to definitions.
const FOLDER: &str = "#/$defs/";

/// The reference to a definition.
pub fn path(name: &str) -> String {
    format!("{FOLDER}{name}")
}

/// The definitions that the server reads.
pub fn read(mut definitions: Definitions, roots: &[&str]) -> Definitions {
    transform(&mut definitions, tidy);
    needed(with_named_variants(definitions), roots)
}

/// The definitions that the server sends. Clients ignore unknown fields, and an optional field is
/// never null.
pub fn sent(mut definitions: Definitions, roots: &[&str]) -> Definitions {
    transform(&mut definitions, tidy);
    transform(&mut definitions, |schema| {
        schema.remove("additionalProperties");
        schema.remove("default");
        let required = schema.get("required").cloned().unwrap_or_default();
        let is_required = |name: &String| {
            let required = required.as_array();
            required.is_some_and(|names| names.iter().any(|required| *required == **name))
        };
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            if let Ok(property) = <&mut Schema>::try_from(property)
                && !is_required(name)
            {
                remove_null(property);
            }
        }
    });
    needed(with_named_variants(definitions), roots)
}

/// The union of both. Where a definition that is read differs from the sent one, because clients may
/// omit fields, its name ends in `Given`.
pub fn united(read: Definitions, mut sent: Definitions) -> Definitions {
    let open = |schema: &Value| {
        let mut schema = schema.clone();
        transform_one(&mut schema, &mut |schema: &mut Schema| {
            schema.remove("additionalProperties");
        });
        schema
    };
    let is_both = |name: &String| sent.contains_key(name);
    let mut differing: BTreeSet<String> = read
        .iter()
        .filter(|(name, schema)| is_both(name) && open(schema) != sent[*name])
        .map(|(name, _)| name.clone())
        .collect();
    loop {
        let more = read.iter().filter(|(name, schema)| {
            is_both(name)
                && !differing.contains(*name)
                && references(schema).iter().any(|to| differing.contains(to))
        });
        let more: Vec<String> = more.map(|(name, _)| name.clone()).collect();
        if more.is_empty() {
            break;
        }
        differing.extend(more);
    }
    for (name, mut schema) in read {
        transform_one(&mut schema, &mut |schema: &mut Schema| {
            if let Some(Value::String(to)) = schema.get_mut("$ref")
                && differing.contains(&to[FOLDER.len()..])
            {
                to.push_str("Given");
            }
        });
        let name = match differing.contains(&name) {
            true => format!("{name}Given"),
            false => name,
        };
        sent.insert(name, schema);
    }
    sent
}

/// Removes null from the values that a schema accepts.
pub fn remove_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        branches.retain(|branch| branch["type"] != "null");
        if let [Value::Object(only)] = &branches[..] {
            let only = only.clone();
            schema.remove("anyOf");
            schema.ensure_object().extend(only);
        }
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
}

fn transform(definitions: &mut Definitions, mut change: impl FnMut(&mut Schema)) {
    for schema in definitions.values_mut() {
        transform_one(schema, &mut change);
    }
}

fn transform_one(schema: &mut Value, change: &mut impl FnMut(&mut Schema)) {
    let schema = schema.try_into().expect("a definition is a schema");
    RecursiveTransform(change).transform(schema);
}

/// Removes keywords without meaning on the wire, and merges the values of an enum.
fn tidy(schema: &mut Schema) {
    if schema.get("format").is_some() {
        schema.remove("format");
    }
    let values = schema.get("oneOf").and_then(values);
    if let Some((names, meanings)) = values {
        schema.remove("oneOf");
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("enum".to_owned(), names.into());
        if let Some(Value::String(description)) = schema.get_mut("description") {
            *description = format!("{}\n", text(description));
            for meaning in meanings {
                *description += &format!("\n- {meaning}");
            }
            return;
        }
    }
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = text(description);
    }
}

/// The values of an enum without fields, and their descriptions.
fn values(branches: &Value) -> Option<(Vec<Value>, Vec<String>)> {
    let (mut names, mut meanings) = (Vec::new(), Vec::new());
    for branch in branches.as_array()? {
        let name = branch.get("const")?;
        if let Some(meaning) = branch["description"].as_str() {
            meanings.push(format!("`{}`: {}", name.as_str()?, text(meaning)));
        }
        names.push(name.clone());
    }
    Some((names, meanings))
}

/// The first paragraph of a doc comment, without rustdoc links and in terms of JSON.
fn text(comment: &str) -> String {
    let paragraph = comment.split("\n\n").next().unwrap_or_default();
    let text = paragraph.replace('\n', " ");
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some((before, link)) = rest.split_once("[`") {
        let (name, after) = link.split_once("`]").expect("a link has an end");
        plain += &format!("{before}`{name}`");
        rest = match after.strip_prefix('(') {
            Some(target) => target.split_once(')').expect("a link has an end").1,
            None => after,
        };
    }
    (plain + rest).replace("`None`", "none")
}

/// Gives each variant of a tagged union a definition of its own.
fn with_named_variants(definitions: Definitions) -> Definitions {
    let mut all = definitions.clone();
    for (name, schema) in &definitions {
        let Some((keyword, variants)) = tagged(schema) else {
            continue;
        };
        let mut union = schema.clone();
        let base = union.as_object_mut().and_then(base);
        let mut references = Vec::new();
        for variant in flat(variants, &definitions) {
            let mut variant = with_fields_of_reference(variant, &definitions);
            let variant_name = match variant.remove("title") {
                Some(Value::String(title)) => title,
                _ => name_of_variant(name, tag(&variant).expect("a variant has a tag")),
            };
            if base.is_some() {
                let base = path(&format!("{name}Base"));
                variant.insert("allOf".to_owned(), json!([{"$ref": base}]));
            }
            references.push(json!({"$ref": path(&variant_name)}));
            let known = all.insert(variant_name.clone(), variant.clone().into());
            assert!(
                known.is_none_or(|known| known == Value::Object(variant)),
                "two definitions are called {variant_name}"
            );
        }
        if let Some(base) = base {
            all.insert(format!("{name}Base"), base);
        }
        union[keyword] = references.into();
        all.insert(name.clone(), union);
    }
    all
}

/// The variants of a schema, if they have tags.
fn tagged(schema: &Value) -> Option<(&'static str, &Vec<Value>)> {
    let keywords = ["oneOf", "anyOf"].into_iter();
    let mut lists = keywords.filter_map(|keyword| Some((keyword, schema[keyword].as_array()?)));
    lists.find(|(_, variants)| {
        let mut objects = variants.iter().filter_map(Value::as_object);
        objects.any(|variant| tag(variant).is_some())
    })
}

/// The tag value of a variant.
fn tag(variant: &Map<String, Value>) -> Option<&str> {
    let properties = variant.get("properties")?.as_object()?;
    properties
        .values()
        .find_map(|property| property["const"].as_str())
}

/// Removes and returns the fields of a struct with a flattened union.
fn base(union: &mut Map<String, Value>) -> Option<Value> {
    let properties = union.remove("properties")?;
    Some(json!({
        "description": union.get("description"),
        "type": union.remove("type"),
        "properties": properties,
        "required": union.remove("required"),
    }))
}

/// These variants, with the variants of nested unions.
fn flat<'a>(variants: &'a [Value], definitions: &'a Definitions) -> Vec<&'a Map<String, Value>> {
    let mut all = Vec::new();
    for variant in variants.iter().filter_map(Value::as_object) {
        let to = variant.get("$ref").and_then(Value::as_str);
        let to = to.filter(|_| tag(variant).is_none());
        match to.and_then(|to| tagged(&definitions[&to[FOLDER.len()..]])) {
            Some((_, variants)) => all.extend(flat(variants, definitions)),
            None => all.push(variant),
        }
    }
    all
}

/// A variant with the fields of the struct that it holds.
fn with_fields_of_reference(
    variant: &Map<String, Value>,
    definitions: &Definitions,
) -> Map<String, Value> {
    let mut variant = variant.clone();
    let Some(Value::String(to)) = variant.remove("$ref") else {
        return variant;
    };
    let held = &definitions[&to[FOLDER.len()..]];
    let properties = held["properties"].as_object().expect("it has fields");
    let required = held["required"].as_array().expect("it has fields");
    for (name, property) in properties {
        variant["properties"][name] = property.clone();
    }
    let names = variant["required"].as_array_mut();
    names
        .expect("a variant has a tag")
        .extend(required.iter().cloned());
    variant
}

/// The name of a variant: `Hello` in `ClientMessage`, `FreeChair` in `Chair`, `ToyPlayAction` in
/// `ToyAction`.
fn name_of_variant(union: &str, tag: &str) -> String {
    let words = tag.split('_').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    let variant: String = words.collect();
    let last = union.rfind(char::is_uppercase).expect("a type has a name");
    match union.split_at(last) {
        (_, "Message") => variant,
        (prefix, noun) => format!("{prefix}{variant}{noun}"),
    }
}

/// The definitions that these roots refer to.
fn needed(mut definitions: Definitions, roots: &[&str]) -> Definitions {
    let mut needed = Definitions::new();
    let mut open: Vec<String> = roots.iter().map(|root| (*root).to_owned()).collect();
    while let Some(name) = open.pop() {
        if let Some(schema) = definitions.remove(&name) {
            open.extend(references(&schema));
            needed.insert(name, schema);
        }
    }
    needed
}

/// The names of the definitions that a schema refers to.
fn references(schema: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    transform_one(&mut schema.clone(), &mut |schema: &mut Schema| {
        let to = schema.get("$ref").and_then(Value::as_str);
        names.extend(to.map(|to| to[FOLDER.len()..].to_owned()));
    });
    names
}
