import { formatDate, formatNumber, formatSize, modelName } from "../i18n/index.svelte";
import { say, type TextKey } from "./texts";
import type { Overview } from "./types";

/** Off is something that is not set up and need not be. */
export type State = "fine" | "attention" | "down" | "off";

/** Something of the server that is looked at. */
export interface Check {
  id: string;
  name: string;
  state: State;
  /** How it is. */
  text: string;
  /** What to do about it, unless it is fine. */
  advice?: string;
}

const mebi = 1024 * 1024;
/** Less free space than this needs attention, or stops uploads. Bytes. */
const littleSpace = 1024 * mebi;
const noSpace = 100 * mebi;
/** Longer queues than this need attention. */
const longQueue = 1000;

/** Returns the state of everything that a server consists of, what fails first. builtin is whether it has only the built-in model. */
export function checksOf(overview: Overview, builtin: boolean, now: number): Check[] {
  const checks = [
    ...modelChecks(overview, builtin),
    searchCheck(overview),
    databaseCheck(overview),
    filesCheck(overview),
    queuesCheck(overview),
    ...replicaChecks(overview, now),
    errorsCheck(overview),
    ocrCheck(overview),
    optional("mail", "check.mail", overview.smtp, say("check.mailOn"), "check.mailAdvice"),
    optional("oidc", "check.oidc", overview.oidc !== "", overview.oidc, "check.oidcAdvice"),
  ];
  return checks.sort((a, b) => urgency[b.state] - urgency[a.state]); // otherwise in their order
}

const urgency: Record<State, number> = { down: 2, attention: 1, fine: 0, off: 0 };

/** Returns what a new server still needs: those of the checks that its administrator decides about. */
export function setUpChecks(overview: Overview, builtin: boolean): Check[] {
  const { registration } = overview;
  return [
    ...modelChecks(overview, builtin),
    searchCheck(overview),
    filesCheck(overview),
    {
      id: "registration",
      name: say("setting.registration"),
      state: registration ? "attention" : "fine",
      text: say(registration ? "setUp.open" : "setUp.closed"),
    },
  ];
}

function modelChecks({ models }: Overview, builtin: boolean): Check[] {
  if (builtin) {
    const name = say("check.model");
    return [{ id: "model", name, state: "attention", text: say("check.noModel"), advice: say("check.noModelAdvice") }];
  }
  const checks = models.map((model) => modelCheck(model));
  // Several names for the same model in the same state are one check.
  const texts = [...new Set(checks.map(({ text }) => text))];
  return texts.map((text) => {
    const names = models.filter((_, index) => checks[index]!.text === text).map(({ name }) => modelName(name));
    const check = checks.find((found) => found.text === text)!;
    return { ...check, id: `model-${text}`, name: say("check.models", { names: names.join(say("check.nextName")) }) };
  });
}

function modelCheck({
  model,
  reachable,
  reason,
}: Overview["models"][number]): Pick<Check, "state" | "text" | "advice"> {
  if (reason === "unlisted")
    return { state: "attention", text: say("check.unlisted", { model }), advice: say("check.unlistedAdvice") };
  if (reachable) return { state: "fine", text: say("check.modelFine", { model }) };
  return { state: "down", text: `${model}: ${brokenText(reason)}`, advice: say("check.modelAdvice") };
}

/** Why a model or the search engine does not work, in the words of the API. */
type Reason = Overview["models"][number]["reason"];

const brokenText = (reason: Exclude<Reason, "unlisted"> = "failed") =>
  say("check.broken", { reason: say(`reason.${reason}`) });

function searchCheck({ search: { provider, reachable, reason } }: Overview): Check {
  const about = { id: "search", name: say("check.search") };
  if (!provider) return { ...about, state: "off", text: "", advice: say("check.noSearchAdvice") };
  if (reachable) return { ...about, state: "fine", text: provider };
  return { ...about, state: "down", text: `${provider}: ${brokenText(reason)}`, advice: say("check.searchAdvice") };
}

