//! The newest events, kept for all who follow the log: what was committed is read from the database once, however
//! many readers there are. Who is further behind reads pages of its own.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;

use forge_model::{AttemptId, Event, Fact, Profile, ProjectId, RemovedFollowUp, Seq, TaskId};
use forge_store::{Store, StoreError};
use tokio::sync::Mutex;

/// So many events are kept at most, and so many bytes of them.
const MOST: usize = 1_024;
const BYTES: usize = 4 * 1024 * 1024;

/// A page ends with the event that fills it: this much a slow reader costs.
const PAGE_BYTES: usize = 1024 * 1024;

/// How many events are read at once.
const PAGE: usize = 256;

/// So many attempts and so many tasks are remembered for what their events do not say.
const REMEMBERED: usize = 1_024;

/// An event, with what readers want and it does not say itself. What is gone meanwhile is none.
#[derive(Debug)]
pub struct Told {
    /// The event.
    pub event: Event,
    /// The profile of the attempt whose process it is about.
    pub profile: Option<Profile>,
    /// The title of the task whose attempt it is about.
    pub title: Option<String>,
    /// The project that it is about, or that what it is about belongs to.
    pub project: Option<ProjectId>,
    bytes: usize,
}

impl From<Event> for Told {
    /// The event alone.
    fn from(event: Event) -> Self {
        let bytes = weight(&event.fact);
        Self { event, profile: None, title: None, project: None, bytes }
    }
}

/// What is kept.
#[derive(Default)]
pub(crate) struct Recent {
    ring: Mutex<Ring>,
}

/// Events without a gap, oldest first.
#[derive(Default)]
struct Ring {
    told: VecDeque<Arc<Told>>,
    bytes: usize,
    memory: Memory,
}

impl Recent {
    /// The events after a place, at most `limit` of them and fewer where they are long, in order.
    pub(crate) async fn after(
        &self,
        store: &Store,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Arc<Told>>, StoreError> {
        let head = *store.head().borrow();
        // Nothing was committed since: a look into the database could only bring a reader ahead of the ring, and then
        // it and all the others would read for themselves.
        if after == head {
            return Ok(Vec::new());
        }
        // Nobody who is far behind waits for, or keeps waiting, those who are not.
        if head.saturating_sub(after) <= MOST as Seq {
            let mut ring = self.ring.lock().await;
            ring.catch_up(store, after, head).await?;
            if let Some(page) = ring.page(after, limit) {
                return Ok(page);
            }
        }
        let mut memory = Memory::default();
        let mut page = Vec::new();
        for event in store.events_after(after, limit).await? {
            page.push(Arc::new(memory.tell(store, event).await?));
        }
        Ok(page)
    }
}

impl Ring {
    /// Reads what was committed up to `head` and is not here. What the ring cannot go on from is forgotten: then it
    /// begins after the place that is asked for.
    async fn catch_up(&mut self, store: &Store, after: Seq, head: Seq) -> Result<(), StoreError> {
        let newest = self.told.back().map(|told| told.event.seq);
        let mut newest = match newest {
            Some(newest) if head.saturating_sub(newest) <= MOST as Seq => newest,
            Some(_) | None => {
                self.told.clear();
                self.bytes = 0;
                after.max(0)
            }
        };
        while newest < head {
            let page = match store.events_after(newest, PAGE).await {
                Err(StoreError::Pruned { .. }) => {
                    self.told.clear();
                    self.bytes = 0;
                    return Ok(());
                }
                page => page?,
            };
            if page.is_empty() {
                break;
            }
            for event in page {
                newest = event.seq;
                let told = self.memory.tell(store, event).await?;
                self.bytes += told.bytes;
                self.told.push_back(Arc::new(told));
            }
            while (self.told.len() > MOST || self.bytes > BYTES)
                && let Some(oldest) = self.told.pop_front()
            {
                self.bytes -= oldest.bytes;
            }
        }
        Ok(())
    }

