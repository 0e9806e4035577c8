import { describe, expect, it } from "vitest";
import { parseArrival } from "./sign-in.svelte";

describe("the way back from the provider", () => {
  it("has a code for the tab that went there", () => {
    expect(parseArrival("#login=abc_-1", true)).toEqual({ kind: "login", code: "abc_-1" });
    expect(parseArrival("#link=abc", true)).toEqual({ kind: "link", code: "abc" });
  });

  it("gives no code to a tab that follows a link", () => {
    expect(parseArrival("#login=abc", false)).toEqual({ kind: "error", reason: "signIn.elsewhere" });
    expect(parseArrival("#link=abc", false)).toEqual({ kind: "error", reason: "signIn.elsewhere" });
  });

  it("has a sentence for every reason", () => {
    expect(parseArrival("#login-error=unverified", true)).toEqual({ kind: "error", reason: "signIn.unverified" });
    expect(parseArrival("#login-error=<script>", false)).toEqual({ kind: "error", reason: "signIn.failed" });
  });

  it("is not every place", () => {
    for (const hash of ["", "#/", "#/chat/login=abc", "#login", "#/settings/password"]) {
      expect(parseArrival(hash, true)).toBeNull();
    }
  });
});
