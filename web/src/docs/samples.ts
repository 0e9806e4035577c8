import type { Operation } from "./document";

export const sampleLanguages = { curl: "curl", javascript: "JavaScript", go: "Go" } as const;
export type SampleLanguage = keyof typeof sampleLanguages;

/** The request that a sample shows. A Draft is one. */
export interface Request {
  operation: Operation;
  url: string;
  headers: [string, string][];
  body: string;
  compactBody: string;
  parameters: Record<string, string>;
}

/** Returns the code that makes a request, with the token in a variable. */
export function sample(language: SampleLanguage, request: Request, origin: string): string {
  return { curl, javascript, go }[language](request, origin);
}

function curl(request: Request, origin: string): string {
  const { operation } = request;
  const lines = [`curl ${operation.method === "GET" ? "" : `-X ${operation.method} `}${shell(origin + request.url)}`];
  if (isStream(operation)) lines[0] = lines[0]!.replace("curl ", "curl -N ");
  if (operation.secured) lines.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of request.headers) lines.push(`-H ${shell(`${name}: ${value}`)}`);
  if (operation.body?.kind === "json") {
    lines.push("-H 'Content-Type: application/json'", `-d ${shell(request.compactBody)}`);
  }
  if (operation.body?.kind === "form") {
    lines.push(`-F session_id=${shell(sessionOf(request))}`, "-F file=@document.pdf");
  }
  return lines.join(" \\\n  ");
}

function javascript(request: Request, origin: string): string {
  const { operation } = request;
  const headers = [
    ...(operation.secured ? ["Authorization: `Bearer ${token}`"] : []),
    ...request.headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ...(operation.body?.kind === "json" ? ['"Content-Type": "application/json"'] : []),
  ];
  const options = [
    `method: "${operation.method}",`,
    ...(headers.length > 0 ? [`headers: { ${headers.join(", ")} },`] : []),
    ...(operation.body?.kind === "json" ? [`body: JSON.stringify(${indent(request.body, "  ")}),`] : []),
    ...(operation.body?.kind === "form" ? ["body: form,"] : []),
  ];
  const form = [
    "const form = new FormData();",
    `form.append("session_id", ${JSON.stringify(sessionOf(request))});`,
    'form.append("file", input.files[0]);\n',
  ].join("\n");
  return [
    operation.body?.kind === "form" ? form : "",
    `const response = await fetch(${JSON.stringify(origin + request.url)}, {\n  ${options.join("\n  ")}\n});\n`,
    javascriptReading(operation),
  ].join("");
}

function javascriptReading(operation: Operation): string {
  if (isStream(operation)) {
    return [
      "const decoder = new TextDecoder();",
      "for await (const chunk of response.body) {",
      "  console.log(decoder.decode(chunk, { stream: true }));",
      "}",
    ].join("\n");
  }
  if (!isJson(operation)) return "const bytes = await response.arrayBuffer();";
  return "const { error, body, message } = await response.json();\nif (error !== 0) throw new Error(message);";
}

function go(request: Request, origin: string): string {
  const { operation } = request;
  const lines: string[] = [];
  let body = "nil";
  if (operation.body?.kind === "json") {
    lines.push(`body := strings.NewReader(${goString(request.compactBody)})`);
    body = "body";
  }
  if (operation.body?.kind === "form") {
    lines.push(
      "var body bytes.Buffer",
      "form := multipart.NewWriter(&body)",
      `_ = form.WriteField("session_id", ${JSON.stringify(sessionOf(request))})`,
      'part, _ := form.CreateFormFile("file", "document.pdf")',
      "_, _ = io.Copy(part, document)",
      "_ = form.Close()",
    );
    body = "&body";
  }
  const url = JSON.stringify(origin + request.url);
  lines.push(
    `req, err := http.NewRequestWithContext(ctx, ${JSON.stringify(operation.method)}, ${url}, ${body})`,
    "if err != nil {\n\treturn err\n}",
  );
  if (operation.secured) lines.push('req.Header.Set("Authorization", "Bearer "+token)');
  for (const [name, value] of request.headers) {
    lines.push(`req.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})`);
  }
  if (operation.body?.kind === "json") lines.push('req.Header.Set("Content-Type", "application/json")');
  if (operation.body?.kind === "form") lines.push('req.Header.Set("Content-Type", form.FormDataContentType())');
  lines.push("res, err := http.DefaultClient.Do(req)", "if err != nil {\n\treturn err\n}", "defer res.Body.Close()");
  return lines.join("\n");
}

export const isStream = (operation: Operation) => operation.responses[0]?.type === "text/event-stream";
const isJson = (operation: Operation) => operation.responses[0]?.type === "application/json";

const sessionOf = (request: Request) => request.parameters.session_id || "SESSION_ID";
const shell = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const goString = (text: string) => (text.includes("`") ? JSON.stringify(text) : `\`${text}\``);
const indent = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);
