//! The actor of an attempt: takes what happens and what is asked, one at a time, and carries the state machine's
//! effects out. Because it alone changes the attempt, there is no lock, and never a second agent in a worktree.
//!
//! Everything it knows is in the store and in the process's folder. One that is made anew, after a crash of the
//! server or a fault of the disk, reads both and goes on at the same point.

mod between;
mod dev;
mod keep;
mod next;
mod queue;
mod replace;
mod requests;
mod resume;
mod save;
mod talk;
mod turn;
mod watch;

use forge_git::Repo;
use forge_model::{
    ApprovalId, Attempt, AttemptId, DraftKind, FollowUp, FollowUpId, ProcessId, QueueDraft, RemovedFollowUp,
    Timestamp,
};
use forge_store::StoreError;
use tokio::sync::oneshot;

use crate::actors::{Inbox, Stops, Unheard};
use crate::attempts::{ChangeFollowUp, FollowedUp, SendFollowUp, StoppedAttempt, elsewhere};
use crate::background::Background;
use crate::branch::Change;
use crate::collect::Taken;
use crate::commit::Done;
use crate::dev_server::DevServer;
use crate::drafts::DraftQueued;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, OUTCOME_UNKNOWN, Result};
use crate::launch::Launched;
use crate::live;
use crate::remove::Fate;
use crate::replace::{ReplaceProcess, Replaced};
use crate::rewind::Rewound;
pub(crate) use next::GO_ON;
use save::Saving;
pub(crate) use watch::Question;
use watch::{Happened, Watched};

pub(crate) type Answer<T> = oneshot::Sender<Result<T>>;

/// What an actor can be asked.
pub(crate) enum Request {
    /// Go on with whatever the state says.
    Wake,
    /// Go on with a process that runs.
    Adopt(Box<Adopted>),
    /// Go on with the conversation.
    FollowUp(SendFollowUp, Answer<FollowedUp>),
    /// Send a draft when nothing runs, or do not.
    QueueDraft(DraftKind, QueueDraft, Answer<DraftQueued>),
    /// Put another turn in the place of one.
    Replace(ReplaceProcess, Answer<Replaced>),
    /// Change a prompt that waits.
    ChangeFollowUp(FollowUpId, ChangeFollowUp, Answer<FollowUp>),
    /// Take a prompt out of the queue.
    RemoveFollowUp(FollowUpId, Answer<FollowUp>),
    /// Tell the agent what was decided about something that it asked for.
    Answered(ApprovalId),
    /// Let the agent end its turn.
    Interrupt(Answer<Attempt>),
    /// End what runs.
    Stop(Unheard, Answer<StoppedAttempt>),
    /// Run the project's dev script.
    StartDevServer(Answer<DevServer>),
    /// End the dev server.
    StopDevServer(Answer<()>),
    /// Put the worktree back to what a snapshot has.
    Restore(String, Answer<Attempt>),
    /// Change what the branch is meant for, or what is in the worktree.
    Change(Change, Answer<Attempt>),
    /// Take the worktree away, if the attempt was last changed at this time.
    Collect(Timestamp, Answer<Taken>),
    /// Remove the mark of a deletion from the snapshots.
    UnmarkSnapshots(Repo, Answer<()>),
    /// Remove the attempt.
    Delete(Fate, Answer<()>),
    /// End the agent that is kept as this process, if it still is.
    EndKept(ProcessId),
}

/// A process that was started before its actor was.
pub(crate) struct Adopted {
    pub(crate) running: live::Running,
    pub(crate) launched: Option<Launched>,
}

/// What goes on in the attempt just now.
enum Work {
    Nothing,
    Process(Box<Watched>),
    Commit(Background<Done>),
    Save(Box<Saving>),
}

