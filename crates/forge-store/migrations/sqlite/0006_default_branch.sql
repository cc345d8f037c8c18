-- The branch that work begins at where none is named. None is the one that the repository has checked out.
ALTER TABLE project ADD COLUMN default_base_branch TEXT;
