//! Lists in pages: `limit` and `cursor` in the query, `X-Next-Cursor` and `Link` in the answer. Without either in the
//! query a list is whole, as it always was.

use std::cmp::Ordering;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Uri, header};
use forge_model::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use super::envelope::{Answer, Reply, list_in_pieces, ok};
use super::problem::Problem;
use super::shape;
use super::spec::{Draft, Input, Wire};

const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-next-cursor");
/// What a page holds when only a cursor is given.
const USUAL: u32 = 100;
const MOST: u32 = 1_000;

#[derive(Deserialize, JsonSchema)]
struct Asked {
    /// Only so many of the list, at most 1000. The header `X-Next-Cursor` tells how to go on; without it this was the
    /// last page.
    limit: Option<u32>,
    /// Goes on where the page with this `X-Next-Cursor` ended. What was added meanwhile neither hides anything nor
    /// brings it twice.
    cursor: Option<String>,
}

/// The part of a list that is asked for.
pub(super) struct Pages {
    wanted: Option<Wanted>,
    uri: Uri,
}

struct Wanted {
    limit: usize,
    after: Option<Place>,
}

/// Where something stands in a list: when it was made, then its id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(pub(super) Timestamp, pub(super) Uuid);

/// What a list begins with.
#[derive(Clone, Copy)]
pub(super) enum First {
    Newest,
    Oldest,
}

/// Some of a list, and how to go on.
pub(super) struct Page<'a, T> {
    pub(super) items: &'a [T],
    next: Option<Place>,
    uri: Uri,
}

impl<S: Send + Sync> FromRequestParts<S> for Pages {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let uri = parts.uri.clone();
        let asked: Asked = shape::of_query(&uri)?;
        let after = asked.cursor.as_deref().map(Place::read).transpose()?;
        let limit = match asked.limit {
            Some(0) => return Err(Problem::malformed("bad_query", "`limit` has to be at least 1")),
            Some(limit) => Some(limit),
            None => after.map(|_| USUAL),
        };
        let wanted = limit.map(|limit| Wanted { limit: limit.min(MOST) as usize, after });
        Ok(Self { wanted, uri })
    }
}

impl Input for Pages {
    fn describe(draft: &mut Draft<'_>) {
        draft.query::<Asked>();
        draft.answers_with(
            "X-Next-Cursor",
            "Where the next page begins, to be given back as `cursor`; none after the last.",
        );
        draft.answers_with("Link", "The request for the next page, as `rel=\"next\"`.");
    }
}

impl Pages {
    /// What has to be read at least: so many that come after this place, one more than are shown. None is all.
    pub(super) fn window(&self) -> Option<(Option<Place>, usize)> {
        self.wanted.as_ref().map(|wanted| (wanted.after, wanted.limit + 1))
    }

    /// The part of `all` that is asked for.
    pub(super) fn of<T>(self, all: &[T], first: First, place: impl Fn(&T) -> Place) -> Page<'_, T> {
        let Some(Wanted { limit, after }) = self.wanted else {
            return Page { items: all, next: None, uri: self.uri };
        };
        // What the last page ended with may be gone; then the rest begins where it would stand.
        let is_after = |item: &T, after| place(item).cmp(&after) == first.order();
        let begin = after.map_or(0, |after| {
            let at = all.iter().position(|item| place(item).1 == after.1).map(|at| at + 1);
            at.or_else(|| all.iter().position(|item| is_after(item, after))).unwrap_or(all.len())
        });
        let rest = all.get(begin..).unwrap_or_default();
        let items = rest.get(..limit).unwrap_or(rest);
        let next = items.last().filter(|_| items.len() < rest.len()).map(place);
        Page { items, next, uri: self.uri }
    }
}

impl First {
    const fn order(self) -> Ordering {
        match self {
            Self::Newest => Ordering::Less,
            Self::Oldest => Ordering::Greater,
        }
    }
}

impl<T> Page<'_, T> {
    /// The answer that holds `data`, which is the page's items as they are written.
    pub(super) fn answer<W: Wire>(&self, data: W) -> Answer<W::Shape> {
        self.with_next(ok(data)?)
    }

    /// The answer that holds a list of `items`, written while it is sent.
    pub(super) fn answer_in_pieces<I, S, W>(&self, items: Vec<I>, write: W) -> Answer<Vec<S>>
    where
        I: Send + 'static,
        W: Fn(&I, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
    {
        self.with_next(list_in_pieces(items, write)?)
    }

    fn with_next<S>(&self, mut reply: Reply<S>) -> Answer<S> {
        if let Some(next) = self.next {
            let cursor = next.write();
            let link = format!("<{}>; rel=\"next\"", with_cursor(&self.uri, &cursor));
            let value = |text: &str| HeaderValue::from_str(text).map_err(Problem::internal);
            reply = reply.header(NEXT_CURSOR, value(&cursor)?).header(header::LINK, value(&link)?);
        }
        Ok(reply)
    }
}

/// The same request for the next page.
fn with_cursor(uri: &Uri, cursor: &str) -> String {
    let query = uri.query().unwrap_or_default().split('&');
    let mut query: Vec<_> = query.filter(|pair| !pair.starts_with("cursor=")).collect();
    let cursor = format!("cursor={cursor}");
    query.push(&cursor);
    format!("{}?{}", uri.path(), query.join("&"))
}

impl Place {
    fn write(self) -> String {
        format!("{:x}.{}", self.0.as_millis(), self.1.simple())
    }

    fn read(text: &str) -> Result<Self, Problem> {
        let parts = text.split_once('.').and_then(|(at, id)| {
            let at = i64::from_str_radix(at, 16).ok()?;
            Some(Self(Timestamp::from_millis(at), Uuid::try_parse(id).ok()?))
        });
        parts.ok_or_else(|| {
            Problem::malformed("bad_cursor", "`cursor` is not one that a page ended with")
                .hint("give back the X-Next-Cursor of the page before, or leave it out")
        })
    }
}

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;
