import { expect, it } from "vitest";
import { crc32 } from "./zip";

it("computes the checksum of archives", () => {
  expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
  expect(crc32(new Uint8Array())).toBe(0);
});
