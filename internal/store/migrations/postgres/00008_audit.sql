-- +goose Up
-- Citus changes the shards one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- The audit log. Ids begin with the time, so that their order is that of the entries. An entry outlives its user, so it
-- refers to none. user_id is 0 if there is no such account. actor_id is 0 for the user, -1 for a command of the
-- operator, or else the administrator who did it.
CREATE TABLE audit_entries (
    user_id    BIGINT NOT NULL,
    id         TEXT   COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    event      TEXT   COLLATE "C" NOT NULL,
    actor_id   BIGINT NOT NULL,
    address    TEXT   NOT NULL,
    request_id TEXT   NOT NULL,
    code       BIGINT NOT NULL,
    object     TEXT   NOT NULL,
    PRIMARY KEY (user_id, id)
);
CREATE INDEX audit_entries_by_id ON audit_entries (id);
CREATE INDEX audit_entries_by_event ON audit_entries (event, id);

-- Administrators see the usage of all users on some days.
CREATE INDEX usage_days_by_day ON usage_days (day);

-- If users are distributed by Citus, so is the table.
-- +goose StatementBegin
DO $$
BEGIN
    IF to_regclass('pg_dist_partition') IS NULL THEN
        RETURN;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass) THEN
        PERFORM create_distributed_table('audit_entries', 'user_id', colocate_with => 'users');
    END IF;
END $$;
-- +goose StatementEnd
