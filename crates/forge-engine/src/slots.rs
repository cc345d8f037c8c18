//! How many attempts may run at once, and which of those that wait comes next.
//!
//! The store says which attempts run and which wait; this is the same in memory, so that room is given out at once
//! and to the one that came first.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use forge_model::fsm::attempt::Room;
use forge_model::{AttemptId, ProjectId, Timestamp};

use crate::actor::Request;
use crate::engine::Engine;

/// How many attempts may run at once. None is as many as are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// In all.
    pub attempts: Option<usize>,
    /// In one project.
    pub attempts_per_project: Option<usize>,
}

/// Who runs and who waits.
#[derive(Debug)]
pub(crate) struct Slots {
    limits: Limits,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    running: HashMap<AttemptId, ProjectId>,
    /// Those that run and wait for a person: others have their room meanwhile.
    paused: HashMap<AttemptId, ProjectId>,
    waiting: BTreeMap<(Timestamp, AttemptId), ProjectId>,
}

impl Engine {
    /// The attempt runs no more: who waits longest is next.
    pub(crate) fn leave_slot(&self, attempt: AttemptId) {
        self.inner.slots.release(attempt);
        self.wake_next();
    }

    /// The attempt's agent waits for a person, so another attempt may run meanwhile, or goes on.
    pub(crate) fn share_slot(&self, attempt: AttemptId, waits: bool) {
        if !waits {
            self.inner.slots.resume(attempt);
        } else if self.inner.slots.pause(attempt) {
            self.wake_next();
        }
    }

    /// Which place an attempt has among those that wait for room, from 1; none when it does not wait.
    #[must_use]
    pub fn queue_position(&self, attempt: AttemptId) -> Option<usize> {
        self.inner.slots.position(attempt)
    }

    pub(crate) fn wake_next(&self) {
        if let Some(next) = self.inner.slots.next() {
            self.inner.actors.send(self, next, Request::Wake);
        }
    }
}

