-- +goose Up
-- Citus distributes tables that refer to each other one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- What each user has used on a day, in days since 1970 by UTC, by the name of the model. It is added up in the
-- transactions that end replies, and does not shrink when sessions are deleted. The cost is in millionths of the
-- currency. estimated is how many of the calls were estimated.
CREATE TABLE usage_days (
    user_id         BIGINT NOT NULL,
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
    user_id    BIGINT NOT NULL,
    id         TEXT   COLLATE "C" NOT NULL,
    reserved   BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);

-- The user's own quota: empty for the server's, none, or limits.
ALTER TABLE users ADD COLUMN quota TEXT NOT NULL DEFAULT '';
-- How many tokens an open turn may take, if its user has a quota.
ALTER TABLE turns ADD COLUMN reserved BIGINT NOT NULL DEFAULT 0;

-- If users are distributed by Citus, so are the tables. Only then they can refer to users.
-- +goose StatementBegin
DO $$
BEGIN
    IF to_regclass('pg_dist_partition') IS NULL THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass) THEN
        PERFORM create_distributed_table('usage_days', 'user_id', colocate_with => 'users');
        PERFORM create_distributed_table('usage_calls', 'user_id', colocate_with => 'users');
    END IF;
END $$;
-- +goose StatementEnd
ALTER TABLE usage_days ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
ALTER TABLE usage_calls ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE;
