import { describe, expect, it } from "vitest";
import { chatHash, parse } from "./router.svelte";

describe("the address", () => {
  it("is parsed to a place", () => {
    expect(parse("")).toEqual({ page: "chat", sessionId: null, messageNumber: null });
    expect(parse(chatHash("abc", 7))).toEqual({ page: "chat", sessionId: "abc", messageNumber: 7 });
    expect(parse(chatHash("abc", 7, "a & b?"))).toEqual({
      page: "chat",
      sessionId: "abc",
      messageNumber: 7,
      find: "a & b?",
    });
    expect(parse("#/favorites")).toEqual({ page: "favorites" });
    expect(parse("#/archived")).toEqual({ page: "archived" });
    expect(parse("#/settings")).toEqual({ page: "settings", section: null });
    expect(parse("#/settings/devices")).toEqual({ page: "settings", section: "devices" });
    expect(parse("#/nowhere/at/all")).toEqual({ page: "chat", sessionId: null, messageNumber: null });
  });
});
