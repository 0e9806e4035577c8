import type { Operation } from "../document";
import { isJson, isStream, type Request } from "./request";

/** Python with its standard library. */
export function python(request: Request, origin: string): string {
  const { operation } = request;
  const isForm = operation.body?.kind === "form";
  const headers = [
    ...(operation.secured ? ['"Authorization": f"Bearer {token}"'] : []),
    ...request.headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ...(request.body ? ['"Content-Type": "application/json"'] : []),
    ...(isForm ? ['"Content-Type": f"multipart/form-data; boundary={boundary}"'] : []),
  ];
  const options = [
    JSON.stringify(origin + request.url),
    ...(operation.method === "GET" ? [] : [`method="${operation.method}"`]),
    ...(headers.length > 0 ? [`headers={\n        ${headers.join(",\n        ")},\n    }`] : []),
    ...(request.body ? [`data=json.dumps(${literal(request.body, "    ")}).encode()`] : []),
    ...(isForm ? ["data=form"] : []),
  ];
  return [
    ...(request.body || isJson(operation) ? ["import json"] : []),
    "import urllib.request",
    ...(isForm ? ["import uuid"] : []),
    "",
    ...(isForm ? form(request) : []),
    "request = urllib.request.Request(",
    ...options.map((option) => `    ${option},`),
    ")",
    "with urllib.request.urlopen(request) as response:",
    ...reading(operation),
  ].join("\n");
}

function reading(operation: Operation): string[] {
  if (isStream(operation)) return ["    for line in response:", "        print(line.decode(), end='')"];
  return isJson(operation) ? ['    body = json.load(response).get("body")'] : ["    content = response.read()"];
}

function form(request: Request): string[] {
  const session = request.shown("session_id") || "SESSION_ID";
  return [
    "boundary = uuid.uuid4().hex",
    "form = (",
    `    f'--{boundary}\\r\\nContent-Disposition: form-data; name="session_id"\\r\\n\\r\\n${session}\\r\\n'`,
    `    f'--{boundary}\\r\\nContent-Disposition: form-data; name="file"; filename="timetable.md"\\r\\n\\r\\n'`,
    "    f'{document}\\r\\n--{boundary}--\\r\\n'",
    ").encode()",
    "",
  ];
}

/** Converts JSON to Python. A body that is not JSON is shown as it is. */
function literal(json: string, indent: string): string {
  try {
    return value(JSON.parse(json), indent);
  } catch {
    return json;
  }
}

function value(of: unknown, indent: string): string {
  if (of === null) return "None";
  if (typeof of === "boolean") return of ? "True" : "False";
  if (typeof of !== "object") return JSON.stringify(of);
  const inner = `${indent}    `;
  const isList = Array.isArray(of);
  const lines = Object.entries(of).map(
    ([name, entry]) => `${inner}${isList ? "" : `${JSON.stringify(name)}: `}${value(entry, inner)},\n`,
  );
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return lines.length > 0 ? `${open}\n${lines.join("")}${indent}${close}` : open + close;
}