pub(crate) struct Actor {
    engine: Engine,
    attempt: Attempt,
    work: Work,
    adopted: Option<Adopted>,
    /// The dev server, which runs beside the work.
    dev: Option<Box<Watched>>,
    stopping: Vec<Answer<StoppedAttempt>>,
    /// The prompts that the stop took out of the queue.
    unsent: Vec<RemovedFollowUp>,
    /// Who waits for the end of a turn that was interrupted.
    interrupting: Vec<Answer<Attempt>>,
    /// Who waits for a turn that takes the place of the one that is being stopped.
    replacing: Option<Answer<Replaced>>,
    /// What was done to the worktree for the turn that takes another's place, and how many processes were dropped.
    rewound: Option<Rewound>,
    dropped: usize,
    /// What the agent said last: the message of the commit that follows.
    said: Option<String>,
    /// Why what is known here of the dev server is not what the store says.
    adrift: Option<Error>,
    gone: bool,
    stops: Stops,
}

/// Lives as long as there is something to do for the attempt.
pub(crate) async fn run(engine: Engine, id: AttemptId, mut inbox: Inbox, stops: Stops) {
    loop {
        match serve(&engine, id, &mut inbox, &stops).await {
            Ok(()) => return,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                tracing::debug!(attempt.id = %id, "attempt {id} is gone");
                if drain(&engine, id, &mut inbox) {
                    return;
                }
            }
            Err(error) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                tracing::error!(attempt.id = %id, error = %error, cause, "attempt {id} cannot go on; trying again");
                // A request that comes before the next try must not end the actor while a turn waits to begin.
                inbox.wake_later();
                if engine.pause().await {
                    return;
                }
                // What is read before that may not be what the store says then.
                tokio::select! {
                    () = engine.inner.closing.cancelled() => return,
                    () = engine.inner.store.resolved() => {}
                }
            }
        }
    }
}

/// Answers a request. Where the outcome of a write is unknown, the actor is made anew from what the store says then.
fn tell<T>(answer: Answer<T>, result: Result<T>) -> Result<()> {
    let is_unknown = result.as_ref().is_err_and(|error| error.code() == OUTCOME_UNKNOWN);
    // Somebody who has gone need not be told.
    drop(answer.send(result));
    if is_unknown { Err(StoreError::Unknown.into()) } else { Ok(()) }
}

/// Tells everybody who asks that the attempt is gone; true when nobody asks any more.
fn drain(engine: &Engine, id: AttemptId, inbox: &mut Inbox) -> bool {
    while let Some(request) = inbox.take() {
        request.refuse(|| Error::not_found("attempt", id));
    }
    engine.inner.actors.leave(id, inbox)
}

async fn serve(engine: &Engine, id: AttemptId, inbox: &mut Inbox, stops: &Stops) -> Result<()> {
    let attempt = engine.get_attempt(id).await?;
    if attempt.is_unreachable() {
        // Another node has its worktree and its processes: nothing is touched here.
        loop {
            while let Some(request) = inbox.take() {
                request.refuse(|| elsewhere(&attempt));
            }
            if engine.inner.actors.leave(id, inbox) {
                return Ok(());
            }
        }
    }
    let mut actor = Actor {
        engine: engine.clone(),
        attempt,
        work: Work::Nothing,
        adopted: None,
        dev: None,
        stopping: vec![],
        unsent: vec![],
        interrupting: vec![],
        replacing: None,
        rewound: None,
        dropped: 0,
        said: None,
        adrift: None,
        gone: false,
        stops: stops.clone(),
    };
    // A process that was handed over saves looking for it.
    let first = match inbox.take() {
        Some(Request::Adopt(adopted)) => {
            actor.adopted = Some(*adopted);
            None
        }
        other => other,
    };
    // What waits is begun by a start of the server, not by somebody who wants to stop or delete.
    let woken = matches!(first, None | Some(Request::Wake));
    let resumed = match actor.resume_dev_server().await {
        Ok(()) => Box::pin(actor.resume(woken)).await,
        failed => failed,
    };
    if let Err(error) = resumed {
        if let Some(request) = first {
            request
                .refuse(|| Error::unavailable("attempt_stuck", format!("the attempt cannot go on: {error}")));
        }
        return Err(error);
    }
    if let Some(request) = first {
        Box::pin(actor.asked(request)).await?;
    }
    let closing = engine.inner.closing.clone();
    loop {
        if actor.gone {
            while !drain(engine, id, inbox) {}
            return Ok(());
        }
        if let Some(error) = actor.adrift.take() {
            return Err(actor.told(error));
        }
        let idle = matches!(actor.work, Work::Nothing) && actor.dev.is_none();
        if idle && engine.inner.actors.leave(id, inbox) {
            return Ok(());
        }
        tokio::select! {
            biased;
            () = closing.cancelled() => return Ok(()),
            // On the heap: what an actor does is deep, and the stack of a thread is not.
            Some(request) = inbox.next() => Box::pin(actor.asked(request)).await.map_err(|error| actor.told(error))?,
            happened = actor.work.next() => Box::pin(actor.happened(happened)).await.map_err(|error| actor.told(error))?,
            happened = next_of(&mut actor.dev) => {
                actor.dev_server_happened(happened).await.map_err(|error| actor.told(error))?;
            }
        }
        actor.tell_replaced();
    }
}

