//! How extractors and replies say what they are: a parameter, a body, a status with a shape.

use std::collections::{BTreeMap, HashMap};

use axum::extract::State;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::http::problem::Problem;

/// An operation that is being described.
pub(in crate::http) struct Draft<'a> {
    path: &'static str,
    pub(super) parameters: Vec<Value>,
    pub(super) body: Option<Value>,
    pub(super) responses: Map<String, Value>,
    pub(super) frames: Option<Value>,
    /// Headers of what is answered, with what they say.
    pub(super) answered: Map<String, Value>,
    /// Shapes of what is read.
    inputs: &'a mut SchemaGenerator,
    /// Shapes of what is written.
    outputs: &'a mut SchemaGenerator,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        path: &'static str,
        inputs: &'a mut SchemaGenerator,
        outputs: &'a mut SchemaGenerator,
    ) -> Self {
        Self {
            path,
            parameters: Vec::new(),
            body: None,
            responses: Map::new(),
            frames: None,
            answered: Map::new(),
            inputs,
            outputs,
        }
    }

    /// The `index`th word in braces of the path.
    pub(in crate::http) fn in_path(&mut self, index: usize, schema: &Value) {
        let Some(name) = self.path.split('{').nth(index + 1).and_then(|rest| rest.split('}').next()) else {
            return;
        };
        self.parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
    }

    pub(in crate::http) fn header(&mut self, name: &str, about: &str, schema: &Value) {
        let header = json!({ "name": name, "in": "header", "required": false, "description": about, "schema": schema });
        self.parameters.push(header);
    }

    /// A header that the answer may have.
    pub(in crate::http) fn answers_with(&mut self, name: &str, about: &str) {
        let header = json!({ "description": about, "schema": { "type": "string" } });
        self.answered.insert(name.to_owned(), header);
    }

    /// Each field of `T` as a parameter of the query.
    pub(in crate::http) fn query<T: JsonSchema>(&mut self) {
        let shape = T::json_schema(self.inputs);
        let required: Vec<_> = shape.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for (name, schema) in shape.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let mut schema = schema.clone();
            let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            let mut parameter = json!({
                "name": name,
                "in": "query",
                "required": required.contains(&json!(name)),
                "schema": schema,
            });
            if let (Some(about), Some(parameter)) = (about, parameter.as_object_mut()) {
                parameter.insert("description".into(), about);
            }
            self.parameters.push(parameter);
        }
    }

    /// A body of JSON.
    pub(in crate::http) fn json_body<T: JsonSchema>(&mut self, required: bool) {
        let schema = self.inputs.subschema_for::<T>();
        self.body_of("application/json", &schema, required);
    }

    /// A body of another kind.
    pub(in crate::http) fn body_of(&mut self, media: &str, schema: &Schema, required: bool) {
        self.body = Some(json!({ "required": required, "content": { media: { "schema": schema } } }));
    }

    /// The same body may be of this kind, too.
    pub(in crate::http) fn or_body_of(&mut self, media: &str, schema: &Schema) {
        let content =
            self.body.as_mut().and_then(|body| body.get_mut("content")).and_then(Value::as_object_mut);
        if let Some(content) = content {
            content.insert(media.to_owned(), json!({ "schema": schema }));
        }
    }

    /// An answer in the envelope.
    pub(in crate::http) fn answers<T: JsonSchema>(&mut self, status: u16) {
        let data = self.outputs.subschema_for::<T>();
        let envelope = json!({
            "type": "object",
            "required": ["success", "data", "error_data", "message"],
            "properties": {
                "success": { "const": true },
                "data": data,
                "error_data": { "type": "null" },
                "message": { "type": "null" },
            },
        });
        self.respond(status, "application/json", &envelope);
    }

    /// An answer of JSON without the envelope.
    pub(in crate::http) fn answers_bare<T: JsonSchema>(&mut self, status: u16) {
        let schema = self.outputs.subschema_for::<T>();
        self.respond(status, "application/json", &json!(schema));
    }

    /// An answer without a body.
    pub(in crate::http) fn answers_nothing(&mut self, status: u16) {
        self.responses.insert(status.to_string(), json!({ "description": "There is nothing to answer" }));
    }

    /// An answer of bytes.
    pub(in crate::http) fn answers_plain(&mut self) {
        let content =
            json!({ "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } });
        self.responses.insert("200".into(), json!({ "description": describe(200), "content": content }));
    }

    /// Frames of a WebSocket, each of this shape.
    pub(in crate::http) fn streams<F: JsonSchema>(&mut self) {
        let frame = json!(self.outputs.subschema_for::<F>());
        self.respond(101, "application/json", &frame);
        self.frames = Some(frame);
    }

    fn respond(&mut self, status: u16, media: &str, schema: &Value) {
        let response = json!({ "description": describe(status), "content": { media: { "schema": schema } } });
        self.responses.insert(status.to_string(), response);
    }
}

const fn describe(status: u16) -> &'static str {
    match status {
        101 => "A WebSocket of text frames, each one JSON value",
        202 => "Taken on; it is not done yet",
        400 => "It cannot be read",
        _ => "Done",
    }
}

