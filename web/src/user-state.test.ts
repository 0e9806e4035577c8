import { expect, it } from "vitest";
import { activity } from "../sidebar/activity.svelte";
import { elsewhere } from "../sidebar/elsewhere.svelte";
import { forgetLogin } from "./login";

it("forgets which chats are working and unread, because the next user may use the same tab", () => {
  document.title = "(1) Ferries · Parley";
  activity.begin("a");
  activity.unread.add("b");
  elsewhere.working.add("c");
  forgetLogin();
  expect([activity.isWorking("a"), activity.unread.size, document.title]).toEqual([false, 0, "Parley"]);
  expect(elsewhere.working.size).toBe(0);
});
