-- +goose Up

-- Responses of OpenAI's API that their clients asked to keep, and calls with an idempotency key. While open is 1 the
-- response is being generated; it ends at expires_at unless it is completed before. context is the conversation up to
-- the response, and data is the response. size is that of both.
CREATE TABLE responses (
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    id         TEXT   NOT NULL,
    open       BIGINT NOT NULL,
    digest     TEXT   NOT NULL,
    size       BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    context    BLOB   NOT NULL,
    data       BLOB   NOT NULL,
    PRIMARY KEY (user_id, id)
);
CREATE INDEX responses_by_end ON responses (expires_at);
-- The number and size of a user's responses are limited.
CREATE INDEX responses_by_size ON responses (user_id, size);
