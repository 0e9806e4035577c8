-- +goose Up
-- The pictures of a session. Every question looks for those that wait for one.
CREATE INDEX files_pictures ON files (user_id, session_id, question_id, created_at, id) WHERE picture_size > 0;

-- A user can have many rows in these tables, and a session has few of them. Without these figures SQLite looks for the
-- rows of a session among all of its user's, by the primary key. They are estimates: rows of the table, rows of a user,
-- rows of a session.
ANALYZE sqlite_schema; -- makes the table
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('files', 'files', '1000000 1000 1'),
    ('files', 'files_by_session', '1000000 1000 10 1 1'),
    ('files', 'files_by_user', '1000000 1000 10 10 10 10 10'),
    ('files', 'files_pictures', '100000 1000 10 10 1 1'),
    ('shares', 'shares', '1000000 1000 1'),
    ('shares', 'shares_by_session', '1000000 1000 10'),
    ('send_keys', 'send_keys', '1000000 1000 1'),
    ('send_keys', 'send_keys_by_session', '1000000 1000 10');
ANALYZE sqlite_schema; -- reads it
