-- +goose Up
-- Citus distributes tables that refer to each other one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- Prompts that users keep. shared is 1 if an administrator offers one to all users.
CREATE TABLE prompts (
    user_id    BIGINT NOT NULL,
    id         TEXT   COLLATE "C" NOT NULL,
    name       TEXT   NOT NULL,
    text       TEXT   NOT NULL,
    shared     BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);
CREATE INDEX prompts_shared ON prompts (id) WHERE shared = 1;

-- If users are distributed by Citus, so is the table. Only then it can refer to users.
-- +goose StatementBegin
DO $$
BEGIN
    IF to_regclass('pg_dist_partition') IS NULL THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass) THEN
        PERFORM create_distributed_table('prompts', 'user_id', colocate_with => 'users');
    END IF;
END $$;
-- +goose StatementEnd
ALTER TABLE prompts ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
