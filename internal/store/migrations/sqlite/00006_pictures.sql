-- +goose Up
-- The sizes of a cleaned picture and its thumbnail together, and the question that a picture went with. Until then it
-- is empty.
ALTER TABLE files ADD COLUMN picture_size BIGINT NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN question_id TEXT NOT NULL DEFAULT '';

DROP INDEX files_by_user;
CREATE INDEX files_by_user ON files (user_id, size, text_size, index_size, picture_size);
