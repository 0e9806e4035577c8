import { isStream, type Request } from "./request";

export function curl(request: Request, origin: string): string {
  const { operation } = request;
  const method = operation.method === "GET" || operation.body?.kind === "form" ? "" : `-X ${operation.method} `;
  const lines = [`curl ${isStream(operation) ? "-N " : ""}${method}${quote(origin + request.url)}`];
  if (operation.secured) lines.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of request.headers) lines.push(`-H ${quote(`${name}: ${value}`)}`);
  if (request.body) lines.push("-H 'Content-Type: application/json'", `-d ${quote(bodyOf(request))}`);
  if (operation.body?.kind === "form") {
    lines.push(`-F session_id=${quote(request.shown("session_id") || "SESSION_ID")}`, "-F file=@timetable.md");
  }
  return lines.join(" \\\n  ");
}

/** Returns the body on one line if it is short. */
function bodyOf({ body, compactBody }: Request): string {
  return compactBody.length < 50 ? compactBody : body.replaceAll("\n", "\n  ");
}

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
