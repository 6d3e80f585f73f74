//! A stricter schema for tests: it forbids unknown fields, which clients ignore.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Map, Value, json};

/// The address of the schema in the compiler.
const ADDRESS: &str = "schema.json";

/// The schema with its compiled parts.
pub struct Strict {
    root: Value,
    compiled: RefCell<Compiled>,
}

struct Compiled {
    compiler: Compiler,
    schemas: Schemas,
    parts: BTreeMap<String, SchemaIndex>,
}

/// The schema, read from its file.
pub fn schema() -> Value {
    let text = std::fs::read_to_string(crate::file("docs/wire/schema.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

impl Strict {
    pub fn new() -> Self {
        let mut root = schema();
        let definitions = root["$defs"].as_object_mut().unwrap();
        let bases: BTreeSet<String> = definitions.values().flat_map(bases).collect();
        for (name, definition) in definitions {
            if definition.get("properties").is_some() && !bases.contains(&format!("#/$defs/{name}"))
            {
                definition["unevaluatedProperties"] = json!(false);
            }
        }
        let mut compiler = Compiler::new();
        compiler.add_resource(ADDRESS, root.clone()).unwrap();
        let compiled = Compiled {
            compiler,
            schemas: Schemas::new(),
            parts: BTreeMap::new(),
        };
        Self {
            root,
            compiled: RefCell::new(compiled),
        }
    }

    /// Whether a value satisfies a part of the schema.
    pub fn accepts(&self, pointer: &str, value: &Value) -> bool {
        let mut compiled = self.compiled.borrow_mut();
        let Compiled {
            compiler,
            schemas,
            parts,
        } = &mut *compiled;
        let part = *parts.entry(pointer.to_owned()).or_insert_with(|| {
            let compiled = compiler.compile(&format!("{ADDRESS}{pointer}"), schemas);
            compiled.expect("the schema is valid")
        });
        schemas.validate(value, part).is_ok()
    }

    /// All properties of all definitions, as `Definition.property`.
    pub fn properties(&self) -> BTreeSet<String> {
        let definitions = self.root["$defs"].as_object().unwrap();
        let pointers = definitions.iter().flat_map(|(name, definition)| {
            let properties = definition.get("properties").and_then(Value::as_object);
            let properties = properties.into_iter().flat_map(Map::keys);
            properties.map(move |property| format!("{name}.{property}"))
        });
        pointers.collect()
    }

    /// Adds the properties that occur in a value that satisfies this part of the schema.
    pub fn visit(&self, pointer: &str, value: &Value, seen: &mut BTreeSet<String>) {
        let part = self
            .root
            .pointer(&pointer[1..])
            .expect("the pointer is valid");
        if let Some(to) = part.get("$ref").and_then(Value::as_str) {
            return self.visit(to, value, seen);
        }
        for of in ["anyOf", "oneOf", "allOf"] {
            let branches = part.get(of).and_then(Value::as_array).into_iter().flatten();
            for at in 0..branches.count() {
                let branch = format!("{pointer}/{of}/{at}");
                if of == "allOf" || self.accepts(&branch, value) {
                    self.visit(&branch, value, seen);
                }
            }
        }
        let properties = part
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        for (property, _) in properties {
            if let Some(value) = value.get(property) {
                let (_, name) = pointer.rsplit_once('/').unwrap();
                seen.insert(format!("{name}.{property}"));
                self.visit(&format!("{pointer}/properties/{property}"), value, seen);
            }
        }
        if part.get("items").is_some() {
            for value in value.as_array().into_iter().flatten() {
                self.visit(&format!("{pointer}/items"), value, seen);
            }
        }
    }
}

/// The definitions that a definition extends.
fn bases(definition: &Value) -> Vec<String> {
    let bases = definition
        .get("allOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    bases
        .filter_map(|base| Some(base["$ref"].as_str()?.to_owned()))
        .collect()
}
