import { ApiError, code } from "../api/call";
import { type Language, preferences } from "../shared/preferences.svelte";
import { en, type Key } from "./en";
import { chooseForm, type Text } from "./plural";
import { zh } from "./zh";

export function language(): Language {
  return preferences.language ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
}

/**
 * Returns a function that returns one of the texts in the user's language, in the plural form of {count}, with its
 * {placeholders} replaced by values.
 */
export function translator<K extends string>(texts: Record<Language, Record<K, Text>>) {
  return (key: K, values: Record<string, string | number> = {}): string => {
    const text = chooseForm(texts[language()][key], Number(values.count), language());
    return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
  };
}

export const t = translator<Key>({ en, zh });

/** Describes an error and what to do. The server's message is in the user's language: see acceptLanguage. */
export function describe(error: unknown): string {
  if (!(error instanceof ApiError)) return t("error.page");
  const what = t(errorKey(error), { message: error.message });
  return error.retryAfter > 0 ? t("error.wait", { what, time: formatTime(error.retryAfter) }) : what;
}

function errorKey(error: ApiError): Key {
  if (error.code === code.internal && error.status === 503) return "error.busy";
  const { code: number, status, reason } = error;
  const keys = [`error.${number}.${reason}`, `error.${number}.${status}`, `error.${number}`] as Key[];
  return keys.find((key) => key in en) ?? `error.${code.internal}`;
}

/** Returns the display name of a model. The models of the contract have one in each language. */
export function modelName(name: string): string {
  if (name === "基础模型") return t("model.basic");
  if (name === "增强模型") return t("model.enhanced");
  return name === "default" ? t("model.default") : name;
}

export function formatNumber(number: number): string {
  return new Intl.NumberFormat(language()).format(number);
}

/** Returns a part from 0 to 1 in percent, rounded down. */
export function formatPercent(part: number): string {
  return new Intl.NumberFormat(language(), { style: "percent" }).format(Math.floor(part * 100) / 100);
}

/** Returns the time of day. */
export function formatClock(seconds: number): string {
  return new Intl.DateTimeFormat(language(), { timeStyle: "short" }).format(seconds * 1000);
}

export function formatDate(seconds: number): string {
  return new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).format(seconds * 1000);
}

/** Returns a day such as 2026-01-31, which is one of UTC, as people write it. */
export function formatDay(day: string): string {
  return new Intl.DateTimeFormat(language(), { month: "short", day: "numeric", timeZone: "UTC" }).format(new Date(day));
}

/** Returns an amount of money. Small amounts have more digits. */
export function formatCost(amount: number, currency: string): string {
  const maximumFractionDigits = amount < 1 ? 4 : 2;
  return new Intl.NumberFormat(language(), { style: "currency", currency, maximumFractionDigits }).format(amount);
}

/** Returns how long ago a time was, in a few characters; beyond a week the date. */
export function formatAge(seconds: number, now = Date.now()): string {
  const minutes = Math.floor((now / 1000 - seconds) / 60);
  if (minutes < 1) return t("time.now");
  if (minutes < 60) return formatUnit(minutes, "minute");
  if (minutes < 24 * 60) return formatUnit(Math.floor(minutes / 60), "hour");
  if (minutes < 7 * 24 * 60) return formatUnit(Math.floor(minutes / 24 / 60), "day");
  const sameYear = new Date(seconds * 1000).getFullYear() === new Date(now).getFullYear();
  const year = sameYear ? undefined : "numeric";
  return new Intl.DateTimeFormat(language(), { year, month: "short", day: "numeric" }).format(seconds * 1000);
}

/** Returns how long ago a time was, in words: "yesterday", "3 hours ago". */
export function formatRelative(seconds: number, now = Date.now()): string {
  const minutes = Math.floor((now / 1000 - seconds) / 60);
  const [count, unit]: [number, Intl.RelativeTimeFormatUnit] =
    minutes < 60
      ? [minutes, "minute"]
      : minutes < 24 * 60
        ? [Math.floor(minutes / 60), "hour"]
        : [Math.floor(minutes / 24 / 60), "day"];
  if (count < 1) return t("time.justNow");
  return new Intl.RelativeTimeFormat(language(), { numeric: "auto" }).format(-count, unit);
}

const formatUnit = (count: number, unit: string) =>
  new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay: "narrow" }).format(count);

export function formatTime(seconds: number, unitDisplay: "long" | "narrow" = "long"): string {
  const minutes = Math.ceil(seconds / 60);
  const [unit, count] =
    seconds < 120 ? ["second", seconds] : minutes < 120 ? ["minute", minutes] : ["hour", Math.ceil(minutes / 60)];
  return new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay }).format(count);
}

export function formatMonth(year: number, month: number): string {
  return new Intl.DateTimeFormat(language(), { year: "numeric", month: "long" }).format(new Date(year, month, 1));
}

export function formatSize(bytes: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
  const step = Math.min(units.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1000)));
  return new Intl.NumberFormat(language(), {
    style: "unit",
    unit: units[step],
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: step > 1 ? 1 : 0,
  }).format(bytes / 1000 ** step);
}
