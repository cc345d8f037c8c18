//! The scripted agent as a program: what it says in each of its two languages, and how it ends.

#[cfg(test)]
mod agent;
#[cfg(test)]
mod conversation;
#[cfg(test)]
mod plain;
#[cfg(test)]
mod tree;
