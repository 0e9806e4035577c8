-- +goose Up

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

-- If the database has Citus, the table is distributed by user. Only then it can refer to users.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
        PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
        PERFORM create_distributed_table('responses', 'user_id', colocate_with => 'users');
    END IF;
END $$;
-- +goose StatementEnd
ALTER TABLE responses ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
