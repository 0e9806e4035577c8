-- +goose Up
-- Sessions without a title are found by the one that they are shown with. Those without
-- a message come first, in the order of the list.
CREATE INDEX sessions_untitled ON sessions (user_id, message_count, active_at DESC, id DESC) WHERE title = '';
