//! The arguments of a call, read so that nobody can read them otherwise: a name that stands twice
//! in one object means one thing to this reader and another to the next, so it is refused. Depth is
//! bounded by the JSON reader itself, and what all values take by [`weigh`].

use std::fmt;

use metier_format::json::weigh;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The arguments in `text`, or why they are none.
pub fn parse(text: &[u8]) -> Result<Value, String> {
    read(text).map_err(|error| format!("the arguments are not JSON that has one meaning: {error}"))
}

/// The value in `text`, or why there is none that everybody reads alike.
pub fn read(text: &[u8]) -> Result<Value, serde_json::Error> {
    weigh(text).map_err(serde_json::Error::custom)?;
    serde_json::from_slice::<Unambiguous>(text).map(|Unambiguous(value)| value)
}

/// A JSON value without repeated names.
struct Unambiguous(Value);

struct Reader;

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a number"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unambiguous(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let Unambiguous(value) = members.next_value()?;
            if map.contains_key(&name) {
                return Err(A::Error::custom(format!("`{name}` stands twice")));
            }
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
#[path = "unambiguous_tests.rs"]
mod tests;
