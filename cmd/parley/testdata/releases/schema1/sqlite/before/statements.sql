PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO goose_db_version VALUES(1,0,1,'2026-11-16 10:20:45');
INSERT INTO goose_db_version VALUES(2,1,1,'2026-11-16 10:20:45');
CREATE TABLE users (
    id             INTEGER PRIMARY KEY,
    email          TEXT   NOT NULL,
    nickname       TEXT   NOT NULL,
    avatar         TEXT   NOT NULL DEFAULT '',
    password_hash  TEXT   NOT NULL,
    session_count  BIGINT NOT NULL DEFAULT 0,
    favorite_count BIGINT NOT NULL DEFAULT 0,
    -- Since when an operator keeps the account from logging in; 0 is not at all.
    disabled_at    BIGINT NOT NULL DEFAULT 0,
    created_at     BIGINT NOT NULL
);
INSERT INTO users VALUES(1,'ada@example.com','ada','','$argon2id$v=19$m=19456,t=2,p=1$TPnxx4TOEugIuiRHv2beAg$vjx1mt/rypjc8PGfGv5kLukQ8R9Epe0g5Yf7mWgplT4',5,2,0,1794824446000462);
INSERT INTO users VALUES(2,'bob@example.com','bob','','$argon2id$v=19$m=19456,t=2,p=1$FEyxCRTXwBV7I8NBS7fsXg$NxzD3cHBTzHP4RTOajhazMqjkBSomgqEHY/UTmzVnEo',1,0,0,1794824446066401);
INSERT INTO users VALUES(3,'olga@example.com','olga','','$argon2id$v=19$m=19456,t=2,p=1$kDRjuhsPww8r5ryCJe59AA$Lcs2NM6lY2/jpxOKPK56XPL/XF8UFMRvFJw5vrGsxrk',1,0,0,1794824446297181);
CREATE TABLE emails (
    user_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    email_key TEXT    NOT NULL UNIQUE
);
INSERT INTO emails VALUES(1,'ada@example.com');
INSERT INTO emails VALUES(2,'bob@example.com');
INSERT INTO emails VALUES(3,'olga@example.com');
CREATE TABLE tokens (
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash       BLOB   NOT NULL,
    id         TEXT   NOT NULL,
    client     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, hash),
    UNIQUE (user_id, id)
) WITHOUT ROWID;
INSERT INTO tokens VALUES(1,X'0556e2d2f0d3968d45b91de6337586c3ea29ea0345b204c7f994532c39c0ad38','01a1e3df-a030-771c-a5c8-244bc15fde12','parley-go/1.0.0',1794824446000462,4948424446000462);
INSERT INTO tokens VALUES(2,X'912b4b6a3284cb67bc4b608d4b794f051cc6fff9b802a8ee3b18f758c68f4d8c','01a1e3df-a072-762f-b7b8-cdb034acd98b','parley-go/1.0.0',1794824446066401,4948424446066401);
INSERT INTO tokens VALUES(3,X'9ec942a664c246a7c0943aa523fd19f17e05e42baec1afa78c2cd61e2be833bd','01a1e3df-a159-72d2-b599-8b3a00ee9b24','parley-go/1.0.0',1794824446297181,4948424446297181);
CREATE TABLE sessions (
    user_id         BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    id              TEXT   NOT NULL,
    title           TEXT   NOT NULL,
    message_count   BIGINT NOT NULL DEFAULT 0,
    last_message_at BIGINT NOT NULL DEFAULT 0,
    active_at       BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    -- The branch of the last visible message, and the number of the last branch.
    branch          BIGINT NOT NULL DEFAULT 0,
    branches        BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
INSERT INTO sessions VALUES(1,'01a1e3df-a161-72cc-bd35-25e6cca5f45e','Ferry to Capri 渡船',6,1794824446359644,1794824446359644,1794824446305184,1,1);
INSERT INTO sessions VALUES(1,'01a1e3df-a1d9-7196-bfa4-13652bf27ba2','Nobody has named this one',2,1794824446427150,1794824446427150,1794824446425104,0,0);
INSERT INTO sessions VALUES(1,'01a1e3df-a1e7-740e-8cb1-eed2f985ec1f','Nothing in it',0,0,1794824446439266,1794824446439266,0,0);
INSERT INTO sessions VALUES(1,'01a1e3df-a1ee-7eaf-a01e-163675c1c5cc','',0,0,1794824446446963,1794824446446963,0,0);
INSERT INTO sessions VALUES(1,'01a1e3df-a1f0-7a93-a261-55b9d9217ac5','Cleared',0,0,1794824446448693,1794824446448693,0,0);
INSERT INTO sessions VALUES(2,'01a1e3df-a1f8-7c80-ae4b-4dd9b6ffd43a','Bob''s ferry',4,1794824447367556,1794824447367556,1794824446456819,0,0);
INSERT INTO sessions VALUES(3,'01a1e3df-a56a-7073-aa5d-a58cd3e94d70','Open',2,1794824447339211,1794824447339211,1794824447338030,0,0);
CREATE TABLE messages (
    user_id      BIGINT NOT NULL,
    session_id   TEXT   NOT NULL,
    number       BIGINT NOT NULL,
    branch       BIGINT NOT NULL DEFAULT 0,
    id           TEXT   NOT NULL,
    role         TEXT   NOT NULL,
    content      TEXT   NOT NULL,
    details      TEXT   NOT NULL DEFAULT '',
    attempt      BIGINT NOT NULL DEFAULT 1,
    created_at   BIGINT NOT NULL,
    favorite_id  TEXT  ,
    favorited_at BIGINT,
    PRIMARY KEY (user_id, session_id, number, branch),
    UNIQUE (user_id, id, branch),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
);
INSERT INTO messages VALUES(1,'01a1e3df-a161-72cc-bd35-25e6cca5f45e',1,0,'01a1e3df-a165-7d32-ab99-18b782302d50','user','When does the ferry leave? 渡船几点开?','',1,1794824446309875,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3df-a161-72cc-bd35-25e6cca5f45e',2,0,'01a1e3df-a165-7d38-bdc9-e8c7da600e01','assistant','You said: When does the ferry leave? 渡船几点开?','',1,1794824446309875,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3df-a161-72cc-bd35-25e6cca5f45e',3,0,'01a1e3df-a16a-78c6-9179-59b1752f1289','user','And 100% of them on_time, it''s said?','',1,1794824446314580,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3df-a161-72cc-bd35-25e6cca5f45e',4,0,'01a1e3df-a16a-78c9-b650-b6e690875ca5','assistant','You said: And 100% of them on_time, it''s said?','',1,1794824446314580,'01a1e3df-a16c-798a-a36c-6c824df308f0',1794824446316626);
INSERT INTO messages VALUES(1,'01a1e3df-a161-72cc-bd35-25e6cca5f45e',5,0,'01a1e3df-a197-78f9-8231-411c23c52ac1','user','So which one?','',1,1794824446359644,'01a1e3df-a1be-7eb7-8737-5e6bd6b641ea',1794824446398964);
INSERT INTO messages VALUES(1,'01a1e3df-a161-72cc-bd35-25e6cca5f45e',6,0,'01a1e3df-a197-78fe-9efa-2870fa764900','assistant','You said: So which one?','{"thinking":"Thinking about: So which one?","thinking_ms":1,"files":[{"file_id":"01a1e3df-a16e-731e-8b19-f6ced5923626","filename":"times.md"}]}',1,1794824446359644,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3df-a161-72cc-bd35-25e6cca5f45e',6,1,'01a1e3df-a197-78fe-9efa-2870fa764900','assistant','You said: So which one?','{"files":[{"file_id":"01a1e3df-a16e-731e-8b19-f6ced5923626","filename":"times.md"}]}',2,1794824446359644,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3df-a1d9-7196-bfa4-13652bf27ba2',1,0,'01a1e3df-a1db-7221-98ba-2dff6499ed9a','user','Nobody has named this one','',1,1794824446427150,NULL,NULL);
INSERT INTO messages VALUES(1,'01a1e3df-a1d9-7196-bfa4-13652bf27ba2',2,0,'01a1e3df-a1db-7227-970a-0e2c38103acc','assistant','You said: Nobody has named this one','',1,1794824446427150,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e3df-a1f8-7c80-ae4b-4dd9b6ffd43a',1,0,'01a1e3df-a1fc-7cfc-bc22-0db869ce71fd','user','Not for Ada','',1,1794824446460857,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e3df-a1f8-7c80-ae4b-4dd9b6ffd43a',2,0,'01a1e3df-a1fc-7cff-b65a-e55441de9b21','assistant','You said: Not for Ada','',1,1794824446460857,NULL,NULL);
INSERT INTO messages VALUES(3,'01a1e3df-a56a-7073-aa5d-a58cd3e94d70',1,0,'01a1e3df-a56b-731e-a2ba-4243b20876a0','user','Is it?','',1,1794824447339211,NULL,NULL);
INSERT INTO messages VALUES(3,'01a1e3df-a56a-7073-aa5d-a58cd3e94d70',2,0,'01a1e3df-a56b-7321-8fd7-2c7deb5a3e15','assistant','','',1,1794824447339211,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e3df-a1f8-7c80-ae4b-4dd9b6ffd43a',3,0,'01a1e3df-a587-7856-bb29-a110d03620c2','user','Still to be indexed','',1,1794824447367556,NULL,NULL);
INSERT INTO messages VALUES(2,'01a1e3df-a1f8-7c80-ae4b-4dd9b6ffd43a',4,0,'01a1e3df-a587-785c-a8f6-35f72d53e7e4','assistant','You said: Still to be indexed','',1,1794824447367556,NULL,NULL);
CREATE TABLE branches (
    user_id         BIGINT NOT NULL,
    session_id      TEXT   NOT NULL,
    branch          BIGINT NOT NULL,
    parent          BIGINT NOT NULL,
    first           BIGINT NOT NULL,
    shown           BIGINT NOT NULL,
    ended           BIGINT NOT NULL,
    message_count   BIGINT NOT NULL,
    last_message_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, session_id, branch),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO branches VALUES(1,'01a1e3df-a161-72cc-bd35-25e6cca5f45e',0,0,0,1,0,6,1794824446359644);
INSERT INTO branches VALUES(1,'01a1e3df-a161-72cc-bd35-25e6cca5f45e',1,0,6,1,1,0,0);
CREATE TABLE turns (
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL,
    message_id TEXT   NOT NULL,
    owner      TEXT   NOT NULL,
    attempt    BIGINT NOT NULL,
    first      BIGINT NOT NULL,
    number     BIGINT NOT NULL,
    branch     BIGINT NOT NULL DEFAULT 0,
    named      TEXT   NOT NULL,
    redo       BIGINT NOT NULL,
    stopped    BIGINT NOT NULL DEFAULT 0,
    options    TEXT   NOT NULL,
    content    TEXT   NOT NULL DEFAULT '',
    thinking   TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (user_id, session_id),
    UNIQUE (user_id, message_id),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO turns VALUES(3,'01a1e3df-a56a-7073-aa5d-a58cd3e94d70','01a1e3df-a56b-7321-8fd7-2c7deb5a3e15','01a1e3df-9f7e-73d0-bc62-bfb1e42df70e',1,1,2,0,'',0,0,'{}','','');
CREATE TABLE owners (
    id          TEXT   PRIMARY KEY,
    lease_until BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO owners VALUES('01a1e3df-9f7e-73d0-bc62-bfb1e42df70e',1794824455906000);
CREATE TABLE outcomes (
    user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    message_id TEXT   NOT NULL,
    code       BIGINT NOT NULL,
    kind       BIGINT NOT NULL,
    message    TEXT   NOT NULL,
    ended_at   BIGINT NOT NULL,
    PRIMARY KEY (user_id, message_id)
) WITHOUT ROWID;
CREATE TABLE send_keys (
    user_id    BIGINT NOT NULL,
    key        TEXT   NOT NULL,
    digest     TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    message_id TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, key),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO send_keys VALUES(1,'one','916809446ead14323837ce46ffbffed2115fcf8b2bca6e43685c45564de6ff2f','01a1e3df-a161-72cc-bd35-25e6cca5f45e','01a1e3df-a197-78fe-9efa-2870fa764900',1794824446359644);
CREATE TABLE files (
    user_id    BIGINT NOT NULL,
    id         TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    size       BIGINT NOT NULL,
    text_size  BIGINT NOT NULL,
    index_size BIGINT NOT NULL,
    type       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, session_id) REFERENCES sessions (user_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO files VALUES(1,'01a1e3df-a16e-731e-8b19-f6ced5923626','01a1e3df-a161-72cc-bd35-25e6cca5f45e','times.md',47,47,172,'text/markdown',1794824446351594);
CREATE TABLE file_intents (
    user_id    BIGINT NOT NULL,
    id         TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
INSERT INTO file_intents VALUES(3,'01a1e3df-a573-7161-87a6-1d640ace63d9',1794824447347088);
CREATE TABLE search_queue (
    user_id    BIGINT NOT NULL,
    session_id TEXT   NOT NULL,
    number     BIGINT NOT NULL,
    stale      BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (user_id, session_id, number)
) WITHOUT ROWID;
INSERT INTO search_queue VALUES(2,'01a1e3df-a1f8-7c80-ae4b-4dd9b6ffd43a',3,0);
INSERT INTO search_queue VALUES(2,'01a1e3df-a1f8-7c80-ae4b-4dd9b6ffd43a',4,0);
INSERT INTO search_queue VALUES(3,'01a1e3df-a56a-7073-aa5d-a58cd3e94d70',0,0);
CREATE TABLE search_blocks (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    block   BIGINT NOT NULL,
    size    BIGINT NOT NULL,
    gone    BIGINT NOT NULL DEFAULT 0,
    names   BLOB   NOT NULL,
    PRIMARY KEY (user_id, block)
);
INSERT INTO search_blocks VALUES(1,1,13,0,X'2430316131653364662d613136312d373263632d626433352d32356536636361356634356508000202020202028080808080402430316131653364662d613164392d373139362d626661342d313336353262663237626132030002022430316131653364662d613165372d373430652d386362312d65656432663938356563316601002430316131653364662d613166302d376139332d613236312d3535623964393231376163350100');
INSERT INTO search_blocks VALUES(2,1,3,0,X'2430316131653364662d613166382d376338302d616534622d34646439623666666434336103000202');
CREATE TABLE search_pages (
    user_id BIGINT NOT NULL,
    block   BIGINT NOT NULL,
    first   BIGINT NOT NULL,
    data    BLOB   NOT NULL,
    PRIMARY KEY (user_id, block, first),
    FOREIGN KEY (user_id, block) REFERENCES search_blocks (user_id, block) ON DELETE CASCADE
);
INSERT INTO search_pages VALUES(1,1,162727720910848,X'000318808080f380800203188080808dffff040318808080a58080040318a580800b03188b8080808080010318d0ffffcfffff0805d4048080808080800503fee98080f48080200318fb95c4f5ffff0105dc04c5868004050007bbf97f0318d1d180020200f4b4ff01020cd7e23b050007bd9cc4030306cafffff8ff7f050007f8c280f2ff7f020081a1bb0603e0ea9cc404020c96e3bb93ff7f0518178080803a05d404808080050318bea0c4300306c2dfbb0905000780808087ff7f0506078080802c03188080801303e6cde7c422020ce0160306d381bb02050017808080090318808080010306e5ebc40403079b943b03068080808dff7f0318c1eac4650307bf95bb9aff7f020b8080808080800103e09becc461050007e593bb03030685ca440318d905030685c3ff0303e0b83e020b801b050007e593bb96ff7f0200c8adc46303e0f2d23b05d404050318fe9bc4090318c3e33b020befa744020b91d8bb0405000780808001020b2703189d89c4f1ffff02020c6c0306d0f5bb9aff7f0318ac8080650318b896440500079ce9bb9aff7f050608f480805f03189ccac402050007f0b4bb020318808080010500073f03e0c1ffff01020bcb8ec4080500078a65020bab8cbb90ff7f03e1bcd6c462050007f5b78002050007eadd7f0306e5933b0318df8080080318de9b4405e0078c938006020bb7d03b05d404a1b3c4fdff7f0200c3e3fff2ffff01020c9ce9bb030200b18ec5090307cff1ba06030780808087ff7f051e078db4c46105dc04f3cbbb0d03e080808091ff7f020bf38080270318ca9bc4410306df0203188617020b8001050007ea9380010318f4b4bb05020080808091ff7f05d404bf8080e58080010306f89ec4838080010306c31403e086ccbb97ffff01050707cdf7c46f05d404b388bbc9e081e7a2010306808080869ffe9f1a0306808080fa8382a11e0307808080c7b9ff9705030680808080c2feff220200808080e0a3010306e4b88bf69abde29349020c9dc88d89a098c69117050007988d94b7a1e8be06020b');
INSERT INTO search_pages VALUES(2,1,171524055105536,X'0002008080808dffff120202808080808080270306d985c46403068b91800502028feabbbdff7f0200bf8ac4480200cef4bbcaffff010202808080270306e5ebc4918080010200dcfefff2ff7f020081fcff090306f899bbf4ffff020202baf1c48b8080050306b38ebbf2ff7f0200d9ffff0f03068080800203068080800102028080808bffff020306b18ec5720200cff1ba06020080808087ff7f02008db4c4610202f3cbbb9eff7f0306808080808080010202808080808080040200cdf7c46f0202');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('goose_db_version',2);
INSERT INTO sqlite_sequence VALUES('emails',3);
CREATE INDEX tokens_by_time ON tokens (user_id, created_at);
CREATE INDEX tokens_by_end ON tokens (expires_at);
CREATE INDEX sessions_by_activity ON sessions (user_id, active_at DESC, id DESC);
CREATE INDEX sessions_untitled ON sessions (user_id, message_count, active_at DESC, id DESC) WHERE title = '';
CREATE INDEX messages_favorite ON messages (user_id, favorited_at DESC, favorite_id DESC) WHERE favorite_id IS NOT NULL;
CREATE INDEX branches_by_place ON branches (user_id, session_id, first, parent, branch);
CREATE INDEX branches_shown ON branches (user_id, session_id, first, branch) WHERE shown = 1;
CREATE INDEX turns_by_owner ON turns (owner);
CREATE INDEX outcomes_by_end ON outcomes (ended_at);
CREATE INDEX send_keys_by_session ON send_keys (user_id, session_id);
CREATE INDEX send_keys_by_time ON send_keys (created_at);
CREATE INDEX files_by_session ON files (user_id, session_id, created_at, id);
CREATE INDEX files_by_user ON files (user_id, size, text_size, index_size);
CREATE INDEX files_by_id ON files (id);
COMMIT;
