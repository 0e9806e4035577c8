-- +goose Up
-- The search index is made anew, in blocks; until a text is in one it is read by each
-- search. Number -1 in the queue stands for all messages of a session that was cleared
-- or deleted; stale is 1 where a block may know an older text by that name.
DROP TABLE search_grams;
DROP TABLE search_docs;
DROP TABLE search_queue;
CREATE TABLE search_queue (
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL,
    number     BIGINT NOT NULL,
    stale      BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (user_id, session_id, number)
) WITHOUT ROWID;
INSERT INTO search_queue (user_id, session_id, number, stale)
SELECT user_id, id, 0, 0 FROM sessions WHERE title <> ''
UNION ALL
SELECT m.user_id, m.session_id, m.number, 0 FROM messages m
WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = m.session_id AND t.redo = 0 AND m.number >= t.number - 1);

-- A block: how many texts it has, how many of them are gone, and their names.
CREATE TABLE search_blocks (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    block   BIGINT NOT NULL,
    size    BIGINT NOT NULL,
    gone    BIGINT NOT NULL DEFAULT 0,
    names   BLOB   NOT NULL,
    PRIMARY KEY (user_id, block)
);

-- The grams of a block from the first one on, with their places.
CREATE TABLE search_pages (
    user_id BIGINT NOT NULL,
    block   BIGINT NOT NULL,
    first   BIGINT NOT NULL,
    data    BLOB   NOT NULL,
    PRIMARY KEY (user_id, block, first),
    FOREIGN KEY (user_id, block) REFERENCES search_blocks (user_id, block) ON DELETE CASCADE
);
