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

-- The sessions in which a file is beside its own. They were forked from one that had it.
CREATE TABLE file_links (
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL,
    file_id    TEXT   NOT NULL,
    PRIMARY KEY (user_id, session_id, file_id)
);
CREATE INDEX file_links_by_file ON file_links (user_id, file_id, session_id);

-- +goose StatementBegin
DO $$
BEGIN
    IF to_regclass('pg_dist_partition') IS NULL THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass) THEN
        PERFORM create_distributed_table('file_links', 'user_id', colocate_with => 'users');
    END IF;
END $$;
-- +goose StatementEnd
ALTER TABLE file_links ADD FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE;
ALTER TABLE file_links ADD FOREIGN KEY (user_id, file_id) REFERENCES files (user_id, id) ON DELETE CASCADE;
