-- What an agent that asks takes for an answer, as JSON; which of it was picked; and when no answer counts as no.
ALTER TABLE approval ADD COLUMN choices TEXT NOT NULL DEFAULT '[]';
ALTER TABLE approval ADD COLUMN choice TEXT;
ALTER TABLE approval ADD COLUMN timeout_at INTEGER;

-- How the agent shall work from a prompt on, as JSON; whether the prompt interrupts the turn that runs; and when it may
-- be sent at the earliest.
ALTER TABLE follow_up ADD COLUMN how TEXT NOT NULL DEFAULT '{}';
ALTER TABLE follow_up ADD COLUMN interrupt INTEGER NOT NULL DEFAULT 0;
ALTER TABLE follow_up ADD COLUMN not_before INTEGER;
