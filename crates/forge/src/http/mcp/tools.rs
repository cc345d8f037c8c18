//! The tools that there are: one list, from which `tools/list`, `tools/call` and the instructions are made. A tool is
//! a spelling of a call of the engine; what it takes is read off its arguments' type.

use forge_engine::Engine;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{approvals, projects, rpc, runs, tasks};
use crate::http::problem::Problem;
use crate::http::shape;

const ABOUT: &str = "Forge runs coding agents on git repositories, each in a worktree and branch of its own. A project is a \
    repository, a task is what is wanted, an attempt is one try at a task by an agent; an execution run is work \
    without a task. Begin with list_projects. create_and_start_task makes a task and sets an agent to work on it. \
    Agents ask before they do something: list_approvals with wait_seconds tells what they ask, and answer_approval \
    answers; nobody answering in time is a no. get_task_attempt tells how far an agent is, follow_up tells it more, \
    stop_task_attempt stops it.";

/// What a tool does to what is there.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    Looks,
    Changes,
    /// What was there before may be gone.
    Destroys,
}

/// Something that can be called.
pub(super) struct Tool {
    pub(super) name: &'static str,
    about: &'static str,
    effect: Effect,
    schema: fn() -> Map<String, Value>,
    run: Box<Run>,
}

type Run = dyn Fn(Engine, Value) -> BoxFuture<'static, Result<String, Problem>> + Send + Sync;

impl Tool {
    pub(super) fn new<A, O, F>(
        name: &'static str,
        about: &'static str,
        effect: Effect,
        run: fn(Engine, A) -> F,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize,
        F: Future<Output = Result<O, Problem>> + Send + 'static,
    {
        let run = move |engine, arguments| -> BoxFuture<'static, Result<String, Problem>> {
            Box::pin(async move {
                let arguments = read::<A>(arguments)?;
                let answer = run(engine, arguments).await?;
                serde_json::to_string_pretty(&answer).map_err(Problem::internal)
            })
        };
        Self { name, about, effect, schema: schema::<A>, run: Box::new(run) }
    }

    pub(super) const fn only_looks(&self) -> bool {
        matches!(self.effect, Effect::Looks)
    }

    /// What it comes to, as text.
    pub(super) async fn call(&self, engine: Engine, arguments: Value) -> Result<String, Problem> {
        self.know(&arguments)?;
        (self.run)(engine, arguments).await
    }

    /// Refuses what it does not take: a slip in an optional argument's name would be lost otherwise.
    fn know(&self, arguments: &Value) -> Result<(), Problem> {
        let schema = (self.schema)();
        let known: Vec<&str> = names(&schema).collect();
        let unknown = arguments.as_object().into_iter().flat_map(Map::keys);
        let Some(name) = unknown.into_iter().find(|name| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let meant = forge_model::nearest(name, known.iter().copied());
        let hint = match meant {
            Some(meant) => format!("did you mean `{meant}`? {}", takes(&schema)),
            None => takes(&schema),
        };
        let message = format!("{} has no argument `{}`", self.name, rpc::short(name));
        Err(Problem::invalid("unknown_argument", message).hint(hint))
    }

    pub(super) fn describe(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": (self.schema)(),
            "annotations": {
                "readOnlyHint": self.only_looks(),
                "destructiveHint": matches!(self.effect, Effect::Destroys),
                "openWorldHint": false,
            },
        })
    }
}

fn read<A: DeserializeOwned + JsonSchema>(arguments: Value) -> Result<A, Problem> {
    shape::of_value(arguments).map_err(|problem| problem.hint(takes(&schema::<A>())))
}

fn names(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).map(String::as_str)
}

/// The arguments in a sentence.
fn takes(schema: &Map<String, Value>) -> String {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    let written = names(schema)
        .map(|name| if is_required(name) { format!("{name} (required)") } else { name.to_owned() });
    let written: Vec<_> = written.collect();
    if written.is_empty() {
        "it takes no arguments".into()
    } else {
        format!("it takes {}", written.join(", "))
    }
}

/// What a tool takes, so that every client understands it: no references, no names of types, no `null` beside what is
/// meant (it is taken all the same), no formats but those of JSON Schema.
fn schema<A: JsonSchema>() -> Map<String, Value> {
    let mut settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<A>();
    let Value::Object(mut schema) = schema.to_value() else { return Map::new() };
    schema.remove("title");
    schema.insert("additionalProperties".into(), json!(false));
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    for property in properties.as_object_mut().into_iter().flat_map(Map::values_mut) {
        let Some(property) = property.as_object_mut() else { continue };
        let kind = property.get("type").and_then(Value::as_array).and_then(|kinds| kinds.first()).cloned();
        if let Some(kind) = kind {
            property.insert("type".into(), kind);
        }
        if let Some(Value::String(about)) = property.get_mut("description") {
            *about = about.replace('\n', " ");
        }
        if property.get("format").is_some_and(|format| format != "uuid") {
            property.remove("format");
        }
    }
    schema
}

/// Every tool there is.
pub(super) fn all() -> Vec<Tool> {
    [projects::tools(), tasks::tools(), runs::tools(), approvals::tools()].into_iter().flatten().collect()
}

/// What a client's agent is told before it calls anything.
pub(super) fn instructions() -> String {
    let names: Vec<_> = all().iter().map(|tool| tool.name).collect();
    format!("{ABOUT} The tools are {}.", names.join(", "))
}
