-- +goose Up
-- Citus changes the shards of a table one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- 1 for a session that is in no list and no search. It is never pinned or archived, and always has a time at which it
-- is deleted.
ALTER TABLE sessions ADD COLUMN temporary BIGINT NOT NULL DEFAULT 0;
-- A user has few of them: they are deleted after an hour.
CREATE INDEX sessions_temporary ON sessions (user_id, id) WHERE temporary = 1;

DROP INDEX sessions_by_activity;
CREATE INDEX sessions_by_activity ON sessions (user_id, archived, active_at DESC, id DESC) WHERE temporary = 0;
DROP INDEX sessions_untitled;
CREATE INDEX sessions_untitled ON sessions (user_id, message_count, active_at DESC, id DESC)
    WHERE title = '' AND temporary = 0;
