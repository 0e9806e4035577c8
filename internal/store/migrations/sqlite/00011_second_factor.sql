-- +goose Up
-- The secret of the user's one-time codes, empty without a second factor; the one of a set-up that is not confirmed;
-- and the step of the last code that was used, since a code works once.
ALTER TABLE users ADD COLUMN totp_secret TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN totp_pending TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN totp_step BIGINT NOT NULL DEFAULT 0;

-- Codes that log in once, in place of a one-time code.
CREATE TABLE recovery_codes (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash    BLOB   NOT NULL,
    PRIMARY KEY (user_id, hash)
) WITHOUT ROWID;

-- The last link that was sent to a user to set a new password. Its hash is zero once it was used. second_at and third_at
-- are when the two before it were sent, or 0: a user gets at most three within an hour.
CREATE TABLE password_resets (
    user_id    BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    hash       BLOB   NOT NULL,
    created_at BIGINT NOT NULL,
    second_at  BIGINT NOT NULL DEFAULT 0,
    third_at   BIGINT NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX password_resets_by_time ON password_resets (created_at);
