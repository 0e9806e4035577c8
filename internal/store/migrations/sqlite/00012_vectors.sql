-- +goose Up
-- By what the vectors of a file's passages were made, such as "bge-m3 1024", or empty if there are none, and their size.
-- vectors_due is the earliest time at which they are made: a process that makes them sets it to later.
ALTER TABLE files ADD COLUMN vectors TEXT NOT NULL DEFAULT '';
ALTER TABLE files ADD COLUMN vectors_size BIGINT NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN vectors_due BIGINT NOT NULL DEFAULT 0;

DROP INDEX files_by_user;
CREATE INDEX files_by_user ON files (user_id, size, text_size, index_size, picture_size, vectors_size);
-- Files whose vectors were made by something else are in front of and behind the others.
CREATE INDEX files_by_vectors ON files (vectors, vectors_due);
