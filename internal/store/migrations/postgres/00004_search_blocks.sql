-- +goose Up
-- The search index is made anew, in blocks; until a text is in one it is read by each
-- search. Number -1 in the queue stands for all messages of a session that was cleared
-- or deleted; stale is 1 where a block may know an older text by that name.
ALTER TABLE search_queue DROP CONSTRAINT search_queue_session_id_fkey;
DROP INDEX search_queue_by_session;
ALTER TABLE search_queue ADD COLUMN stale BIGINT NOT NULL DEFAULT 1;
INSERT INTO search_queue (user_id, session_id, number, stale)
SELECT user_id, id, 0, 0 FROM sessions WHERE title <> ''
UNION ALL
SELECT m.user_id, m.session_id, m.number, 0 FROM messages m
WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = m.session_id AND t.redo = 0 AND m.number >= t.number - 1)
ON CONFLICT DO NOTHING;

-- A replica of the release before still writes here: its texts go back to the queue.
TRUNCATE search_docs;
-- +goose StatementBegin
CREATE FUNCTION search_docs_to_queue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_queue (user_id, session_id, number)
    SELECT user_id, id, NEW.number FROM sessions WHERE id = NEW.session_id ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER search_docs_to_queue BEFORE INSERT ON search_docs FOR EACH ROW EXECUTE FUNCTION search_docs_to_queue();

-- A block: how many texts it has, how many of them are gone, and their names.
CREATE TABLE search_blocks (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    block   BIGINT NOT NULL,
    size    BIGINT NOT NULL,
    gone    BIGINT NOT NULL DEFAULT 0,
    names   BYTEA  NOT NULL,
    PRIMARY KEY (user_id, block)
);

-- The grams of a block from the first one on, with their places.
CREATE TABLE search_pages (
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
