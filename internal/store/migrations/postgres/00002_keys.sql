-- +goose Up
-- Citus distributes tables that refer to each other one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- Keys of users for programs. expires_at is 0 if a key has no end, last_used_at if it was never used.
CREATE TABLE api_keys (
    user_id      BIGINT NOT NULL,
    hash         BYTEA  NOT NULL,
    id           TEXT   COLLATE "C" NOT NULL,
    name         TEXT   NOT NULL,
    scopes       TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, hash),
    UNIQUE (user_id, id)
);
CREATE INDEX api_keys_by_end ON api_keys (expires_at) WHERE expires_at > 0;

-- If users are distributed by Citus, so is the table. Only then it can refer to users.
-- +goose StatementBegin
DO $$
BEGIN
    IF to_regclass('pg_dist_partition') IS NULL THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass) THEN
        PERFORM create_distributed_table('api_keys', 'user_id', colocate_with => 'users');
    END IF;
END $$;
-- +goose StatementEnd
ALTER TABLE api_keys ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
