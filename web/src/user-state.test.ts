import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { client } from "./api/call";
import * as operations from "./api/operations";
import type { Import, Model, Session, UserInfo } from "./api/types";
import { Auth, auth } from "./login/auth.svelte";
import { SearchResults } from "./search/results.svelte";
import { type UserState, UserStateHolder } from "./user-state.svelte";

type Part = Exclude<keyof UserState, "ended" | "end">;

interface Check<P extends Part> {
  /** Puts something into a part. */
  fill: (part: UserState[P]) => unknown;
  /** Returns what the part has. */
  read: (part: UserState[P]) => unknown;
}

const ferries = { id: "a", title: "Ferries" } as Session;
const forever = new Promise<never>(() => {});
const heard = vi.fn();

/** How each part is filled, and what is read of it then. Some keep nothing that can be read. */
const checks: { [P in Part]: Check<P> | null } = {
  account: {
    fill: (account) => (account.user = { user_id: 7, nickname: "Ada", admin: true } as UserInfo),
    read: ({ user }) => user?.nickname,
  },
  toasts: {
    fill: (toasts) => toasts.show("“Ferries” was archived"),
    read: ({ list }) => list.map(({ text }) => text),
  },
  tabTitle: {
    fill: (tabTitle) => {
      tabTitle.subject = "Ferries";
      tabTitle.show(1);
    },
    read: ({ subject }) => [subject, document.title],
  },
  layout: {
    fill: (layout) => (layout.drawerOpen = true),
    read: ({ drawerOpen }) => drawerOpen,
  },
  changes: {
    fill: (changes) => changes.listen(heard),
    read: (changes) => {
      heard.mockClear();
      changes.announce("a");
      return heard.mock.calls.length;
    },
  },
  deletions: {
    fill: ({ sessions, files }) => {
      const deletion = { run: () => forever, final: () => {}, failed: () => {} };
      sessions.add("a", deletion);
      files.add("f", deletion);
    },
    read: ({ sessions, files }) => [sessions.empty, files.empty],
  },
  models: {
    fill: (models) => (models.list = [{ name: "coder" } as Model]),
    read: ({ list }) => list.map(({ name }) => name),
  },
  search: {
    fill: (search) => (search.results = new SearchResults({ listen: () => () => {} }, AbortSignal.abort())),
    read: ({ results }) => results?.word,
  },
  quota: {
    fill: (quota) => {
      quota.refresh();
      return vi.waitFor(() => expect(quota.levelAt(0)).not.toBeNull());
    },
    read: (quota) => quota.levelAt(0),
  },
  activity: {
    fill: (activity) => {
      activity.begin("a");
      activity.unread.add("b");
    },
    read: (activity) => [activity.isWorking("a"), activity.unread.size],
  },
  elsewhere: {
    fill: ({ working }) => working.add("c"),
    read: ({ working }) => [...working],
  },
  favoriting: {
    fill: (favoriting) => void favoriting.set("m", "a", true),
    read: (favoriting) => Promise.race([favoriting.settled().then(() => "settled"), later("waiting")]),
  },
  titleWatch: null,
  sharing: {
    fill: (sharing) => (sharing.session = ferries),
    read: ({ session }) => session?.title,
  },
  importing: {
    fill: (importing) => Object.assign(importing, { sent: 0.5, result: { sessions: 3 } as Import, error: "no" }),
    read: ({ sent, result, error }) => [sent, result, error],
  },
  setUp: {
    fill: (setUp) => setUp.claimed(),
    read: ({ shown, checking }) => [shown, checking],
  },
  sessions: {
    fill: ({ all, pinned, archived }) => {
      for (const list of [all, pinned, archived]) Object.assign(list, { list: [ferries], keyword: "ferry" });
    },
    read: ({ all, pinned, archived }) =>
      [all, pinned, archived].map(({ list, keyword }) => [list.map(({ title }) => title), keyword]),
  },
  sessionActions: null,
  replies: null,
};

const later = <T>(value: T) => new Promise<T>((resolve) => setTimeout(() => resolve(value)));

/** What all parts have, by their names. */
async function contentOf(state: UserState): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = {};
  await forEachCheck(async (name, { read }) => (content[name] = await read(state[name])));
  return content;
}

async function forEachCheck(run: (name: Part, check: Check<Part>) => unknown): Promise<void> {
  for (const [name, check] of Object.entries(checks)) if (check) await run(name as Part, check as Check<Part>);
}

