-- +goose Up
-- Citus changes the shards of a table one after the other.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- How many pages a block of the search index has.
ALTER TABLE search_blocks ADD COLUMN pages BIGINT NOT NULL DEFAULT 0;

-- Grams have another form: all texts are indexed anew. Until then searches read them.
DELETE FROM search_pages;
DELETE FROM search_blocks;
DELETE FROM search_queue WHERE number < -3;
INSERT INTO search_queue (user_id, session_id, number, stale)
    SELECT user_id, id, 0, 0 FROM sessions WHERE title <> '' ON CONFLICT DO NOTHING;
INSERT INTO search_queue (user_id, session_id, number, stale)
    SELECT user_id, id, -2, 0 FROM files WHERE true ON CONFLICT DO NOTHING;
INSERT INTO search_queue (user_id, session_id, number, stale)
    SELECT user_id, id, -3, 0 FROM files WHERE true ON CONFLICT DO NOTHING;
INSERT INTO search_queue (user_id, session_id, number, stale)
    SELECT m.user_id, m.session_id, m.branch * 1099511627776 + m.number, 0 FROM messages m
    WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.user_id = m.user_id AND t.session_id = m.session_id
        AND t.redo = 0 AND m.branch = t.branch AND m.number >= t.number - 1) ON CONFLICT DO NOTHING;
