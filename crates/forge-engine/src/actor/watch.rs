//! Watching a process: its output goes to its protocol, what the protocol wants to say goes to the process.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use forge_agent::client::{AskError, Connection, Lost};
use forge_agent::driver::{Decision, Driver, Failure, Finish, Offers, Outgoing, Permission, Seen};
use forge_agent::host::{self, Outcome};
use forge_agent::log::{Frame, Stream};
use forge_agent::turn::{Approvals, Turn, WorksWith};
use forge_model::{ApprovalId, Attempt, End, Process, Timestamp};
use tokio::task::JoinError;
use tokio::time::Instant;

use crate::commit::Done;
use crate::error::{Error, Result};
use crate::launch::{self, Began};
use crate::live;
use crate::log::Reader;
use crate::reached::Reached;

/// How much of a log is read in one go.
const PAGE: usize = 256 * 1024;

/// What can happen in an attempt.
pub(crate) enum Happened {
    /// The process printed something.
    Printed(u64),
    /// The process ended.
    Ended(End),
    /// It is the time that the protocol wanted to be told.
    Woke,
    /// It was asked to end its turn, and did not in time.
    Overdue,
    /// The commit was tried.
    Committed(Done),
    /// The worktree was saved, as well as it can be.
    Saved(std::result::Result<(), JoinError>),
}

/// Reads a process's log through its protocol. The same log gives the same, live or after a restart.
pub(crate) struct Listener {
    driver: Option<Driver>,
    asking: Asking,
    reader: Reader,
    after: u64,
    turn: Option<Turn>,
    /// The agent's name for the conversation, once it told.
    conversation: Option<String>,
    /// The turn is over, and how it went; until somebody deals with it.
    over: Option<Went>,
    heard: Heard,
}

/// What a process said that others have to know.
#[derive(Default)]
pub(crate) struct Heard {
    /// The agent's name for the conversation.
    pub(crate) conversation: Option<String>,
    /// What it asks for.
    pub(crate) asked: Vec<Question>,
    /// What it does not ask for any more.
    pub(crate) withdrawn: Vec<String>,
    /// What it lets a person choose from.
    pub(crate) offers: Option<Offers>,
}

/// How a turn went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Went {
    Well,
    /// Somebody interrupted it. The agent is as good as before.
    Interrupted,
    Badly,
}

impl Went {
    const fn of(failure: Option<&Failure>) -> Self {
        match failure {
            None => Self::Well,
            Some(Failure::Interrupted) => Self::Interrupted,
            Some(_) => Self::Badly,
        }
    }
}

/// A permission that an agent asked for.
pub(crate) struct Question {
    pub(crate) permission: Permission,
    pub(crate) asked_at: Timestamp,
    pub(crate) timeout_at: Timestamp,
}

/// Who decides about tools, and how long that may take.
#[derive(Clone, Copy)]
enum Asking {
    Nobody,
    Person { within_ms: u64 },
}

impl Asking {
    fn of(turn: Option<&Turn>) -> Self {
        match turn {
            Some(Turn { approvals: Approvals::Ask, approval_ms, .. }) => {
                Self::Person { within_ms: *approval_ms }
            }
            Some(_) | None => Self::Nobody,
        }
    }
}

impl Listener {
    pub(crate) fn new(attempt: &Attempt, process: &Process, dir: &Path) -> Result<Self> {
        let turn = launch::turn_of(attempt, process, dir)?;
        let driver = turn.as_ref().map(Driver::new);
        Ok(Self {
            driver,
            asking: Asking::of(turn.as_ref()),
            reader: Reader::new(dir),
            after: 0,
            turn,
            conversation: None,
            over: None,
            heard: Heard::default(),
        })
    }

    /// Whether this is an agent that was kept and went before it was told its prompt, or would not work as it was told: so
    /// nothing was begun, and another can be started. Whoever interrupted it wants none.
    pub(crate) fn is_unheard(&self) -> bool {
        let unheard = |driver: &Driver| !driver.was_prompted() && !driver.was_interrupted();
        self.is_warm() && self.driver.as_ref().is_some_and(unheard)
    }

