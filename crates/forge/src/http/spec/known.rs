//! Which names an operation knows in its query: those that it is documented with.

use std::sync::{Arc, OnceLock};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use schemars::generate::SchemaSettings;

use super::Draft;
use crate::http::shape;

/// The names that an operation knows, once somebody sent some.
pub(super) struct KnownQuery {
    path: &'static str,
    describe: fn(&mut Draft<'_>),
    names: OnceLock<Vec<String>>,
}

impl KnownQuery {
    pub(super) const fn of(path: &'static str, describe: fn(&mut Draft<'_>)) -> Self {
        Self { path, describe, names: OnceLock::new() }
    }

    fn names(&self) -> Vec<&str> {
        let names = self.names.get_or_init(|| {
            let settings = SchemaSettings::draft2020_12();
            let mut inputs = settings.clone().for_deserialize().into_generator();
            let mut outputs = settings.for_serialize().into_generator();
            let mut draft = Draft::new(self.path, &mut inputs, &mut outputs);
            (self.describe)(&mut draft);
            let in_query = draft.parameters.iter().filter(|parameter| parameter["in"] == "query");
            in_query.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect()
        });
        names.iter().map(String::as_str).collect()
    }
}

/// Refuses a request whose query has a name that the operation does not know.
pub(super) async fn check(State(known): State<Arc<KnownQuery>>, request: Request, next: Next) -> Response {
    let is_empty = request.uri().query().is_none_or(str::is_empty);
    match if is_empty { Ok(()) } else { shape::check_query(request.uri(), &known.names()) } {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}
