import { expect, it } from "vitest";
import { parseUserAgent } from "./device";

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

it.each([
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox Windows computer"],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/139.0.0.0 Safari/537.36`, "Chrome Windows computer"],
  [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/139.0 Safari/537.36 Edg/139.0`, "Edge Windows computer"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/18 Safari/605", "Safari macOS computer"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605 Safari/604", "Safari iPhone phone"],
  ["Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605 CriOS/139.0 Safari/604", "Chrome iPad phone"],
  [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${webkit} Chrome/139.0 Mobile Safari/537.36`, "Chrome Android phone"],
  [
    `Mozilla/5.0 (Linux; Android 14; SM) ${webkit} SamsungBrowser/27.0 Chrome/125.0 Safari/537`,
    "Samsung Internet Android phone",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox Linux computer"],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/139.0 Safari/537.36`, "Chrome ChromeOS computer"],
  ["curl/8.5.0", "curl  program"],
  ["Go-http-client/2.0", "Go-http-client  program"],
  ["", "  unknown"],
])("%s", (text, want) => {
  const { program, system, kind } = parseUserAgent(text);
  expect(`${program} ${system} ${kind}`).toBe(want);
});
