-- +goose Up
-- Citus distributes tables that refer to each other one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- Responses of OpenAI's API that their clients asked to keep, and calls with an idempotency key. While open is 1 the
-- response is being generated; it ends at expires_at unless it is completed before. context is the conversation up to
-- the response, and data is the response. size is that of both.
CREATE TABLE responses (
    user_id    BIGINT NOT NULL,
    id         TEXT   COLLATE "C" NOT NULL,
    open       BIGINT NOT NULL,
    digest     TEXT   NOT NULL,
    size       BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    context    BYTEA  NOT NULL,
    data       BYTEA  NOT NULL,
    PRIMARY KEY (user_id, id)
);
CREATE INDEX responses_by_end ON responses (expires_at);
-- The number and size of a user's responses are limited.
CREATE INDEX responses_by_size ON responses (user_id, size);

-- If users are distributed by Citus, so is the table. Only then it can refer to users.
-- +goose StatementBegin
DO $$
BEGIN
    IF to_regclass('pg_dist_partition') IS NULL THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass) THEN
        PERFORM create_distributed_table('responses', 'user_id', colocate_with => 'users');
    END IF;
END $$;
-- +goose StatementEnd
ALTER TABLE responses ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
