-- Submodules are fetched only where a person allowed it.
ALTER TABLE project ADD COLUMN fetch_submodules INTEGER NOT NULL DEFAULT 0;