const logIn = (userId: number) => auth.logIn(String(userId), "correct horse", "");

let signedIn: UserStateHolder;

beforeEach(() => {
  document.title = "Parley";
  const quota = { messages: { used: 9, limit: 9, left: 0 }, resets_at: 86_400 };
  vi.spyOn(operations, "logIn").mockImplementation((email) =>
    Promise.resolve({ token: `token of ${email}`, user: { id: Number(email), email } } as never),
  );
  vi.spyOn(operations, "logOut").mockResolvedValue(undefined);
  vi.spyOn(operations, "usage").mockResolvedValue({ usage: [], quota });
  vi.spyOn(operations, "addFavorite").mockReturnValue(forever);
  signedIn = new UserStateHolder(auth);
});
afterEach(() => {
  auth.forget();
  localStorage.clear();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("a logout", () => {
  it("leaves nothing to the next user of the tab", async () => {
    await logIn(7);
    const first = signedIn.current!;
    const empty = await contentOf(first);
    await forEachCheck((name, { fill }) => fill(first[name]));
    const filled = await contentOf(first);
    for (const name of Object.keys(filled)) expect(filled[name], name).not.toEqual(empty[name]);
    // It would wait for what is being deleted.
    vi.spyOn(signedIn, "settle").mockResolvedValue();
    await auth.logOut();
    expect([signedIn.current, document.title]).toEqual([null, "Parley"]);

    await logIn(9);
    const second = signedIn.current!;
    expect(await contentOf(second)).toEqual(empty);
    for (const name of Object.keys(first) as (Part | "ended")[]) expect(second[name], name).not.toBe(first[name]);
  });

  it("is not followed by requests of the last user", async () => {
    await logIn(7);
    vi.useFakeTimers();
    const requests = vi.fn(() => Promise.resolve(Response.json({})));
    vi.stubGlobal("fetch", requests);
    const { deletions, elsewhere, quota, sessions, titleWatch } = signedIn.current!;
    await elsewhere.check("a");
    quota.refresh();
    quota.refresh();
    sessions.all.search("ferry");
    void titleWatch.watch("a", "Ferries");
    deletions.sessions.add("b", { run: () => fetch("/"), final: () => {}, failed: () => {} });
    requests.mockClear();
    auth.forget();
    await logIn(9);
    dispatchEvent(new Event("pagehide"));
    dispatchEvent(new Event("focus"));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(requests).not.toHaveBeenCalled();
    vi.useRealTimers();
  });

  it("keeps late responses from the next user", async () => {
    await logIn(7);
    let respond: (info: UserInfo) => void = () => {};
    vi.spyOn(operations, "userInfo").mockReturnValue(new Promise((resolve) => (respond = resolve)));
    const late = signedIn.current!.account.load();
    auth.forget();
    await logIn(9);
    respond({ user_id: 7, nickname: "Ada" } as UserInfo);
    await late;
    expect([auth.userId, signedIn.current!.account.userId, signedIn.current!.account.user]).toEqual([9, 9, null]);
  });

  it("is the only end of a login that forgets the e-mail address", async () => {
    await logIn(7);
    const refused = () => Promise.resolve(Response.json({ error: 1005, message: "", success: false }, { status: 401 }));
    vi.stubGlobal("fetch", refused);
    await logIn(7);
    await client.models().catch(() => {});
    expect([auth.token, auth.email, new Auth().email]).toEqual([null, "7", "7"]);

    await logIn(7);
    vi.spyOn(signedIn, "settle").mockResolvedValue();
    await auth.logOut();
    expect([auth.email, new Auth().email]).toEqual(["", ""]);
  });

  it("removes what the browser stores of the user, and of nobody else", async () => {
    await logIn(7);
    const keys = [
      "parley.draft.7.new",
      "parley.draft.7.a.b",
      "parley.import.7",
      "parley.draft.70.new",
      "parley.models",
    ];
    for (const name of keys) localStorage.setItem(name, "x");
    auth.forget();
    expect(Object.keys(localStorage).sort()).toEqual(["parley.draft.70.new", "parley.models"]);
  });
});

it("is made for each login, also if another one lasts", async () => {
  await logIn(7);
  const first = signedIn.current!;
  await logIn(9);
  expect([first.ended.aborted, signedIn.current === first]).toEqual([true, false]);
});
