-- +goose NO TRANSACTION
-- +goose Up
-- Each statement is a transaction, so that no lock is held while the texts are queued: that
-- takes most of a minute with a million messages. Each can run again after a migration
-- that was interrupted.
--
-- The search index is made anew, in blocks; until a text is in one it is read by each
-- search. Number -1 in the queue stands for all messages of a session that was cleared
-- or deleted; stale is 1 where a block may know an older text by that name.
ALTER TABLE search_queue DROP CONSTRAINT IF EXISTS search_queue_session_id_fkey;
DROP INDEX IF EXISTS search_queue_by_session;
ALTER TABLE search_queue ADD COLUMN IF NOT EXISTS stale BIGINT NOT NULL DEFAULT 1;

-- A replica of the release before still writes here: its texts go back to the queue. It
-- must not take those that are queued below for indexed.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_docs_to_queue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_queue (user_id, session_id, number)
    SELECT user_id, id, NEW.number FROM sessions WHERE id = NEW.session_id ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS search_docs_to_queue ON search_docs;
CREATE TRIGGER search_docs_to_queue BEFORE INSERT ON search_docs FOR EACH ROW EXECUTE FUNCTION search_docs_to_queue();

-- Texts are queued some sessions at a time: whoever changes one waits for its transaction.
-- +goose StatementBegin
DO $$
DECLARE
    first TEXT COLLATE "C" := '';
    last  TEXT COLLATE "C";
BEGIN
    LOOP
        SELECT max(id) INTO last FROM (SELECT id FROM sessions WHERE id > first ORDER BY id LIMIT 500) AS batch;
        EXIT WHEN last IS NULL;
        INSERT INTO search_queue (user_id, session_id, number, stale)
        SELECT user_id, id, 0, 0 FROM sessions WHERE id > first AND id <= last AND title <> ''
        UNION ALL
        SELECT m.user_id, m.session_id, m.number, 0 FROM messages m
        WHERE m.session_id > first AND m.session_id <= last
          AND NOT EXISTS (SELECT 1 FROM turns t
              WHERE t.session_id = m.session_id AND t.redo = 0 AND m.number >= t.number - 1)
        ON CONFLICT DO NOTHING;
        COMMIT;
        first := last;
    END LOOP;
END $$;
-- +goose StatementEnd
TRUNCATE search_docs;

-- A block: how many texts it has, how many of them are gone, and their names.
CREATE TABLE IF NOT EXISTS search_blocks (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    block   BIGINT NOT NULL,
    size    BIGINT NOT NULL,
    gone    BIGINT NOT NULL DEFAULT 0,
    names   BYTEA  NOT NULL,
    PRIMARY KEY (user_id, block)
);

-- The grams of a block from the first one on, with their places.
CREATE TABLE IF NOT EXISTS search_pages (
    user_id BIGINT NOT NULL,
    block   BIGINT NOT NULL,
    first   BIGINT NOT NULL,
    data    BYTEA  NOT NULL,
    PRIMARY KEY (user_id, block, first),
    FOREIGN KEY (user_id, block) REFERENCES search_blocks (user_id, block) ON DELETE CASCADE
);
-- They are packed already.
ALTER TABLE search_blocks ALTER COLUMN names SET STORAGE EXTERNAL;
ALTER TABLE search_pages ALTER COLUMN data SET STORAGE EXTERNAL;
