-- +goose Up
-- Citus changes the shards of a table one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- The pictures of a session. Every question looks for those that wait for one.
CREATE INDEX files_pictures ON files (user_id, session_id, question_id, created_at, id) WHERE picture_size > 0;
