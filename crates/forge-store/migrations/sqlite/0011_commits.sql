-- Whether commits skip hooks and signing.
ALTER TABLE project ADD COLUMN skip_commit_hooks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project ADD COLUMN skip_commit_signing INTEGER NOT NULL DEFAULT 0;
