//! Structs that are read from rows of either database, each field from the column of its name.

/// Defines a struct and reads it from a row. A part named behind the struct is read from the same row.
///
/// The derive of sqlx does the same, but builds the drivers of both databases a second time for its macros.
macro_rules! row {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident { $($field_visibility:vis $field:ident: $type:ty,)* }
        $(+ $part:ident: $part_type:ty)?
    ) => {
        $(#[$attribute])*
        $visibility struct $name {
            $($field_visibility $field: $type,)*
            $($part: $part_type,)?
        }

        impl<'r, R> ::sqlx::FromRow<'r, R> for $name
        where
            R: ::sqlx::Row,
            &'static str: ::sqlx::ColumnIndex<R>,
            $($type: ::sqlx::Decode<'r, R::Database> + ::sqlx::Type<R::Database>,)*
            $($part_type: ::sqlx::FromRow<'r, R>,)?
        {
            fn from_row(row: &'r R) -> ::sqlx::Result<Self> {
                Ok(Self {
                    $($field: row.try_get(stringify!($field))?,)*
                    $($part: ::sqlx::FromRow::from_row(row)?,)?
                })
            }
        }
    };
}

pub(crate) use row;