    /// What the agent works with after this turn, if this is what it did before.
    pub(crate) fn works_with(&self, mut before: WorksWith) -> WorksWith {
        if let (Some(turn), Some(driver)) = (&self.turn, &self.driver) {
            let told = turn.works_with();
            let model = told.model.filter(|_| !driver.refused_model());
            before.change(WorksWith { model, ..told });
        }
        before
    }

    /// Whether the agent was kept for this turn.
    pub(crate) fn is_warm(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.warm)
    }

    pub(crate) fn release(&mut self) {
        if let Some(driver) = &mut self.driver {
            driver.release();
        }
    }

    /// Reads a page on. False when there is nothing more.
    fn read_page(&mut self) -> Result<bool> {
        let page = self.reader.read_after(self.after, PAGE)?;
        if page.next <= self.after {
            return Ok(false);
        }
        self.after = page.next;
        for frame in page.frames {
            let Some(driver) = &mut self.driver else { break };
            let seen = feed(driver, &frame);
            self.note(seen, frame.at_ms);
        }
        Ok(true)
    }

    fn note(&mut self, seen: Vec<Seen>, at_ms: u64) {
        for seen in seen {
            match seen {
                Seen::Conversation(id) => {
                    self.conversation = Some(id.clone());
                    self.heard.conversation = Some(id);
                }
                Seen::Permission(permission) => match (self.asking, &mut self.driver) {
                    (Asking::Person { within_ms }, _) => self.heard.asked.push(Question {
                        permission,
                        asked_at: Timestamp::from_millis(at_ms.cast_signed()),
                        timeout_at: Timestamp::from_millis(at_ms.saturating_add(within_ms).cast_signed()),
                    }),
                    (Asking::Nobody, Some(driver)) => {
                        driver.answer(&permission.id, &Decision::Allow { choice: None });
                    }
                    (Asking::Nobody, None) => {}
                },
                Seen::Withdrawn(permission) => {
                    self.heard.asked.retain(|question| question.permission.id != permission);
                    self.heard.withdrawn.push(permission);
                }
                Seen::Offers(offers) => self.heard.offers = Some(offers),
                Seen::Finished(finish) => self.over = Some(Went::of(finish.failure.as_ref())),
                Seen::Message(_) => {}
            }
        }
    }

    /// Whether what is printed matters here: a script says nothing that is listened to.
    const fn listens(&self) -> bool {
        self.driver.is_some()
    }

    /// Reads on what was printed, a page at most: whoever prints faster than this reads must not keep anybody from
    /// being heard.
    async fn read_on(&mut self) -> Result<()> {
        if self.listens() && self.read_page()? {
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Reads the log to its end and says what the turn came to: nothing for a script.
    pub(crate) async fn finish(&mut self, end: End) -> Result<(Option<String>, Option<Finish>)> {
        while self.listens() && self.read_page()? {
            tokio::task::yield_now().await;
        }
        Ok((self.heard.conversation.take(), self.driver.as_mut().map(|driver| driver.finish(end))))
    }

    /// How the process ended, to who knows that its turn was over before somebody ended it: by itself.
    pub(crate) fn end(&self, end: End, finish: Option<&Finish>) -> End {
        let is_over = self.driver.as_ref().is_some_and(Driver::is_finished);
        let is_whole = finish.is_some_and(|finish| finish.failure != Some(Failure::Interrupted));
        if end == End::Stopped && is_over && is_whole { End::Exited { code: 0 } } else { end }
    }

    /// How far the conversation came in this turn.
    pub(crate) fn reached(&self, finish: &Finish) -> Reached {
        let open = self.turn.as_ref().filter(|turn| turn.warm).and_then(|turn| turn.resume.clone());
        Reached {
            conversation: self.conversation.clone().or(open),
            mark: self.driver.as_ref().and_then(Driver::mark),
            said: finish.message.clone(),
        }
    }
}

fn feed(driver: &mut Driver, frame: &Frame) -> Vec<Seen> {
    let bytes = &frame.bytes;
    match frame.stream {
        Stream::Stdout => driver.received(bytes, frame.at_ms),
        Stream::Stderr => {
            driver.complained(bytes);
            vec![]
        }
        Stream::Stdin => {
            driver.sent(bytes, frame.at_ms);
            vec![]
        }
        Stream::StdinClosed => driver.closed(frame.at_ms),
        Stream::Note => vec![],
    }
}

/// A process that runs.
pub(crate) struct Watched {
    pub(crate) process: Process,
    pub(crate) connection: Connection,
    pub(crate) listener: Listener,
    /// Kept until the row says that the process ended.
    pub(crate) running: live::Running,
    /// What the program was started as; none where that is not known any more.
    pub(crate) began: Option<Began>,
    /// The questions that wait for a person, with the agent's names for them.
    pub(crate) questions: BTreeMap<ApprovalId, String>,
    /// Whether all was read that was there when this began: what the log shows as said is not said again.
    caught_up: bool,
    /// Whether the turn is to be interrupted, and until when the agent may take its time to end it.
    interrupt: bool,
    pub(super) overdue_at: Option<Instant>,
    watchdog: Option<Watchdog>,
}

impl Watched {
    pub(crate) fn new(
        process: Process,
        connection: Connection,
        listener: Listener,
        running: live::Running,
    ) -> Self {
        connection.tell_head(running.head());
        Self {
            process,
            connection,
            listener,
            running,
            began: None,
            questions: BTreeMap::new(),
            caught_up: false,
            interrupt: false,
            overdue_at: None,
            watchdog: None,
        }
    }

    /// Tells once that the turn is over and all of it was read, and how it went.
    pub(crate) fn is_over(&mut self) -> Option<Went> {
        let is_read = self.caught_up && self.listener.after >= *self.connection.head().borrow();
        self.listener.over.take_if(|_| is_read)
    }

    /// Begins to talk to a program that nobody talked to before.
    pub(crate) async fn begin(&mut self) -> Result<()> {
        self.caught_up = true;
        self.talk().await
    }

    pub(crate) async fn next(&mut self) -> Happened {
        let mut head = self.connection.head();
        let position = *head.borrow_and_update();
        let listens = self.listener.listens();
        if listens && position > self.listener.after {
            return Happened::Printed(position);
        }
        let (connection, id) = (&self.connection, self.process.id);
        let stalled = async {
            let why = connection.stalled().await;
            tracing::warn!(process.id = %id, why, "the log of process {id} cannot be written, so its output waits: {why}");
            std::future::pending::<Happened>().await
        };
        let wake_at = self.listener.driver.as_ref().and_then(Driver::wake_at);
        self.watchdog = wake_at.map(|at_ms| match self.watchdog {
            Some(set) if set.at_ms == at_ms => set,
            _ => Watchdog::new(at_ms),
        });
        let wakes = self.watchdog.map(|watchdog| watchdog.fires);
        let awake = async {
            until(wakes).await;
            // What the agent was waited for may be what the log has no room for.
            connection.flows().await;
        };
        tokio::select! {
            biased;
            // To wake for each line of a script would take a second thread's time from those who read it.
            Ok(()) = head.changed(), if listens => Happened::Printed(*head.borrow()),
            ended = connection.ended() => Happened::Ended(end(&ended)),
            () = awake => Happened::Woke,
            () = until(self.overdue_at) => Happened::Overdue,
            never = stalled => never,
        }
    }

    /// Reads what was printed, and gives back what others have to know. Nothing is told of a log that is still being
    /// read to where it was when this began, but the conversation's name: what follows may have settled it.
    pub(crate) async fn printed(&mut self, head: u64, grace: Duration) -> Result<Heard> {
        self.listener.read_on().await?;
        if self.caught_up {
            return Ok(self.hear());
        }
        let Some(driver) = self.listener.driver.as_mut().filter(|_| self.listener.after >= head) else {
            return Ok(Heard { conversation: self.listener.heard.conversation.take(), ..Heard::default() });
        };
        self.caught_up = true;
        self.interrupt |= driver.was_interrupted();
        if self.interrupt {
            self.interrupt(grace);
        }
        Ok(self.hear())
    }

    fn hear(&mut self) -> Heard {
        std::mem::take(&mut self.listener.heard)
    }

    /// It is the time that the protocol wanted to be told.
    pub(crate) fn woke(&mut self) -> Heard {
        // The time that was waited for, though the wall clock was set back meanwhile.
        let now = now_ms().max(self.watchdog.take().map_or(0, |watchdog| watchdog.at_ms));
        let seen = self.listener.driver.as_mut().map(|driver| driver.woke(now)).unwrap_or_default();
        self.listener.note(seen, now);
        self.hear()
    }

    /// Tells the agent what was decided about something that it asked for.
    pub(crate) fn answer(&mut self, permission: &str, decision: &Decision) {
        if let Some(driver) = &mut self.listener.driver {
            driver.answer(permission, decision);
        }
    }

    /// Asks the agent to end its turn, as soon as it is known how far the conversation is.
    pub(crate) fn interrupt(&mut self, grace: Duration) {
        self.interrupt = true;
        if let Some(driver) = self.listener.driver.as_mut().filter(|_| self.caught_up) {
            driver.interrupt();
            self.overdue_at.get_or_insert_with(|| Instant::now() + grace);
        }
    }

    /// The agent had its time: what ends it is not waited for here.
    pub(crate) const fn gave_up(&mut self) {
        self.overdue_at = None;
        self.interrupt = false;
    }

    /// Says what the protocol has to say. A program that hears nothing more is about to end, which is seen by
    /// itself; any other refusal is for the actor to try again.
    pub(crate) async fn talk(&mut self) -> Result<()> {
        let Some(driver) = self.listener.driver.as_mut().filter(|_| self.caught_up) else { return Ok(()) };
        while let Some((ordinal, outgoing)) = driver.take() {
            match send(&self.connection, ordinal, &outgoing).await {
                Ok(()) => {}
                Err(AskError::Ended | AskError::StdinClosed) => return Ok(()),
                Err(error) => {
                    return Err(Error::internal("a process could not be told something").because(error));
                }
            }
        }
        Ok(())
    }
}

/// The next time at which the protocol wants to be woken. It is set once by the clock that logs are written by and then
/// counted by the monotonic clock: an agent is given its time although the clock was set, and a suspended one is not
/// taken for silent.
#[derive(Debug, Clone, Copy)]
struct Watchdog {
    at_ms: u64,
    fires: Instant,
}

impl Watchdog {
    fn new(at_ms: u64) -> Self {
        Self { at_ms, fires: Instant::now() + Duration::from_millis(at_ms.saturating_sub(now_ms())) }
    }
}

fn now_ms() -> u64 {
    u64::try_from(Timestamp::now().as_millis()).unwrap_or_default()
}

/// Waits for a moment; for ever where there is none.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Sends again what may have been lost with a connection: the host takes each ordinal once.
async fn send(
    connection: &Connection,
    ordinal: u64,
    outgoing: &Outgoing,
) -> std::result::Result<(), AskError> {
    loop {
        let sent = match outgoing {
            Outgoing::Write(bytes) => connection.write(ordinal, bytes.clone()).await,
            Outgoing::Close => connection.close_stdin(ordinal).await,
        };
        if sent != Err(AskError::Disconnected) {
            return sent;
        }
    }
}

/// What the host says of an end, in the model's words. Who was asked to stop was stopped, however it went.
pub(crate) fn end(ended: &std::result::Result<host::End, Lost>) -> End {
    match *ended {
        Ok(host::End { stopped: true, .. }) => End::Stopped,
        Ok(host::End { outcome: Outcome::Exited { code }, .. }) => End::Exited { code },
        Ok(host::End { outcome: Outcome::Signaled { signal }, .. }) => End::Signaled { signal },
        Err(Lost) => End::Lost,
    }
}