function databaseCheck({ database: { kind, version, size } }: Overview): Check {
  const parts = [version, kind === "citus" ? "Citus" : "", size > 0 ? formatSize(size) : ""];
  return { id: "database", name: say("check.database"), state: "fine", text: parts.filter(Boolean).join(" · ") };
}

function filesCheck({ files: { kind, used, free } }: Overview): Check {
  const about = { id: "files", name: say("check.files") };
  const size = formatSize(used);
  if (kind === "s3") return { ...about, state: "fine", text: `S3 · ${say("check.used", { size })}` };
  if (free === 0) return { ...about, state: "fine", text: say("check.used", { size }) }; // it is not known
  const text = say("check.folder", { size, free: formatSize(free) });
  if (free >= littleSpace) return { ...about, state: "fine", text };
  return { ...about, state: free < noSpace ? "down" : "attention", text, advice: say("check.spaceAdvice") };
}

function queuesCheck({ queues: { index, replies, imports } }: Overview): Check {
  const isLong = Math.max(index, replies, imports) > longQueue;
  return {
    id: "queues",
    name: say("check.queues"),
    state: isLong ? "attention" : "fine",
    text: say("check.queuesText", {
      index: formatNumber(index),
      replies: formatNumber(replies),
      imports: formatNumber(imports),
    }),
    advice: isLong ? say("check.queuesAdvice") : undefined,
  };
}

function replicaChecks({ replicas }: Overview, now: number): Check[] {
  return replicas.map(({ id, lease_until, self }) => {
    const isAlive = lease_until * 1000 > now;
    return {
      id: `replica-${id}`,
      name: say(self ? "check.thisReplica" : "check.replica"),
      state: isAlive ? "fine" : "attention",
      text: say(isAlive ? "check.lease" : "check.leaseEnded", { id, when: formatDate(lease_until) }),
      advice: isAlive ? undefined : say("check.leaseAdvice"),
    };
  });
}

/** The codes of errors that the server is the cause of. */
const ownErrors: Record<number, TextKey> = { 5000: "code.5000", 5001: "code.5001", 5002: "code.5002" };
const otherErrors: Record<number, TextKey> = {
  1001: "code.1001",
  1002: "code.1002",
  1003: "code.1003",
  1004: "code.1004",
  1005: "code.1005",
  1006: "code.1006",
  2001: "code.2001",
  2002: "code.2002",
  2003: "code.2003",
  2004: "code.2004",
  2005: "code.2005",
  3001: "code.3001",
  3002: "code.3002",
};

function errorsCheck({ errors }: Overview): Check {
  const about = { id: "errors", name: say("check.errors") };
  if (errors.length === 0) return { ...about, state: "fine", text: say("check.noErrors") };
  const describe = ({ code, count }: { code: number; count: number }) => {
    const key = ownErrors[code] ?? otherErrors[code];
    return say("check.errorCount", { what: key ? say(key) : String(code), count });
  };
  const isOwn = errors.some(({ code }) => code in ownErrors);
  return {
    ...about,
    state: isOwn ? "attention" : "fine",
    text: errors.map(describe).join(" · "),
    advice: isOwn ? say("check.errorsAdvice") : undefined,
  };
}

function ocrCheck({ ocr: { available, languages } }: Overview): Check {
  return optional("ocr", "check.ocr", available, languages.join(", "), "check.ocrAdvice");
}

function optional(id: string, name: TextKey, on: boolean, text: string, advice: TextKey): Check {
  if (on) return { id, name: say(name), state: "fine", text };
  return { id, name: say(name), state: "off", text: "", advice: say(advice) };
}

/** Returns the worst state of all, for the heading. What is off does not count. */
export function worstOf(checks: Check[]): State {
  if (checks.some(({ state }) => state === "down")) return "down";
  return checks.some(({ state }) => state === "attention") ? "attention" : "fine";
}
