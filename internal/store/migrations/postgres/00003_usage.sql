-- +goose Up
-- What each user has used on a day, in days since 1970 by UTC, by the name of the model. It is added up in the
-- transactions that end replies, and does not shrink when sessions are deleted. The cost is in millionths of the
-- currency. estimated is how many of the calls were estimated.
CREATE TABLE usage_days (
    user_id         BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    day             BIGINT NOT NULL,
    model           TEXT   COLLATE "C" NOT NULL,
    input_tokens    BIGINT NOT NULL,
    output_tokens   BIGINT NOT NULL,
    thinking_tokens BIGINT NOT NULL,
    messages        BIGINT NOT NULL,
    cost            BIGINT NOT NULL,
    currency        TEXT   NOT NULL,
    estimated       BIGINT NOT NULL,
    PRIMARY KEY (user_id, day, model)
);

-- Calls of a model in progress that are not turns, of users with a quota. A call whose process has died counts until it
-- expires.
CREATE TABLE usage_calls (
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    id         TEXT   COLLATE "C" NOT NULL,
    reserved   BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);

-- The user's own quota: empty for the server's, none, or limits.
ALTER TABLE users ADD COLUMN quota TEXT NOT NULL DEFAULT '';
-- How many tokens an open turn may take, if its user has a quota.
ALTER TABLE turns ADD COLUMN reserved BIGINT NOT NULL DEFAULT 0;

-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
        PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
        PERFORM create_distributed_table('usage_days', 'user_id', colocate_with => 'users');
        PERFORM create_distributed_table('usage_calls', 'user_id', colocate_with => 'users');
    END IF;
END $$;
-- +goose StatementEnd
