//! Hostile repositories and agents: each lives through a whole attempt, and a canary proves that nothing of it got out.
//!
//! A test describes its hostility in shell: lines for the repository before it becomes a project, and lines for the
//! agent in its turns. [`Hostile::live`] then does over HTTP all that a person does with an attempt.

mod bed;
mod canary;
mod drivers;
mod files;
mod hooks;
mod links;
mod nested;
mod objects;
mod odd_names;
mod repositories;
mod submodules;
mod texts;

use bed::Hostile;
