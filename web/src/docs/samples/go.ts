import type { Request } from "./request";

/** Go with its standard library, as the body of a function that returns an error. */
export function go(request: Request, origin: string): string {
  const { operation } = request;
  const isForm = operation.body?.kind === "form";
  const lines: string[] = [];
  let body = "nil";
  if (request.body) {
    lines.push(`body := strings.NewReader(${goString(request.compactBody)})`);
    body = "body";
  }
  if (isForm) {
    lines.push(
      "var body bytes.Buffer",
      "form := multipart.NewWriter(&body)",
      `_ = form.WriteField("session_id", ${JSON.stringify(request.shown("session_id") || "SESSION_ID")})`,
      'part, _ := form.CreateFormFile("file", "timetable.md")',
      "_, _ = io.Copy(part, file)",
      "_ = form.Close()",
    );
    body = "&body";
  }
  const url = JSON.stringify(origin + request.url);
  lines.push(
    `req, err := http.NewRequestWithContext(ctx, ${JSON.stringify(operation.method)},\n\t${url}, ${body})`,
    "if err != nil {\n\treturn err\n}",
  );
  if (operation.secured) lines.push('req.Header.Set("Authorization", "Bearer "+token)');
  for (const [name, value] of request.headers) {
    lines.push(`req.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})`);
  }
  if (request.body) lines.push('req.Header.Set("Content-Type", "application/json")');
  if (isForm) lines.push('req.Header.Set("Content-Type", form.FormDataContentType())');
  lines.push("res, err := http.DefaultClient.Do(req)", "if err != nil {\n\treturn err\n}", "defer res.Body.Close()");
  return lines.join("\n");
}

const goString = (text: string) => (text.includes("`") ? JSON.stringify(text) : `\`${text}\``);
