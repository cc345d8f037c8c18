//! Watching a process: its output goes to its protocol, what the protocol wants to say goes to the process.

use std::path::Path;

use forge_agent::client::{AskError, Connection, Lost};
use forge_agent::driver::{Decision, Driver, Finish, Outgoing, Seen};
use forge_agent::host::{self, Outcome};
use forge_agent::log::{Frame, Stream};
use forge_agent::turn::Turn;
use forge_model::{Attempt, End, Process};

use crate::commit::Done;
use crate::error::{Error, Result};
use crate::log::Reader;
use crate::reached::Reached;
use crate::{launch, live};

/// How much of a log is read in one go.
const PAGE: usize = 256 * 1024;

/// What can happen in an attempt.
pub(crate) enum Happened {
    /// The process printed something.
    Printed(u64),
    /// The process ended.
    Ended(End),
    /// The commit was tried.
    Committed(Done),
}

/// Reads a process's log through its protocol. The same log gives the same, live or after a restart.
pub(crate) struct Listener {
    driver: Option<Driver>,
    reader: Reader,
    after: u64,
    turn: Option<Turn>,
    /// The agent's name for the conversation, once it told.
    conversation: Option<String>,
    /// Whether the log shows that the agent was told something.
    told: bool,
    /// The turn is over, and whether it went well; until somebody deals with it.
    over: Option<bool>,
}

impl Listener {
    pub(crate) fn new(attempt: &Attempt, process: &Process, dir: &Path) -> Result<Self> {
        let turn = launch::turn_of(attempt, process, dir)?;
        let driver = turn.as_ref().map(Driver::new);
        Ok(Self {
            driver,
            reader: Reader::new(dir),
            after: 0,
            turn,
            conversation: None,
            told: false,
            over: None,
        })
    }

    /// Whether this is an agent that was kept and went before it was told anything.
    pub(crate) fn is_unheard(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.warm) && !self.told
    }

    pub(crate) fn release(&mut self) {
        if let Some(driver) = &mut self.driver {
            driver.release();
        }
    }

    /// Reads a page on; gives back the conversation's name where one was told. False when there is nothing more.
    fn read_page(&mut self, conversation: &mut Option<String>) -> Result<bool> {
        let page = self.reader.read_after(self.after, PAGE)?;
        if page.next <= self.after {
            return Ok(false);
        }
        self.after = page.next;
        let Some(driver) = &mut self.driver else { return Ok(true) };
        for frame in page.frames {
            self.told |= frame.stream == Stream::Stdin;
            for seen in feed(driver, &frame) {
                match seen {
                    Seen::Conversation(id) => {
                        self.conversation = Some(id.clone());
                        *conversation = Some(id);
                    }
                    // Asked for although everything is allowed: see `launch::turn`.
                    Seen::Permission(permission) => {
                        driver.answer(&permission.id, &Decision::Allow { choice: None });
                    }
                    Seen::Finished(finish) => self.over = Some(finish.failure.is_none()),
                    Seen::Message(_) | Seen::Withdrawn(_) | Seen::Offers(_) => {}
                }
            }
        }
        Ok(true)
    }

    /// Reads what was printed up to `head`, a page at most: whoever prints faster than this reads must not keep
    /// anybody from being heard. A script says nothing that is listened to.
    async fn read_towards(&mut self, head: u64) -> Result<Option<String>> {
        let mut conversation = None;
        if self.driver.is_none() {
            self.after = self.after.max(head);
        } else if self.read_page(&mut conversation)? {
            tokio::task::yield_now().await;
        }
        Ok(conversation)
    }

    /// Reads the log to its end and says what the turn came to: nothing for a script.
    pub(crate) async fn finish(&mut self, end: End) -> Result<(Option<String>, Option<Finish>)> {
        let mut conversation = None;
        while self.driver.is_some() && self.read_page(&mut conversation)? {
            tokio::task::yield_now().await;
        }
        Ok((conversation, self.driver.as_mut().map(|driver| driver.finish(end))))
    }

    /// How far the conversation came in this turn.
    pub(crate) fn reached(&self, finish: &Finish) -> Reached {
        let open = self.turn.as_ref().filter(|turn| turn.warm).and_then(|turn| turn.resume.clone());
        Reached {
            conversation: self.conversation.clone().or(open),
            mark: self.driver.as_ref().and_then(Driver::mark),
            said: finish.message.clone(),
            spent_micros: match (
                self.turn.as_ref().and_then(|turn| turn.spent_micros),
                finish.usage.cost_micros,
            ) {
                (Some(before), Some(now)) => Some(before.saturating_add(now)),
                (before, now) => now.or(before),
            },
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
            driver.sent(bytes);
            vec![]
        }
        Stream::StdinClosed => {
            driver.closed();
            vec![]
        }
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
    /// The turn that the program was started for; none where that is not known any more.
    pub(crate) began: Option<Turn>,
}

impl Watched {
    pub(crate) fn new(
        process: Process,
        connection: Connection,
        listener: Listener,
        running: live::Running,
    ) -> Self {
        connection.tell_head(running.head());
        let began = listener.turn.clone().filter(|turn| !turn.warm);
        Self { process, connection, listener, running, began }
    }

    /// Tells once that the turn is over and all of it was read, and whether it went well.
    pub(crate) fn is_over(&mut self) -> Option<bool> {
        let is_read = self.listener.after >= *self.connection.head().borrow();
        self.listener.over.take_if(|_| is_read)
    }

    pub(crate) async fn next(&mut self) -> Happened {
        let mut head = self.connection.head();
        let position = *head.borrow_and_update();
        if position > self.listener.after {
            return Happened::Printed(position);
        }
        let (connection, id) = (&self.connection, self.process.id);
        let stalled = async {
            let why = connection.stalled().await;
            tracing::warn!(process.id = %id, why, "the log of process {id} cannot be written, so its output waits: {why}");
            std::future::pending::<Happened>().await
        };
        tokio::select! {
            biased;
            Ok(()) = head.changed() => Happened::Printed(*head.borrow()),
            ended = connection.ended() => Happened::Ended(end(&ended)),
            never = stalled => never,
        }
    }

    /// Reads what was printed and lets the protocol answer; gives back the conversation's name where one was told.
    pub(crate) async fn printed(&mut self, head: u64) -> Result<Option<String>> {
        let conversation = self.listener.read_towards(head).await?;
        // Only when everything was read: what the log shows as said is not said again.
        if self.listener.after >= head {
            self.talk().await?;
        }
        Ok(conversation)
    }

    /// Says what the protocol has to say. A program that hears nothing more is about to end, which is seen by
    /// itself; any other refusal is for the actor to try again.
    pub(crate) async fn talk(&mut self) -> Result<()> {
        let Some(driver) = &mut self.listener.driver else { return Ok(()) };
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
