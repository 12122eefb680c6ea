//! What an operation takes: a small table instead of a schema, from which the schema is made and
//! against which arguments are checked.

use serde_json::{Map, Value, json};

/// What kind of value a parameter has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number from 0 to this.
    Number(u64),
    /// True or false.
    Flag,
    /// A JSON object.
    Object,
    /// A list of texts.
    Texts,
}

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What kind of value it has.
    pub kind: Kind,
    /// Whether it has to be given.
    pub required: bool,
    /// What it means; empty when the name says it.
    pub description: &'static str,
}

/// Arguments that fit the parameters of an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(Map<String, Value>);

/// Why arguments do not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// They are not a JSON object.
    #[error("the arguments have to be a JSON object")]
    NotAnObject,
    /// A required one is not there.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// One of the wrong kind.
    #[error("`{name}` has to be {expected}")]
    WrongKind {
        /// Its name.
        name: &'static str,
        /// What it has to be.
        expected: String,
    },
    /// One that the operation does not know.
    #[error("there is no parameter `{name}`; there is {known}")]
    Unknown {
        /// Its name, as given.
        name: String,
        /// Those there are.
        known: String,
    },
}

/// Most characters of a name somebody made up that a message repeats.
const SHOWN: usize = 64;

impl Parameter {
    /// A parameter that has to be given.
    #[must_use]
    pub const fn required(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, kind, required: true, description }
    }

    /// A parameter that may be left out.
    #[must_use]
    pub const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, kind, required: false, description }
    }

    /// The JSON Schema of its value.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Word(words) => json!({ "type": "string", "enum": words }),
            Kind::Number(most) => json!({ "type": "integer", "minimum": 0, "maximum": most }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Object => json!({ "type": "object" }),
            Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        };
        if let (Value::Object(schema), false) = (&mut schema, self.description.is_empty()) {
            schema.insert("description".to_owned(), self.description.into());
        }
        schema
    }

    fn check(&self, value: &Value) -> Result<(), ArgumentError> {
        let fits = match self.kind {
            Kind::Text => value.is_string(),
            Kind::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Kind::Number(most) => whole(value).is_some_and(|number| number <= most),
            Kind::Flag => value.is_boolean(),
            Kind::Object => value.is_object(),
            Kind::Texts => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        };
        if fits {
            return Ok(());
        }
        let expected = match self.kind {
            Kind::Text => "text".to_owned(),
            Kind::Word(words) => format!("one of {}", words.join(", ")),
            Kind::Number(most) => format!("a whole number from 0 to {most}"),
            Kind::Flag => "true or false".to_owned(),
            Kind::Object => "a JSON object".to_owned(),
            Kind::Texts => "a list of texts".to_owned(),
        };
        Err(ArgumentError::WrongKind { name: self.name, expected })
    }
}

/// The whole number a value is. To JSON Schema `3.0` is one, and models do write it so.
fn whole(value: &Value) -> Option<u64> {
    /// Above this, a float no longer tells neighbours apart.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = || {
        let float = value.as_f64()?;
        let fits = float.fract() == 0.0 && (0.0..=EXACT).contains(&float);
        fits.then(|| format!("{float}").parse().ok()).flatten()
    };
    value.as_u64().or_else(float)
}

/// The JSON Schema of an object with these parameters and no others.
pub(super) fn schema(parameters: &[Parameter]) -> Value {
    let properties: Map<String, Value> =
        parameters.iter().map(|p| (p.name.to_owned(), p.schema())).collect();
    let required: Vec<&str> = parameters.iter().filter(|p| p.required).map(|p| p.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if let (Value::Object(schema), false) = (&mut schema, required.is_empty()) {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

impl Arguments {
    /// `given` as arguments for `parameters`. Null stands for an argument that is not given.
    pub fn check(parameters: &'static [Parameter], given: Value) -> Result<Self, ArgumentError> {
        let mut given = match given {
            Value::Object(given) => given,
            Value::Null => Map::new(),
            _ => return Err(ArgumentError::NotAnObject),
        };
        given.retain(|_, value| !value.is_null());
        let is_known = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
        if let Some(name) = given.keys().find(|name| !is_known(name)) {
            let known: Vec<String> = parameters.iter().map(|p| format!("`{}`", p.name)).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let name = name.chars().take(SHOWN).collect();
            return Err(ArgumentError::Unknown { name, known });
        }
        for parameter in parameters {
            match given.get(parameter.name) {
                Some(value) => parameter.check(value)?,
                None if parameter.required => return Err(ArgumentError::Missing(parameter.name)),
                None => {}
            }
        }
        Ok(Self(given))
    }

    /// A text, when it was given.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A number, when it was given.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(whole)
    }

    /// A flag; one that was not given is not set.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// An object; one that was not given is empty.
    #[must_use]
    pub fn object(&self, name: &str) -> Value {
        self.0.get(name).cloned().unwrap_or_else(|| Value::Object(Map::new()))
    }

    /// A list of texts; one that was not given is empty.
    #[must_use]
    pub fn texts(&self, name: &str) -> Vec<String> {
        let items = self.0.get(name).and_then(Value::as_array);
        let texts = items.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }
}

#[cfg(test)]
#[path = "parameter_tests.rs"]
mod tests;
