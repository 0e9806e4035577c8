import type { Operation } from "../document";
import { isJson, isStream, type Request } from "./request";

export function javascript(request: Request, origin: string): string {
  const { operation } = request;
  const isForm = operation.body?.kind === "form";
  const headers = [
    ...(operation.secured ? ["Authorization: `Bearer ${token}`"] : []),
    ...request.headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ...(request.body ? ['"Content-Type": "application/json"'] : []),
  ];
  const options = [
    ...(operation.method === "GET" ? [] : [`method: "${operation.method}",`]),
    ...(headers.length > 0 ? [`headers: {\n    ${headers.join(",\n    ")},\n  },`] : []),
    ...(request.body ? [`body: JSON.stringify(${request.body.replaceAll("\n", "\n  ")}),`] : []),
    ...(isForm ? ["body: form,"] : []),
  ];
  const form = [
    "const form = new FormData();",
    `form.append("session_id", ${JSON.stringify(request.shown("session_id") || "SESSION_ID")});`,
    'form.append("file", file, "timetable.md");\n',
  ].join("\n");
  return [
    isForm ? form : "",
    `const response = await fetch(${JSON.stringify(origin + request.url)}, {\n  ${options.join("\n  ")}\n});\n`,
    reading(operation),
  ].join("");
}

function reading(operation: Operation): string {
  if (isStream(operation)) {
    return [
      "const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();",
      "for (;;) {",
      "  const { done, value } = await reader.read();",
      "  if (done) break;",
      "  console.log(value);",
      "}",
    ].join("\n");
  }
  if (!isJson(operation)) return "const bytes = await response.arrayBuffer();";
  return "const { error, body, message } = await response.json();\nif (error !== 0) throw new Error(message);";
}
