//! Looking for a file of a project by a part of its name.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use forge_git::Listing;
use forge_model::ProjectId;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::snapshots::gone_is_conflict;

/// How many files a search finds at most.
const MOST: usize = 10;

/// Where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchScope {
    /// In all files that git does not ignore.
    Known,
    /// In those that it ignores too.
    All,
}

/// A file or folder that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its path, relative to the project's folder.
    pub path: String,
    /// What it was found by.
    pub matched: Matched,
}

/// What something was found by, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matched {
    /// A file, by its name.
    FileName,
    /// A folder, by its name.
    DirectoryName,
    /// A file, by the folders that it is in.
    FullPath,
}

impl Engine {
    /// The files and folders of a project whose path has `query` in it, whatever the letters' case: by name before by
    /// path, the exact before the similar, what was worked on lately before the rest.
    ///
    /// # Errors
    /// When the query is blank, or the project or its repository is not there.
    pub async fn search_files(
        &self,
        project: ProjectId,
        query: &str,
        scope: SearchScope,
    ) -> Result<Vec<Found>> {
        let project = self.get_project(project).await?;
        let query = query.trim().to_lowercase();
        if query.is_empty() {
            return Err(Error::invalid("query_empty", "there is nothing to look for")
                .hint("give a part of a file's name as q"));
        }
        let repo = self.repository(&project).await.map_err(gone_is_conflict)?;
        let listing = match scope {
            SearchScope::Known => Listing::Known,
            SearchScope::All => Listing::All,
        };
        let (files, touched) = tokio::join!(repo.files(listing), repo.touched_lately());
        let (files, touched, top) = (files?, touched?, repo.path().to_owned());
        let looking = tokio::task::spawn_blocking(move || {
            let ranked = rank(&files, &touched, &query);
            // Git lists what it tracks, whether it is there or not.
            ranked
                .into_iter()
                .filter(|found| fs::symlink_metadata(top.join(&found.path)).is_ok())
                .take(MOST)
                .collect()
        });
        looking.await.map_err(|source| Error::internal("a search did not end").because(source))
    }
}

/// Everything that matches, the best first.
fn rank(files: &[PathBuf], touched: &HashMap<PathBuf, usize>, query: &str) -> Vec<Found> {
    let recency = |path: &Path| touched.get(path).copied().unwrap_or(usize::MAX);
    // What no text can say cannot be asked for either.
    let files: Vec<(&Path, &str)> =
        files.iter().filter_map(|path| Some((path.as_path(), path.to_str()?))).collect();
    let mut ranked = Vec::new();
    let mut folders: BTreeSet<&str> = BTreeSet::new();
    for (path, text) in &files {
        let matched = match name_of(text).to_lowercase() {
            name if name.contains(query) => Some((Matched::FileName, closeness(&name, query))),
            _ if text.to_lowercase().contains(query) => Some((Matched::FullPath, 0)),
            _ => None,
        };
        if let Some((matched, closeness)) = matched {
            ranked.push((matched, closeness, recency(path), text.len(), *text));
        }
        let parents =
            path.ancestors().skip(1).filter_map(Path::to_str).take_while(|folder| !folder.is_empty());
        for folder in parents {
            if !folders.insert(folder) {
                break;
            }
        }
    }
    for folder in folders {
        let name = name_of(folder).to_lowercase();
        if name.contains(query) {
            ranked.push((Matched::DirectoryName, closeness(&name, query), usize::MAX, folder.len(), folder));
        }
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(matched, .., path)| Found { path: path.to_owned(), matched }).collect()
}

fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// How near a name is to what is looked for: the same, the same but for its ending, beginning so, or having it.
fn closeness(name: &str, query: &str) -> u8 {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if name == query {
        0
    } else if stem == query {
        1
    } else if name.starts_with(query) {
        2
    } else {
        3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_before_paths_and_recent_files_before_old_ones() {
        let files =
            ["src/Login.rs", "src/login_form.rs", "web/login/index.ts", "a/xlogin", "b/xlogin", "other"];
        let files = files.map(PathBuf::from);
        let touched = HashMap::from([(PathBuf::from("b/xlogin"), 3)]);
        let found: Vec<_> =
            rank(&files, &touched, "login").into_iter().map(|found| (found.path, found.matched)).collect();
        let expected = [
            ("src/Login.rs", Matched::FileName),
            ("src/login_form.rs", Matched::FileName),
            ("b/xlogin", Matched::FileName),
            ("a/xlogin", Matched::FileName),
            ("web/login", Matched::DirectoryName),
            ("web/login/index.ts", Matched::FullPath),
        ];
        assert_eq!(found, expected.map(|(path, matched)| (path.to_owned(), matched)));
    }
}
