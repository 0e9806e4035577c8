-- +goose Up

-- Prompts that users keep. shared is 1 if an administrator offers one to all users.
CREATE TABLE prompts (
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    id         TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    text       TEXT   NOT NULL,
    shared     BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);
CREATE INDEX prompts_shared ON prompts (id) WHERE shared = 1;
