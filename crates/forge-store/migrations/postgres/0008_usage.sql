-- What turns used up, and the sum of them by attempt: lists of attempts tell it without reading their processes.
ALTER TABLE process ADD COLUMN input_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE process ADD COLUMN cached_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE process ADD COLUMN output_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE process ADD COLUMN cost_micros BIGINT;
ALTER TABLE attempt ADD COLUMN input_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE attempt ADD COLUMN cached_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE attempt ADD COLUMN output_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE attempt ADD COLUMN cost_micros BIGINT;
