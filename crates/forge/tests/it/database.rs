//! The databases that a server can keep its rows in. What must hold on each is tried on each: `name::sqlite` and
//! `name::postgres`.

use forge_testkit::postgres::TestPostgres;
use forge_testkit::server::Setup;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Database {
    Sqlite,
    Postgres,
}

impl Database {
    /// A server on a new database. The second is what has to be there as long as the server is.
    pub(crate) fn under(self, setup: Setup) -> (Setup, Option<TestPostgres>) {
        match self {
            Self::Sqlite => (setup, None),
            Self::Postgres => {
                let postgres = TestPostgres::start();
                (setup.env("DATABASE_URL", postgres.url()), Some(postgres))
            }
        }
    }
}

/// Makes two tests out of each function, which is handed the database. Where the tests' name is not the function's,
/// it stands before it.
macro_rules! on_each_database {
    ($($name:ident$(: $test:ident($argument:expr))?;)*) => {
        $($crate::database::on_each_database!(@ $name, $($test, $argument)?);)*
    };
    (@ $name:ident,) => {
        $crate::database::on_each_database!(@ $name, $name,);
    };
    (@ $name:ident, $test:ident, $($argument:expr)?) => {
        mod $name {
            use $crate::database::Database;

            #[tokio::test]
            async fn sqlite() {
                super::$test(Database::Sqlite $(, $argument)?).await;
            }

            #[tokio::test]
            async fn postgres() {
                super::$test(Database::Postgres $(, $argument)?).await;
            }
        }
    };
}
pub(crate) use on_each_database;