/// The next thing that happens to the dev server; never, when there is none.
async fn next_of(dev: &mut Option<Box<Watched>>) -> Happened {
    match dev {
        Some(watched) => watched.next().await,
        None => futures::future::pending().await,
    }
}

impl Actor {
    /// Tells those who wait that the attempt got stuck; they may ask again.
    fn told(&mut self, error: Error) -> Error {
        let stuck = || {
            Error::unavailable("attempt_stuck", format!("the attempt cannot go on: {error}"))
                .hint("it is tried again; ask again to see how it went")
        };
        for answer in self.stopping.drain(..) {
            drop(answer.send(Err(stuck())));
        }
        for answer in self.interrupting.drain(..) {
            drop(answer.send(Err(stuck())));
        }
        if let Some(answer) = self.replacing.take() {
            drop(answer.send(Err(stuck())));
        }
        error
    }
}

impl Work {
    /// The next thing that happens; never, when nothing goes on. Nothing is lost when this is dropped half-way.
    async fn next(&mut self) -> Happened {
        match self {
            Self::Nothing => futures::future::pending().await,
            Self::Process(watched) => watched.next().await,
            Self::Commit(commit) => {
                Happened::Committed(commit.done().await.unwrap_or_else(|failed| Done::failed(&failed)))
            }
            Self::Save(saving) => Happened::Saved(saving.work.done().await),
        }
    }
}

impl Request {
    fn refuse(self, error: impl FnOnce() -> Error) {
        // Somebody who has gone need not be told.
        match self {
            Self::Wake | Self::Adopt(_) | Self::Answered(_) | Self::EndKept(_) => {}
            Self::FollowUp(_, answer) => drop(answer.send(Err(error()))),
            Self::QueueDraft(_, _, answer) => drop(answer.send(Err(error()))),
            Self::Replace(_, answer) => drop(answer.send(Err(error()))),
            Self::StartDevServer(answer) => drop(answer.send(Err(error()))),
            Self::StopDevServer(answer) => drop(answer.send(Err(error()))),
            Self::ChangeFollowUp(_, _, answer) => drop(answer.send(Err(error()))),
            Self::RemoveFollowUp(_, answer) => drop(answer.send(Err(error()))),
            Self::Interrupt(answer) => drop(answer.send(Err(error()))),
            Self::Stop(_, answer) => drop(answer.send(Err(error()))),
            Self::Restore(_, answer) => drop(answer.send(Err(error()))),
            Self::Change(_, answer) => drop(answer.send(Err(error()))),
            Self::Collect(_, answer) => drop(answer.send(Err(error()))),
            Self::UnmarkSnapshots(_, answer) | Self::Delete(_, answer) => drop(answer.send(Err(error()))),
        }
    }
}