    /// None when the place is not in the ring.
    fn page(&self, after: Seq, limit: usize) -> Option<Vec<Arc<Told>>> {
        let (first, newest) = (self.told.front()?.event.seq, self.told.back()?.event.seq);
        if after > newest {
            return None;
        }
        let skipped = usize::try_from(after.saturating_add(1).saturating_sub(first)).ok()?;
        let mut bytes = 0;
        let fits = |told: &&Arc<Told>| {
            let fits = bytes < PAGE_BYTES;
            bytes += told.bytes;
            fits
        };
        Some(self.told.iter().skip(skipped).take(limit).take_while(fits).cloned().collect())
    }
}

/// What events have said of attempts and tasks, or rows where no event did.
#[derive(Default)]
struct Memory {
    attempts: HashMap<AttemptId, (Profile, ProjectId)>,
    titles: HashMap<TaskId, String>,
}

impl Memory {
    /// Completes an event.
    async fn tell(&mut self, store: &Store, event: Event) -> Result<Told, StoreError> {
        self.forget();
        let (mut profile, mut title) = (None, None);
        let project = match &event.fact {
            Fact::ProjectCreated(of) | Fact::ProjectUpdated(of) => Some(of.id),
            Fact::ProjectDeleted { id } => Some(*id),
            Fact::TaskCreated(card) | Fact::TaskUpdated(card) => {
                self.titles.insert(card.task.id, card.task.title.clone());
                Some(card.task.project_id)
            }
            Fact::TaskDeleted { id, project_id, .. } => {
                self.titles.remove(id);
                Some(*project_id)
            }
            Fact::AttemptCreated(attempt) | Fact::AttemptUpdated(attempt) => {
                self.attempts.insert(attempt.id, (attempt.profile.clone(), attempt.project_id));
                if let Some(task) = attempt.task_id {
                    title = self.title(store, task).await?;
                }
                Some(attempt.project_id)
            }
            Fact::AttemptDeleted { id, project_id, .. } => {
                let known = self.attempts.remove(id);
                project_id.or(known.map(|(_, project)| project))
            }
            Fact::ProcessCreated(process) | Fact::ProcessUpdated(process) => {
                let project;
                (profile, project) = self.attempt(store, process.attempt_id).await?.unzip();
                project
            }
            Fact::ProcessDeleted { project_id: Some(project), .. } => Some(*project),
            Fact::ProcessDeleted { attempt_id, .. } => self.project(store, *attempt_id).await?,
            Fact::FollowUpQueued(follow_up) | Fact::FollowUpRemoved(RemovedFollowUp { follow_up, .. }) => {
                self.project(store, follow_up.attempt_id).await?
            }
            Fact::DraftUpdated(draft) | Fact::DraftCleared(draft) => Some(draft.project_id),
            Fact::TaskImagesChanged { task_id, .. } => {
                found(store.get_task(*task_id).await)?.map(|task| task.project_id)
            }
            Fact::StandingAgentCreated(agent) => Some(agent.project_id),
            Fact::StandingAgentDeleted { project_id, .. } => Some(*project_id),
            Fact::SettingsUpdated { project_id } => *project_id,
            Fact::TagCreated(_)
            | Fact::TagUpdated(_)
            | Fact::TagDeleted { .. }
            | Fact::ImageCreated(_)
            | Fact::ImageDeleted { .. } => None,
            // Whoever asks may ask for no process at all.
            Fact::ApprovalAsked(_) | Fact::ApprovalAnswered(_) | Fact::ApprovalDeleted { .. } => None,
        };
        Ok(Told { profile, title, project, ..Told::from(event) })
    }

    async fn attempt(
        &mut self,
        store: &Store,
        id: AttemptId,
    ) -> Result<Option<(Profile, ProjectId)>, StoreError> {
        if let Some(known) = self.attempts.get(&id) {
            return Ok(Some(known.clone()));
        }
        let Some(attempt) = found(store.get_attempt(id).await)? else { return Ok(None) };
        let known = (attempt.profile, attempt.project_id);
        self.attempts.insert(id, known.clone());
        Ok(Some(known))
    }

    async fn project(&mut self, store: &Store, of: AttemptId) -> Result<Option<ProjectId>, StoreError> {
        Ok(self.attempt(store, of).await?.map(|(_, project)| project))
    }

    async fn title(&mut self, store: &Store, id: TaskId) -> Result<Option<String>, StoreError> {
        if let Some(known) = self.titles.get(&id) {
            return Ok(Some(known.clone()));
        }
        let Some(task) = found(store.get_task(id).await)? else { return Ok(None) };
        self.titles.insert(id, task.title.clone());
        Ok(Some(task.title))
    }

    fn forget(&mut self) {
        if self.attempts.len() > REMEMBERED {
            self.attempts.clear();
        }
        if self.titles.len() > REMEMBERED {
            self.titles.clear();
        }
    }
}

fn found<T>(result: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// About what an event takes: its texts are most of it.
fn weight(fact: &Fact) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(size_of::<Told>());
    // Counting cannot fail, and what cannot be written takes nothing.
    serde_json::to_writer(&mut count, fact).unwrap_or_default();
    count.0
}

#[cfg(test)]
#[path = "recent_tests.rs"]
mod tests;
