-- +goose Up
-- How much a user's files take together is the sum over this index.
CREATE INDEX files_by_user ON files (user_id, size);
