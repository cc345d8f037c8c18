//! Pages of a list that changes, and cursors that are none.

use super::*;

fn place(number: i64) -> Place {
    // Many in the same millisecond.
    Place(Timestamp::from_millis(number / 4), Uuid::from_u128(u128::try_from(number).unwrap()))
}

fn pages(query: &str) -> Pages {
    let uri: Uri = format!("/api/tasks?{query}").parse().unwrap();
    let (mut parts, ()) = axum::http::Request::builder().uri(uri).body(()).unwrap().into_parts();
    let pages = Pages::from_request_parts(&mut parts, &());
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(pages).unwrap()
}

/// Everything page by page; `between` changes the list after each page.
fn walk(all: &mut Vec<i64>, first: First, limit: usize, between: impl Fn(&mut Vec<i64>)) -> Vec<i64> {
    let (mut seen, mut query) = (Vec::new(), format!("limit={limit}"));
    loop {
        let page = pages(&query).of(all, first, |number| place(*number));
        assert!(page.items.len() <= limit);
        seen.extend_from_slice(page.items);
        let Some(next) = page.next else { return seen };
        query = with_cursor(&page.uri, &next.write()).split_once('?').unwrap().1.to_owned();
        assert_eq!(query, format!("limit={limit}&cursor={}", next.write()));
        between(all);
    }
}

#[test]
fn pages_are_the_list_whatever_their_size() {
    let newest: Vec<i64> = (0..25).rev().collect();
    let oldest: Vec<i64> = (0..25).collect();
    for limit in 1..=26 {
        assert_eq!(walk(&mut newest.clone(), First::Newest, limit, |_| {}), newest);
        assert_eq!(walk(&mut oldest.clone(), First::Oldest, limit, |_| {}), oldest);
    }
    assert_eq!(pages("").of(&newest, First::Newest, |number| place(*number)).items, newest);
}

#[test]
fn what_is_added_meanwhile_hides_nothing_and_brings_nothing_twice() {
    let newest: Vec<i64> = (0..25).rev().collect();
    let seen = walk(&mut newest.clone(), First::Newest, 3, |all| {
        let next = all[0] + 1;
        all.insert(0, next);
    });
    assert_eq!(seen, newest);
    // What a page ended with goes: the others are still seen once each.
    let mut all = newest;
    let seen = walk(&mut all, First::Newest, 4, |all| all.retain(|number| number % 4 != 1));
    assert_eq!(seen.iter().filter(|number| **number % 4 != 1).count(), 19);
    assert!(seen.is_sorted_by(|a, b| a > b), "{seen:?}");
}

#[test]
fn what_is_no_cursor_is_refused() {
    let long = "f".repeat(40);
    for text in ["", ".", "x", "1.2", "zz.00000000000000000000000000000001", "-", &format!("{long}.{long}")] {
        let refused = Place::read(text).err().unwrap();
        assert_eq!((refused.status.as_u16(), refused.code), (400, "bad_cursor"), "{text}");
    }
    assert!(Place::read(&place(7).write()).unwrap() == place(7));
}
