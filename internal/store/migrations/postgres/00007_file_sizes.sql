-- +goose Up
-- The sizes of a file's text and index, which count toward its user's storage. NULL is not counted yet: the file was
-- added by an earlier release.
ALTER TABLE files ADD COLUMN text_size BIGINT;
ALTER TABLE files ADD COLUMN index_size BIGINT;
DROP INDEX files_by_user;
CREATE INDEX files_by_user ON files (user_id, size, text_size, index_size);
CREATE INDEX files_uncounted ON files (id) WHERE text_size IS NULL;