/// Something that a handler takes.
pub(in crate::http) trait Input {
    fn describe(draft: &mut Draft<'_>);
}

/// Something that a handler gives.
pub(in crate::http) trait Output {
    fn describe(draft: &mut Draft<'_>);
}

impl<T: Output> Output for Result<T, Problem> {
    fn describe(draft: &mut Draft<'_>) {
        T::describe(draft);
    }
}

impl<T> Input for State<T> {
    fn describe(_draft: &mut Draft<'_>) {}
}

/// A handler of which each argument and the answer can be described.
pub(in crate::http) trait Described<T> {
    fn describe(draft: &mut Draft<'_>);
}

impl<F, A> Described<((),)> for F
where
    F: Fn() -> A,
    A: Future<Output: Output>,
{
    fn describe(draft: &mut Draft<'_>) {
        A::Output::describe(draft);
    }
}

macro_rules! described {
    ($($input:ident),+) => {
        impl<F, A, M, $($input),+> Described<(M, $($input,)+)> for F
        where
            F: Fn($($input),+) -> A,
            A: Future<Output: Output>,
            $($input: Input),+
        {
            fn describe(draft: &mut Draft<'_>) {
                $($input::describe(draft);)+
                A::Output::describe(draft);
            }
        }
    };
}

described!(T1);
described!(T1, T2);
described!(T1, T2, T3);
described!(T1, T2, T3, T4);
described!(T1, T2, T3, T4, T5);
described!(T1, T2, T3, T4, T5, T6);

/// What can be written as an answer, and the shape that it has whatever it borrows from.
pub(in crate::http) trait Wire: Serialize {
    type Shape: JsonSchema + 'static;
}

/// Says that types with [`JsonSchema`] are what answers are made of.
macro_rules! documented {
    (@one $name:ident) => {
        impl $crate::http::spec::Wire for $name { type Shape = Self; }
    };
    (@one $name:ident <$borrowed:lifetime>) => {
        impl $crate::http::spec::Wire for $name<'_> { type Shape = $name<'static>; }
    };
    ($($name:ident $(<$borrowed:lifetime>)?),+ $(,)?) => {
        $($crate::http::spec::documented!(@one $name $(<$borrowed>)?);)+
    };
}
pub(in crate::http) use documented;

documented!(String, bool, Value);

impl Wire for () {
    type Shape = ();
}

impl Wire for &str {
    type Shape = String;
}

impl<T: Wire> Wire for Vec<T> {
    type Shape = Vec<T::Shape>;
}

impl<T: Wire> Wire for Option<T> {
    type Shape = Option<T::Shape>;
}

impl<T: Wire> Wire for BTreeMap<String, T> {
    type Shape = HashMap<String, T::Shape>;
}
