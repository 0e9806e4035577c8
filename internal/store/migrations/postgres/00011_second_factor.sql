-- +goose Up
-- Citus distributes tables that refer to each other one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- The secret of the user's one-time codes, empty without a second factor; the one of a set-up that is not confirmed;
-- and the step of the last code that was used, since a code works once.
ALTER TABLE users ADD COLUMN totp_secret TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN totp_pending TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN totp_step BIGINT NOT NULL DEFAULT 0;

-- Codes that log in once, in place of a one-time code.
CREATE TABLE recovery_codes (
    user_id BIGINT NOT NULL,
    hash    BYTEA  NOT NULL,
    PRIMARY KEY (user_id, hash)
);

-- The last link that was sent to a user to set a new password. Its hash is zero once it was used. second_at and third_at
-- are when the two before it were sent, or 0: a user gets at most three within an hour.
CREATE TABLE password_resets (
    user_id    BIGINT PRIMARY KEY,
    hash       BYTEA  NOT NULL,
    created_at BIGINT NOT NULL,
    second_at  BIGINT NOT NULL DEFAULT 0,
    third_at   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX password_resets_by_time ON password_resets (created_at);

-- If users are distributed by Citus, so are the tables. Only then they can refer to users.
-- +goose StatementBegin
DO $$
BEGIN
    IF to_regclass('pg_dist_partition') IS NULL THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass) THEN
        PERFORM create_distributed_table('recovery_codes', 'user_id', colocate_with => 'users');
        PERFORM create_distributed_table('password_resets', 'user_id', colocate_with => 'users');
    END IF;
END $$;
-- +goose StatementEnd
ALTER TABLE recovery_codes ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
ALTER TABLE password_resets ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
