-- +goose Up
-- Only the release before 00004 wrote here. Whoever deletes a session locks sessions
-- before search_docs: in the other order the two would wait for each other.
LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE;
DROP TABLE search_docs;
DROP FUNCTION search_docs_to_queue;
