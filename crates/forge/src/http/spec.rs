//! One list of operations, from which routes, the OpenAPI document and the page for readers are made. What an
//! operation takes and gives is read off its handler's signature, so that neither can say what the other does not.

mod describe;
mod document;
mod known;
mod page;
mod portable;

use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::middleware;
use axum::routing::{MethodFilter, MethodRouter, on};

pub(super) use describe::{Draft, Input, Output, Wire, documented};
pub(crate) use document::openapi;
pub(super) use page::operations as page_operations;

use super::App;
use describe::Described;
use known::KnownQuery;

/// Operations that belong together.
pub(super) struct Area {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) operations: Vec<Operation>,
}

impl Area {
    pub(super) const fn new(name: &'static str, about: &'static str, operations: Vec<Operation>) -> Self {
        Self { name, about, operations }
    }
}

/// A method and a path, what it is called, and who answers.
pub(super) struct Operation {
    /// What generated clients call it.
    id: &'static str,
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    /// What it may answer with beside its usual status.
    also: Vec<(u16, &'static str)>,
    /// What kind of thing it answers with, where that is not JSON.
    media: Option<&'static str>,
    handler: MethodRouter<App>,
    describe: fn(&mut Draft<'_>),
}

impl Operation {
    pub(super) fn get<H, T>(id: &'static str, path: &'static str, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, App> + Described<T>,
        T: 'static,
    {
        Self::new("get", on(MethodFilter::GET, handler), (id, path, summary), H::describe)
    }

    pub(super) fn post<H, T>(id: &'static str, path: &'static str, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, App> + Described<T>,
        T: 'static,
    {
        Self::new("post", on(MethodFilter::POST, handler), (id, path, summary), H::describe)
    }

    pub(super) fn put<H, T>(id: &'static str, path: &'static str, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, App> + Described<T>,
        T: 'static,
    {
        Self::new("put", on(MethodFilter::PUT, handler), (id, path, summary), H::describe)
    }

    pub(super) fn delete<H, T>(
        id: &'static str,
        path: &'static str,
        summary: &'static str,
        handler: H,
    ) -> Self
    where
        H: Handler<T, App> + Described<T>,
        T: 'static,
    {
        Self::new("delete", on(MethodFilter::DELETE, handler), (id, path, summary), H::describe)
    }

    fn new(
        method: &'static str,
        handler: MethodRouter<App>,
        (id, path, summary): (&'static str, &'static str, &'static str),
        describe: fn(&mut Draft<'_>),
    ) -> Self {
        Self { id, method, path, summary, also: Vec::new(), media: None, handler, describe }
    }

    /// It may answer with this status too, in the same shape.
    pub(super) fn also(mut self, status: u16, when: &'static str) -> Self {
        self.also.push((status, when));
        self
    }

    /// What it answers with is of this kind.
    pub(super) const fn media(mut self, media: &'static str) -> Self {
        self.media = Some(media);
        self
    }
}

/// The routes of all operations.
pub(super) fn routes(areas: Vec<Area>) -> Router<App> {
    areas.into_iter().flat_map(|area| area.operations).fold(Router::new(), |router, operation| {
        // What is outside of the API speaks other protocols, or is opened by people.
        if !operation.path.starts_with("/api/") {
            return router.route(operation.path, operation.handler);
        }
        let known = Arc::new(KnownQuery::of(operation.path, operation.describe));
        let checked = operation.handler.layer(middleware::from_fn_with_state(known, known::check));
        router.route(operation.path, checked)
    })
}
