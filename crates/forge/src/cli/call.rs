//! How commands reach the server that runs on a data folder: it writes its port and its token there.

use std::fs;
use std::path::Path;

use reqwest::{Client, RequestBuilder};

use crate::error::Error;

/// A POST that is not sent yet. Port and token are read anew each time, because a server that was started again may
/// have others. Nothing is sent, and least of all the token, to whoever listens where a server once did.
pub(super) fn post(http: &Client, data: &Path, path: &str) -> Result<RequestBuilder, Error> {
    if !forge_engine::is_served(data) {
        return Err(nobody(data));
    }
    let port = fs::read_to_string(data.join("port")).map_err(|_missing| nobody(data))?;
    let request = http.post(format!("http://127.0.0.1:{}{path}", port.trim()));
    Ok(match fs::read_to_string(data.join("token")) {
        Ok(token) => request.bearer_auth(token.trim()),
        Err(_none) => request,
    })
}

/// What it means that a request was not answered.
pub(super) fn failed(data: &Path, source: reqwest::Error) -> Error {
    // A server that was killed leaves its port file behind.
    if source.is_connect() { nobody(data) } else { Error::Call { source } }
}

fn nobody(data: &Path) -> Error {
    Error::NoServer { data: data.to_owned() }
}
