-- +goose Up

-- Keys of users for programs. expires_at is 0 if a key has no end, last_used_at if it was never used.
CREATE TABLE api_keys (
    user_id      BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash         BLOB   NOT NULL,
    id           TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    scopes       TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, hash),
    UNIQUE (user_id, id)
) WITHOUT ROWID;
CREATE INDEX api_keys_by_end ON api_keys (expires_at) WHERE expires_at > 0;
