-- What turns used up, and the sum of them by attempt: lists of attempts tell it without reading their processes.
ALTER TABLE process ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process ADD COLUMN cost_micros INTEGER;
ALTER TABLE attempt ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempt ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempt ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempt ADD COLUMN cost_micros INTEGER;
