import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../api/call";
import * as operations from "../api/operations";
import * as reply from "../api/reply";
import type { Session, StoredFile } from "../api/types";
import * as upload from "../api/upload";
import { testUser } from "../shared/testing/user";
import { Conversation } from "./conversation.svelte";

const noModel = new ApiError(5001, "no model", 503);
const options = { model: "", deep_thinking: false, web_search: false };

/** What the server has of the session. */
let stored: Partial<Session>;
let files: StoredFile[];

beforeEach(() => {
  stored = {};
  files = [];
  const session = { id: "s", title: "", untitled: true, message_count: 0, last_message_time: 0 };
  vi.spyOn(operations, "createSession").mockResolvedValue({ session_id: "s", title: "", created_at: 1 });
  vi.spyOn(operations, "getSession").mockImplementation(() => Promise.resolve({ ...session, ...stored }));
  vi.spyOn(operations, "listFiles").mockImplementation(() => Promise.resolve({ files }));
  vi.spyOn(operations, "listMessages").mockResolvedValue({ messages: [], total: 0 });
  vi.spyOn(operations, "deleteSession").mockResolvedValue(undefined);
  vi.spyOn(operations, "clearSession").mockResolvedValue(undefined);
  vi.spyOn(reply, "sendMessage").mockRejectedValue(noModel);
});
afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

/** Begins a chat. Where it moves to is noted. */
function begin() {
  const { user } = testUser({ user_id: 7 });
  const moves: (string | null)[] = [];
  const conversation = new Conversation(null, user, (id) => moves.push(id));
  conversation.draft.open();
  return { user, conversation, moves };
}

/** Asks a question as the composer does. */
async function ask(conversation: Conversation) {
  conversation.draft.write("Which ferry?");
  await conversation.turns.send(conversation.draft.take(), options);
}

const draft = () => localStorage.getItem("parley.draft.7.new");

describe("a session that was created for a question", () => {
  it("is deleted if the question fails, which stays on the page", async () => {
    const { user, conversation, moves } = begin();
    await ask(conversation);
    await vi.waitFor(() => expect(moves).toEqual(["s", null]));
    expect(operations.deleteSession).toHaveBeenCalledWith("s");
    expect(conversation.transcript.entries.map(({ state }) => state)).toEqual(["failed"]);
    expect([conversation.sessionId, user.sessions.disposed.has("s")]).toEqual([null, true]);
    expect(draft()).toContain("Which ferry?");
  });

  it("is created again for the next attempt", async () => {
    const { conversation, moves } = begin();
    await ask(conversation);
    conversation.turns.sendAgain(conversation.transcript.entries[0]!, options);
    await vi.waitFor(() => expect(moves).toEqual(["s", null, "s", null]));
    expect(reply.sendMessage).toHaveBeenCalledTimes(2);
  });

  it.each<[string, Partial<Session>, StoredFile[]]>([
    ["the server has the question after all", { message_count: 2 }, []],
    ["it has a file", {}, [{ file_id: "f" } as StoredFile]],
    ["it has a name", { untitled: false }, []],
    ["it is pinned", { pinned: true }, []],
    ["it has instructions", { instructions: "Be brief." }, []],
  ])("is kept if %s", async (_, session, list) => {
    stored = session;
    files = list;
    const { conversation } = begin();
    await ask(conversation);
    conversation.close();
    await vi.waitFor(() => expect(operations.listFiles).toHaveBeenCalled());
    expect(operations.deleteSession).not.toHaveBeenCalled();
  });

  it("is deleted when the user leaves, if the server could not be reached before", async () => {
    vi.mocked(operations.getSession).mockRejectedValueOnce(new TypeError("offline"));
    const { conversation, moves } = begin();
    await ask(conversation);
    await vi.waitFor(() => expect(operations.getSession).toHaveBeenCalled());
    await Promise.resolve();
    expect(conversation.sessionId).toBe("s");
    conversation.close();
    expect(draft()).toContain("Which ferry?"); // at once, for the next page
    await vi.waitFor(() => expect(operations.deleteSession).toHaveBeenCalled());
    expect(moves).toEqual(["s"]);
  });

  it("is kept if its messages were cleared", async () => {
    vi.mocked(reply.sendMessage).mockImplementation((_, listen) => {
      const start = { name: "start", id: "1", data: { user_message_id: "q", message_id: "r" } };
      (listen as (event: unknown) => void)(start);
      return Promise.resolve();
    });
    const { conversation } = begin();
    await ask(conversation);
    await conversation.clear();
    conversation.close();
    await Promise.resolve();
    expect(operations.deleteSession).not.toHaveBeenCalled();
  });
});

it("deletes a session that was created for a file which was refused", async () => {
  vi.spyOn(upload, "uploadFile").mockRejectedValue(new ApiError(2004, "no", 415));
  const { conversation, moves } = begin();
  await conversation.files.add([new File(["x"], "a.xyz")], () => conversation.ensureSession());
  await vi.waitFor(() => expect(moves).toEqual(["s", null]));
  expect(operations.deleteSession).toHaveBeenCalledWith("s");
  expect(conversation.files.uploads.length).toBe(1);
});
