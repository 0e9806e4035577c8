import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../api/call";
import * as operations from "../api/operations";
import type { Session } from "../api/types";
import * as downloads from "../shared/downloads";
import { testUser } from "../shared/testing/user";
import { BulkActions } from "./bulk-actions";

const chat = (id: string, title = id): Session => ({ id, title, message_count: 2, last_message_time: 1 });
const chats = ["a", "b", "c", "d", "e", "f"].map((id) => chat(id));
const busy = new ApiError(5000, "no", 503);

beforeEach(() => {
  vi.spyOn(operations, "listSessions").mockResolvedValue({ sessions: [], total: 0, has_more: false });
  vi.spyOn(operations, "updateSession").mockResolvedValue(undefined);
  vi.spyOn(operations, "deleteSession").mockResolvedValue(undefined);
  vi.spyOn(operations, "exportSession").mockImplementation((id) => Promise.resolve(new Response(`# ${id}`) as never));
  vi.spyOn(downloads, "saveAs").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

function begin() {
  const { user } = testUser({ user_id: 7 });
  return { user, actions: new BulkActions(user), texts: () => user.toasts.list.map(({ text }) => text) };
}

describe("several chats", () => {
  it("are archived with a request each, and moved back", async () => {
    const { user, actions, texts } = begin();
    const announced = vi.fn();
    user.changes.listen(announced);
    expect(await actions.setArchived(chats, true)).toEqual([]);
    expect(operations.updateSession).toHaveBeenCalledTimes(6);
    expect(announced.mock.calls.map(([id]) => id as string)).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(texts()).toEqual(["6 chats were archived."]);
    user.toasts.list[0]!.action!.run();
    await vi.waitFor(() => expect(operations.updateSession).toHaveBeenCalledTimes(12));
    expect(operations.updateSession).toHaveBeenLastCalledWith("f", { archived: false });
  });

  it("are deleted a few at a time", async () => {
    const { user, actions, texts } = begin();
    user.sessions.all.list = [...chats, chat("g")];
    localStorage.setItem("parley.draft.7.a", "x");
    let underWay = 0;
    let most = 0;
    vi.mocked(operations.deleteSession).mockImplementation(async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve));
      underWay--;
    });
    const progress: number[] = [];
    expect(await actions.remove(chats, (done) => progress.push(done))).toEqual([]);
    expect([most, progress]).toEqual([4, [1, 2, 3, 4, 5, 6]]);
    expect(texts()).toEqual(["6 chats were deleted."]);
    expect(localStorage.getItem("parley.draft.7.a")).toBeNull();
    expect(user.sessions.all.list.map(({ id }) => id)).toEqual(["g"]);
  });

  it("are left as they are if it fails, which is said", async () => {
    const { actions, texts } = begin();
    const gone = new ApiError(2001, "gone", 404);
    vi.mocked(operations.deleteSession).mockImplementation((id) =>
      "bc".includes(id) ? Promise.reject(busy) : id === "d" ? Promise.reject(gone) : Promise.resolve(undefined),
    );
    expect(await actions.remove(chats)).toEqual([chats[1], chats[2]]);
    expect(texts()[0]).toBe("4 chats were deleted.");
    expect(texts()[1]).toMatch(/^2 of 6 chats were not deleted\. ./);
  });

  it("are exported to one archive, and one alone to a file", async () => {
    const { actions, texts } = begin();
    vi.mocked(operations.exportSession).mockImplementationOnce(() => Promise.reject(busy));
    expect(await actions.export([chat("a"), chat("b", "Same"), chat("c", "same")])).toHaveLength(1);
    expect(texts()[0]).toMatch(/^1 of 3 chats was not exported\. ./);
    const [archive, name] = vi.mocked(downloads.saveAs).mock.lastCall!;
    expect([name, archive.type]).toEqual(["parley-chats.zip", "application/zip"]);
    await actions.export([chat("a", "One: two")]);
    expect(vi.mocked(operations.exportSession)).toHaveBeenLastCalledWith("a", "markdown");
  });
});
