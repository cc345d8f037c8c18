//! Where a database is.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;

/// Where a database is.
#[derive(Debug, Clone)]
pub enum Place {
    /// In this file.
    Sqlite(PathBuf),
    /// On a PostgreSQL server.
    Postgres(PostgresUrl),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => path.display().fmt(f),
            Self::Postgres(url) => url.fmt(f),
        }
    }
}

/// The address of a PostgreSQL database. Shown without its password.
#[derive(Clone)]
pub struct PostgresUrl {
    pub(crate) options: Box<PgConnectOptions>,
}

/// Why a text is no address of a PostgreSQL database. It never repeats the text, which may hold a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadUrl {
    /// It names another kind of database, or none.
    #[error("the database's address does not begin with postgres://")]
    Scheme,
    /// It begins well, but cannot be read.
    #[error("the database's address cannot be read")]
    Malformed {
        /// What is wrong with it.
        source: sqlx::Error,
    },
}

impl FromStr for PostgresUrl {
    type Err = BadUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(BadUrl::Scheme);
        }
        let options = text.parse().map_err(|source| BadUrl::Malformed { source })?;
        Ok(Self { options: Box::new(options) })
    }
}

impl PostgresUrl {
    /// Whether it leads to this machine.
    pub(crate) fn is_local(&self) -> bool {
        let host = self.options.get_host();
        let loopback = host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        self.options.get_socket().is_some() || host == "localhost" || loopback
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = &self.options;
        let user = options.get_username();
        let database = options.get_database().unwrap_or(user);
        match options.get_socket() {
            Some(socket) => write!(f, "postgres://{user}@localhost/{database}?host={}", socket.display()),
            None => {
                write!(f, "postgres://{user}@{}:{}/{database}", options.get_host(), options.get_port())
            }
        }
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let text = "postgresql://me:hunter2@db.example:5433/forge?sslmode=disable";
        let url: PostgresUrl = text.parse().unwrap();
        assert_eq!(url.to_string(), "postgres://me@db.example:5433/forge");
        assert_eq!(format!("{:?}", Place::Postgres(url)), "Postgres(postgres://me@db.example:5433/forge)");
    }

    #[test]
    fn a_socket_is_shown_as_the_address_that_leads_to_it() {
        let text = "postgres://me@localhost/forge?host=/run/postgresql";
        let url: PostgresUrl = text.parse().unwrap();
        assert_eq!(url.to_string(), text);
    }

    #[test]
    fn what_is_no_address_of_postgresql_is_refused_without_repeating_it() {
        for text in ["", "mysql://me:hunter2@h/d", "sqlite://forge.db", "/run/postgresql", "POSTGRES"] {
            assert!(matches!(text.parse::<PostgresUrl>(), Err(BadUrl::Scheme)), "{text}");
        }
        for text in ["postgres://me:hunter2@h:port/d", "postgres://me:hunter2@h/d?sslmode=perhaps"] {
            let error = text.parse::<PostgresUrl>().unwrap_err();
            let BadUrl::Malformed { source } = &error else { panic!("{error:?}") };
            assert!(!format!("{error} {source} {error:?}").contains("hunter2"), "{error:?}");
        }
    }
}
