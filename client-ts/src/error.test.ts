import { describe, expect, it, vi } from "vitest";
import { ApiError, ErrorCode, toError } from "./error.js";

describe("toError", () => {
  const envelope = (error: number, message: string) => JSON.stringify({ error, message, success: false });

  it("reads the envelope", () => {
    expect(toError(429, envelope(1006, "too many requests"), "12")).toMatchObject({
      code: ErrorCode.tooManyAttempts,
      status: 429,
      retryAfter: 12,
      temporary: true,
    });
    expect(toError(400, envelope(1001, "title is too long"), null)).toMatchObject({
      code: ErrorCode.invalidParameter,
      message: "title is too long",
      retryAfter: 0,
      temporary: false,
    });
  });

  it("has the reason why a model did not reply", () => {
    const text = JSON.stringify({ error: 5001, message: "used up", success: false, body: { reason: "quota" } });
    expect(toError(503, text, null).reason).toBe("quota");
    expect(toError(503, envelope(5001, "unavailable"), null).reason).toBeUndefined();
  });

  it("uses the status if a proxy responds", () => {
    expect(toError(429, "<html>slow down</html>", null).code).toBe(ErrorCode.tooManyAttempts);
    expect(toError(503, "", "3")).toMatchObject({ code: ErrorCode.internal, retryAfter: 3, temporary: true });
    expect(toError(502, "null", null).code).toBe(ErrorCode.internal);
  });

  it("accepts a date in Retry-After, and ignores what is neither", () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 4, 20, 12) });
    expect(toError(503, "", "Wed, 20 May 2026 12:00:40 GMT").retryAfter).toBe(40);
    expect(toError(503, "", "Wed, 20 May 2026 11:00:00 GMT").retryAfter).toBe(0);
    expect(toError(503, "", "soon").retryAfter).toBe(0);
    vi.useRealTimers();
  });
});

describe("late", () => {
  const body = { user_message_id: "q", ai_response: { id: "r", content: "so far", timestamp: 1 } };

  it("is the reply that continues", () => {
    expect(new ApiError(ErrorCode.aiUnavailable, "it takes longer", 504, body).late).toEqual(body);
  });

  it("is undefined for other errors", () => {
    expect(new ApiError(ErrorCode.aiUnavailable, "the model failed", 503).late).toBeUndefined();
    expect(new ApiError(ErrorCode.internal, "it takes longer", 504).late).toBeUndefined();
  });
});