impl Slots {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, held: Mutex::default() }
    }

    /// Gives the attempt room to run, or a place among those that wait. One that has either keeps it.
    pub(crate) fn take_or_wait(&self, attempt: AttemptId, project: ProjectId, now: Timestamp) -> Room {
        let mut held = self.lock();
        if held.running.contains_key(&attempt) {
            return Room::Free;
        }
        let place = held.waiting.keys().find(|(_, waiting)| *waiting == attempt).copied();
        let place = place.unwrap_or((now, attempt));
        held.waiting.insert(place, project);
        if self.first(&held) != Some(attempt) {
            return Room::Full { now };
        }
        held.waiting.remove(&place);
        held.running.insert(attempt, project);
        Room::Free
    }

    /// Counts an attempt that runs already, whatever the limit is.
    pub(crate) fn occupy(&self, attempt: AttemptId, project: ProjectId) {
        self.lock().running.insert(attempt, project);
    }

    /// Gives the room of an attempt that runs to others. False when it has given it already, or when as many have as may
    /// run: all of them may be answered at once.
    fn pause(&self, attempt: AttemptId) -> bool {
        let mut held = self.lock();
        if self.limits.attempts.is_some_and(|most| held.paused.len() >= most) {
            return false;
        }
        let Some(project) = held.running.remove(&attempt) else { return false };
        held.paused.insert(attempt, project);
        true
    }

    /// Counts a paused attempt again, whatever the limit is: a person has waited for it.
    fn resume(&self, attempt: AttemptId) {
        let mut held = self.lock();
        if let Some(project) = held.paused.remove(&attempt) {
            held.running.insert(attempt, project);
        }
    }

    fn position(&self, attempt: AttemptId) -> Option<usize> {
        let before = self.lock().waiting.keys().position(|(_, waiting)| *waiting == attempt);
        before.map(|before| before + 1)
    }

    /// Puts an attempt among those that wait, at the place it had.
    pub(crate) fn wait(&self, attempt: AttemptId, project: ProjectId, since: Timestamp) {
        self.lock().waiting.insert((since, attempt), project);
    }

    /// The attempt needs no room any more, and waits for none.
    pub(crate) fn release(&self, attempt: AttemptId) {
        let mut held = self.lock();
        held.running.remove(&attempt);
        held.paused.remove(&attempt);
        held.waiting.retain(|(_, waiting), _| *waiting != attempt);
    }

    /// The first that waits and could run now.
    pub(crate) fn next(&self) -> Option<AttemptId> {
        self.first(&self.lock())
    }

    /// How many run, and how many wait.
    pub(crate) fn count(&self) -> (usize, usize) {
        let held = self.lock();
        (held.running.len() + held.paused.len(), held.waiting.len())
    }

    fn first(&self, held: &Held) -> Option<AttemptId> {
        let full = |limit: Option<usize>, used: usize| limit.is_some_and(|limit| used >= limit);
        if full(self.limits.attempts, held.running.len()) {
            return None;
        }
        let fits = |project: &ProjectId| {
            let used = held.running.values().filter(|running| *running == project).count();
            !full(self.limits.attempts_per_project, used)
        };
        held.waiting.iter().find(|(_, project)| fits(project)).map(|((_, attempt), _)| *attempt)
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn limits(attempts: usize, per_project: usize) -> Slots {
        Slots::new(Limits { attempts: Some(attempts), attempts_per_project: Some(per_project) })
    }

    #[test]
    fn paused_attempt_gives_its_room_to_others() {
        let slots = Slots::new(Limits { attempts: Some(1), attempts_per_project: None });
        let project = ProjectId::random();
        let [a, b, c] = [(); 3].map(|()| AttemptId::random());
        assert_eq!(slots.take_or_wait(a, project, at(1)), Room::Free);
        for (number, waiting) in [(2, b), (3, c)] {
            assert_eq!(slots.take_or_wait(waiting, project, at(number)), Room::Full { now: at(number) });
        }
        assert_eq!([a, b, c].map(|id| slots.position(id)), [None, Some(1), Some(2)]);
        assert!(slots.pause(a));
        assert!(!slots.pause(a), "its room is given away once");
        assert_eq!(slots.next(), Some(b));
        assert_eq!(slots.take_or_wait(b, project, at(4)), Room::Free);
        assert_eq!(slots.count(), (2, 1));
        assert!(!slots.pause(b), "no more wait for a person than may run");
        assert_eq!(slots.next(), None);
        slots.resume(a);
        slots.release(b);
        assert_eq!(slots.next(), None, "the paused one is back");
        slots.release(a);
        assert_eq!(slots.next(), Some(c));
    }

    #[test]
    fn without_limits_everything_runs() {
        let slots = Slots::new(Limits::default());
        let project = ProjectId::random();
        for _ in 0..100 {
            assert_eq!(slots.take_or_wait(AttemptId::random(), project, at(1)), Room::Free);
        }
        assert_eq!(slots.next(), None);
    }

    #[test]
    fn who_came_first_runs_first_and_nobody_overtakes() {
        let slots = limits(1, 1);
        let project = ProjectId::random();
        let [a, b, c] = [(); 3].map(|()| AttemptId::random());
        assert_eq!(slots.take_or_wait(a, project, at(1)), Room::Free);
        assert_eq!(slots.take_or_wait(b, project, at(2)), Room::Full { now: at(2) });
        slots.release(a);
        assert_eq!(slots.take_or_wait(c, project, at(3)), Room::Full { now: at(3) });
        assert_eq!(slots.next(), Some(b));
        assert_eq!(slots.take_or_wait(b, project, at(9)), Room::Free);
        assert_eq!(slots.take_or_wait(b, project, at(9)), Room::Free, "who has room keeps it");
        slots.release(b);
        assert_eq!(slots.next(), Some(c));
        slots.release(c);
        assert_eq!(slots.next(), None, "who needs no room waits for none");
    }

    #[test]
    fn a_full_project_does_not_hold_up_the_others() {
        let slots = limits(3, 1);
        let [one, other] = [(); 2].map(|()| ProjectId::random());
        let [a, b, c] = [(); 3].map(|()| AttemptId::random());
        assert_eq!(slots.take_or_wait(a, one, at(1)), Room::Free);
        assert_eq!(slots.take_or_wait(b, one, at(2)), Room::Full { now: at(2) });
        assert_eq!(slots.take_or_wait(c, other, at(3)), Room::Free);
        assert_eq!(slots.next(), None);
        slots.release(a);
        assert_eq!(slots.next(), Some(b));
    }
}
