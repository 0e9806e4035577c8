import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ApiError } from "../api/call";
import { preferences } from "../shared/preferences.svelte";
import { en } from "./en";
import {
  describe as describeError,
  formatAge,
  formatCost,
  formatDay,
  formatRelative,
  formatSize,
  modelName,
  t,
} from "./index.svelte";
import { chooseForm, formsOf, type Text } from "./plural";
import { zh } from "./zh";

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

afterAll(() => void (preferences.language = null));

describe("the two languages", () => {
  it("have the same keys and placeholders", () => {
    expect(Object.keys(zh)).toEqual(Object.keys(en));
    for (const [key, text] of Object.entries<Text>(en) as [keyof typeof en, Text][]) {
      const wanted = placeholders(formsOf(text)[0]!);
      for (const form of formsOf(zh[key])) expect(placeholders(form), key).toEqual(wanted);
      for (const form of formsOf(text)) expect(placeholders(form), key).toEqual(placeholders(formsOf(text)[0]!));
    }
  });

  it("have no unused keys", () => {
    const source = readdirSync("src", { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(svelte|ts)$/.test(name) && !name.includes("i18n/en") && !name.includes("i18n/zh"))
      .map((name) => readFileSync(join("src", name), "utf8"))
      .join("\n");
    const computed = /^(error|day|settings\.(system|light|dark)$)/;
    for (const key of Object.keys(en)) if (!computed.test(key)) expect(source.includes(`"${key}"`), key).toBe(true);
  });
});

describe("t", () => {
  it("uses the chosen language and replaces placeholders", () => {
    preferences.language = "zh";
    expect(t("reply.thought", { seconds: 5 })).toBe("思考了 5 秒");
    preferences.language = "en";
    expect(t("reply.thought", { seconds: 5 })).toBe("Thought for 5 s");
    expect(modelName("增强模型")).toBe("Enhanced model");
  });

  it("uses the plural form of the count", () => {
    preferences.language = "en";
    expect(t("composer.tooLong", { count: 1 })).toBe("1 character too long");
    expect(t("composer.tooLong", { count: 2 })).toBe("2 characters too long");
    const files: Text = { one: "{count} plik", few: "{count} pliki", other: "{count} plików" };
    expect([1, 3, 5].map((count) => chooseForm(files, count, "pl"))).toEqual([files.one, files.few, files.other]);
  });

  it("formats ages in a few characters", () => {
    const now = new Date(2026, 4, 20, 12).getTime();
    const ago = (seconds: number) => formatAge(now / 1000 - seconds, now);
    preferences.language = "en";
    expect([5, 300, 7200, 3 * 86_400].map(ago)).toEqual(["now", "5m", "2h", "3d"]);
    expect([ago(10 * 86_400), ago(365 * 86_400)]).toEqual(["May 10", "May 20, 2025"]);
    preferences.language = "zh";
    expect([5, 300, 7200].map(ago)).toEqual(["刚刚", "5分钟", "2小时"]);
    preferences.language = "en";
  });

  it("formats times in words", () => {
    const ago = (seconds: number) => formatRelative(1_000_000 - seconds, 1_000_000_000);
    preferences.language = "en";
    expect([5, 60, 7300, 90_000].map(ago)).toEqual(["just now", "1 minute ago", "2 hours ago", "yesterday"]);
    preferences.language = "zh";
    expect([5, 7300, 90_000].map(ago)).toEqual(["刚刚", "2小时前", "昨天"]);
    preferences.language = "en";
  });

  it("formats bytes in words and larger sizes in units", () => {
    preferences.language = "en";
    const sizes = [1, 25, 2500, 2_500_000, 2_500_000_000];
    expect(sizes.map(formatSize)).toEqual(["1 byte", "25 bytes", "3 kB", "2.5 MB", "2.5 GB"]);
    preferences.language = "zh";
    expect(formatSize(25)).toBe("25字节");
    preferences.language = "en";
  });

  it("formats days of UTC, and small costs with more digits", () => {
    preferences.language = "en";
    expect(formatDay("2026-01-31")).toBe("Jan 31");
    expect([0.0312, 12.3456].map((cost) => formatCost(cost, "USD"))).toEqual(["$0.0312", "$12.35"]);
    preferences.language = "zh";
    expect(formatDay("2026-01-31")).toBe("1月31日");
    preferences.language = "en";
  });

  it("includes how long to wait", () => {
    const tooMany = (retryAfter: number) => describeError(new ApiError(1006, "too many", 429, undefined, retryAfter));
    const busy = (retryAfter: number) => describeError(new ApiError(5000, "busy", 503, undefined, retryAfter));
    expect(tooMany(30)).toBe("Too many requests in a short time. Wait 30 seconds before you try again.");
    expect(busy(1)).toBe("The server is busy at the moment. Wait 1 second before you try again.");
    expect(tooMany(500)).toContain("Wait 9 minutes");
    expect(tooMany(7201)).toContain("Wait 3 hours");
    preferences.language = "zh";
    expect(tooMany(30)).toBe("短时间内请求过多。请等待 30秒钟后再试。");
    preferences.language = "en";
  });

  it("has no English in Chinese, and a text for each code and status", () => {
    preferences.language = "zh";
    const texts = new Set<string>();
    for (const [code, status] of [
      [1001, 400],
      [1001, 403],
      [1001, 413],
      [2002, 409],
      [2002, 500],
      [2002, 503],
      [2003, 404],
      [2003, 422],
      [2003, 500],
      [2005, 413],
    ] as const) {
      const text = describeError(new ApiError(code, "服务器的消息", status));
      expect(text, `${code} ${status}`).not.toMatch(/[a-z]/i);
      texts.add(text);
    }
    expect(texts.size).toBe(10);
    expect(describeError(new ApiError(2002, "没有状态的事件"))).toBe("消息发送失败：没有状态的事件。");
    preferences.language = "en";
  });

  it("describes errors, including unknown ones", () => {
    expect(describeError(new ApiError(1003, "wrong password"))).toBe("The password is wrong.");
    expect(describeError(new ApiError(1001, "title is too long"))).toContain("title is too long");
    expect(describeError(new ApiError(2003, "the file can't be read: it is empty", 422))).toContain("it is empty");
    expect(describeError(new ApiError(9999, "?"))).toBe(en["error.5000"]);
    expect(describeError(new ApiError(-1, "no connection"))).toBe(en["error.-1"]);
    expect(describeError(new TypeError("a mistake in this page"))).toBe(en["error.page"]);
  });
});
