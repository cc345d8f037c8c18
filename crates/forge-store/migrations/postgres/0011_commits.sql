-- Whether commits skip hooks and signing.
ALTER TABLE project ADD COLUMN skip_commit_hooks BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE project ADD COLUMN skip_commit_signing BOOLEAN NOT NULL DEFAULT FALSE;
