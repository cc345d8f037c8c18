-- The branch that work begins at where none is named. None is the one that the repository has checked out.
ALTER TABLE project ADD COLUMN default_base_branch TEXT;

-- Each start asks whether a worktree's path is taken.
CREATE INDEX attempt_by_worktree ON attempt (worktree);
