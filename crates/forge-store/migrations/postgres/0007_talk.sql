-- What an agent that asks takes for an answer, as JSON; which of it was picked; and when no answer counts as no.
ALTER TABLE approval ADD COLUMN choices TEXT NOT NULL DEFAULT '[]';
ALTER TABLE approval ADD COLUMN choice TEXT;
ALTER TABLE approval ADD COLUMN timeout_at BIGINT;

-- How the agent shall work from a prompt on, as JSON; whether the prompt interrupts the turn that runs; and when it may
-- be sent at the earliest.
ALTER TABLE follow_up ADD COLUMN how TEXT NOT NULL DEFAULT '{}';
ALTER TABLE follow_up ADD COLUMN interrupt BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE follow_up ADD COLUMN not_before BIGINT;
