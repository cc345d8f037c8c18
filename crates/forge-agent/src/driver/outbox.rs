//! What is still to be sent, and the place each thing gets among all that is sent to a process.

use std::collections::VecDeque;

use super::Outgoing;
use crate::secrets::is_hidden_form;

/// The process host takes each place once and ignores what comes for it again. So whatever is not in the log yet
/// is safe to send: either it was not taken, or it is taken already and the log is about to show it.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: VecDeque<Due>,
    /// Given out for a place, but not yet seen in the log.
    under_way: VecDeque<(u64, Due)>,
    /// How many things were ever to be sent.
    pushed: u64,
    /// The place that the next thing given out gets.
    next: u64,
    /// The place that the next thing in the log has.
    next_logged: u64,
}

/// Something to be sent, and its number in the order in which that is to be done.
#[derive(Debug, Clone)]
struct Due {
    number: u64,
    outgoing: Outgoing,
}

impl Outbox {
    pub(crate) fn push(&mut self, outgoing: Outgoing) {
        self.waiting.push_back(Due { number: self.pushed, outgoing });
        self.pushed += 1;
    }

    /// Drops what waits and is not worth sending any more.
    pub(crate) fn retain(&mut self, mut worth: impl FnMut(&Outgoing) -> bool) {
        self.waiting.retain(|due| worth(&due.outgoing));
    }

    pub(crate) fn take(&mut self) -> Option<(u64, Outgoing)> {
        let due = self.waiting.pop_front()?;
        let place = self.next;
        self.next += 1;
        let outgoing = due.outgoing.clone();
        self.under_way.push_back((place, due));
        Some((place, outgoing))
    }

    /// Takes note of what the log shows in the next place.
    pub(crate) fn logged(&mut self, shown: &Outgoing) {
        let place = self.next_logged;
        self.next_logged += 1;
        self.next = self.next.max(self.next_logged);
        let ours = self.under_way.pop_front_if(|(under_way, _)| *under_way == place);
        if ours.as_ref().is_some_and(|(_, ours)| is(&ours.outgoing, shown)) {
            return;
        }
        if let Some(at) = self.waiting.iter().position(|waiting| is(&waiting.outgoing, shown)) {
            self.waiting.remove(at);
        }
        // Something sent by the server before this one came first, so ours was ignored: it has to go again.
        if let Some((_, ours)) = ours {
            let at = self.waiting.partition_point(|waiting| waiting.number < ours.number);
            self.waiting.insert(at, ours);
        }
    }
}

/// Whether the log shows this. It has words in the places of secrets.
fn is(ours: &Outgoing, shown: &Outgoing) -> bool {
    match (ours, shown) {
        (Outgoing::Write(ours), Outgoing::Write(shown)) => ours == shown || is_hidden_form(shown, ours),
        (Outgoing::Close, Outgoing::Close) => true,
        (Outgoing::Write(_) | Outgoing::Close, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Outgoing {
        Outgoing::Write(text.into())
    }

    #[test]
    fn what_the_log_shows_is_not_sent_again_and_places_go_on_after_it() {
        let mut outbox = Outbox::default();
        outbox.push(line("a"));
        outbox.push(line("b"));
        outbox.logged(&line("a"));
        assert_eq!(outbox.take(), Some((1, line("b"))));
        assert_eq!(outbox.take(), None);
    }

    #[test]
    fn the_log_showing_what_was_given_out_changes_nothing() {
        let mut outbox = Outbox::default();
        outbox.push(line("a"));
        assert_eq!(outbox.take(), Some((0, line("a"))));
        outbox.push(line("a"));
        outbox.logged(&line("a"));
        assert_eq!(outbox.take(), Some((1, line("a"))));
    }

    #[test]
    fn what_lost_its_place_to_an_earlier_server_is_given_out_again() {
        let mut outbox = Outbox::default();
        for text in ["a", "b"] {
            outbox.push(line(text));
        }
        assert_eq!(outbox.take(), Some((0, line("a"))));
        assert_eq!(outbox.take(), Some((1, line("b"))));
        outbox.logged(&line("of the server before"));
        outbox.logged(&line("b"));
        assert_eq!(outbox.take(), Some((2, line("a"))));
        assert_eq!(outbox.take(), None);
    }

    #[test]
    fn what_lost_its_place_keeps_its_order_and_what_took_it_does_not_go_again() {
        let mut outbox = Outbox::default();
        for text in ["a", "b", "c", "d"] {
            outbox.push(line(text));
        }
        assert_eq!(outbox.take(), Some((0, line("a"))));
        assert_eq!(outbox.take(), Some((1, line("b"))));
        outbox.logged(&line("of the server before"));
        outbox.logged(&line("c"));
        assert_eq!(outbox.take(), Some((2, line("a"))));
        assert_eq!(outbox.take(), Some((3, line("b"))));
        assert_eq!(outbox.take(), Some((4, line("d"))));
        assert_eq!(outbox.take(), None);
    }
}
