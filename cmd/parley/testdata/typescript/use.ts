// Shows that the types of the installed package fit its use. It is only compiled.
import { ApiError, Client, ErrorCode, type Message, type ReplyEvent, type SendOutput } from "@parley/client";
import type { ReadingProgress } from "@parley/client";

const client = new Client("http://127.0.0.1:8080", { token: null, headers: { "Accept-Language": "zh" } });

export async function ask(content: string, signal: AbortSignal): Promise<string> {
  const { session_id } = await client.createSession({}, { signal });
  const stream = client.stream({ session_id, content, web_search: true }, { signal, retries: 3 });
  let text = "";
  for await (const event of stream) text = apply(text, event);
  return text;
}

function apply(text: string, event: ReplyEvent): string {
  switch (event.name) {
    case "delta":
      return text + event.data.text;
    case "done":
      return event.data.ai_response.content;
    case "restart":
      return "";
    case "sources":
      return text + event.data.results.map(({ url }) => url).join();
    default:
      return text;
  }
}

export async function history(sessionId: string): Promise<Message[]> {
  const { messages, total } = await client.messages(sessionId, { page: 1, page_size: 50 });
  return total > 0 ? messages : [];
}

export async function replace(sessionId: string): Promise<SendOutput | undefined> {
  try {
    return await client.regenerate(sessionId, { deep_thinking: true });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== ErrorCode.aiUnavailable) throw error;
    return error.late && (await client.follow(error.late.ai_response.id).wait());
  }
}

export async function copy(sessionId: string, fileId: string): Promise<number> {
  const download = await client.download(fileId);
  const file = Object.assign(await download.blob(), { name: download.filename });
  const onReading = ({ page, pages }: ReadingProgress) => console.log(`page ${page} of ${pages}`);
  return (await client.upload(sessionId, file, { onProgress: (part) => part.toFixed(2), onReading })).file_size;
}

export function mistakes(): void {
  // @ts-expect-error: the password is missing
  void client.login({ email: "ada@example.com" });
  // @ts-expect-error: a field is misspelled
  void client.send({ session_id: "s", content: "?", websearch: true });
  // @ts-expect-error: a page is a number
  void client.sessions({ page: "1" });
  // @ts-expect-error: there is no such event
  const event: ReplyEvent["name"] = "end";
  void event;
}
