-- +goose Up

-- The audit log. Ids begin with the time, so that their order is that of the entries. An entry outlives its user, so it
-- refers to none. user_id is 0 if there is no such account. actor_id is 0 for the user, -1 for a command of the
-- operator, or else the administrator who did it.
CREATE TABLE audit_entries (
    user_id    BIGINT NOT NULL,
    id         TEXT   NOT NULL,
    at         BIGINT NOT NULL,
    event      TEXT   NOT NULL,
    actor_id   BIGINT NOT NULL,
    address    TEXT   NOT NULL,
    request_id TEXT   NOT NULL,
    code       BIGINT NOT NULL,
    object     TEXT   NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
CREATE INDEX audit_entries_by_id ON audit_entries (id);
CREATE INDEX audit_entries_by_event ON audit_entries (event, id);

-- Administrators see the usage of all users on some days.
CREATE INDEX usage_days_by_day ON usage_days (day);
