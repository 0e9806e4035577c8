import { describe, expect, it } from "vitest";
import { isQuota, isRetention } from "./quota";

describe("a quota", () => {
  it.each(["messages=3/d", "tokens=1M/d,messages=200/d", " tokens=50k/d , messages=1/d ", "tokens=1000000G/d"])(
    "can be %s",
    (text) => expect(isQuota(text)).toBe(true),
  );

  it.each([
    "",
    "none",
    "messages=0/d",
    "messages=3",
    "messages=3/h",
    "messages=-3/d",
    "messages=1.5/d",
    "messages=3/d,messages=4/d",
    "words=3/d",
    "tokens=1000001G/d",
    "messages=3/d,",
  ])("can't be %j", (text) => expect(isQuota(text)).toBe(false));
});

describe("a retention", () => {
  it.each(["90d", "12h", "1d12h", "720h", "60m"])("can be %s", (text) => expect(isRetention(text)).toBe(true));
  it.each(["", "0d", "59m", "90", "d", "90days", "-1d"])("can't be %j", (text) =>
    expect(isRetention(text)).toBe(false),
  );
});
