/** The program behind a login, from its User-Agent. system is empty for programs other than browsers. */
export interface Device {
  program: string;
  system: string;
  kind: "computer" | "phone" | "program" | "unknown";
}

// The first match counts: most browsers name those that they resemble as well.
const browsers: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS|HeadlessChrome|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems: [RegExp, string, Device["kind"]][] = [
  [/\biPhone\b/, "iPhone", "phone"],
  [/\biPad\b/, "iPad", "phone"],
  [/\bAndroid\b/, "Android", "phone"],
  [/\bHarmonyOS\b/, "HarmonyOS", "phone"],
  [/\bCrOS\b/, "ChromeOS", "computer"],
  [/\bWindows\b/, "Windows", "computer"],
  [/\bMac(intosh| OS X)\b/, "macOS", "computer"],
  [/\bLinux\b/, "Linux", "computer"],
];

export function parseUserAgent(text: string): Device {
  const [, program] = browsers.find(([pattern]) => pattern.test(text)) ?? [];
  const [, system, kind] = systems.find(([pattern]) => pattern.test(text)) ?? [];
  if (program && system && kind) return { program, system, kind };
  // Other programs begin with their name: curl/8.5.0.
  const name = /^[^\s/;()]+/.exec(text.trim())?.[0] ?? "";
  return { program: program ?? name, system: "", kind: name ? "program" : "unknown" };
}
