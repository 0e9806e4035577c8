import { client, code } from "../api/call";
import { call, CallError } from "./api";
import { type Draft, isId } from "./draft.svelte";
import { trial } from "./trial.svelte";

interface Material {
  session?: string;
  message?: string;
  favorite?: string;
  file?: string;
  picture?: string;
  share?: string;
  key?: string;
  import?: string;
  prompt?: string;
  /** A reply that is the last of the session and can be continued. */
  stopped?: string;
}

/** What an operation needs besides the inputs that its names tell. */
const needs: Record<string, keyof Material> = {
  clearSession: "message",
  exportSession: "message",
  listMessages: "message",
  regenerate: "message",
  continueReply: "stopped",
  removeFavorite: "favorite",
  shareSession: "message",
};

/** What an operation removes, or changes so that it is of no use. */
const removes: Record<string, (keyof Material)[]> = {
  deleteSession: ["session", "message", "favorite", "file", "picture", "share", "stopped"],
  clearSession: ["message", "favorite", "stopped"],
  continueReply: ["stopped"],
  regenerate: ["stopped"],
  send: ["stopped"],
  stream: ["stopped"],
  removeFavorite: ["favorite"],
  deleteFile: ["file"],
  deleteShare: ["share"],
  deleteKey: ["key"],
  deletePrompt: ["prompt"],
};

/** A session as it is exported, to be imported. */
const sampleExport = {
  session_id: "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10",
  title: "Holiday plans",
  created_at: 1767225600,
  exported_at: 1767229200,
  messages: [
    { id: "1", role: "user", content: "Which ferry goes to Capri?", timestamp: 1767225600 },
    { id: "2", role: "assistant", content: "The hydrofoil from Naples.", timestamp: 1767225601 },
  ],
};

/** An input that only the user can give. */
export class MissingInput extends Error {}

/** Operations whose `password` is the one of the account. */
const asksForPassword = new Set(["deleteUser", "setUpSecondFactor", "removeSecondFactor"]);

/** Makes what requests need: a session, a reply, a favorite, a file or a login. Each is made once per account. */
export class Workbench {
  #token: string | null = null;
  #made: Material = {};

  /** Fills in the inputs of a request that are empty, and makes what they name. */
  async prepare(draft: Draft, token: string | null): Promise<void> {
    if (token !== this.#token) this.#made = {};
    this.#token = token;
    await this.#fillAccount(draft);
    const need = needs[draft.operation.id];
    const isOwn = draft.inputs.every(({ name }) => !isId(name) || draft.isOpen(name));
    if (need && isOwn) await this.#make(need);
    for (const { name } of draft.inputs) {
      if (isId(name) && draft.isOpen(name)) draft.fill(name, await this.#id(name, draft));
    }
    if (draft.json !== null) return;
    // An account without a password would be deleted by one click.
    const confirms = draft.operation.id === "deleteUser";
    const missing = draft.inputs.find(
      ({ name, required, schema }) => (required || confirms) && schema.format !== "binary" && !draft.values[name],
    );
    if (missing) throw new MissingInput(missing.name);
  }

  /** Forgets what an operation removed. */
  after(draft: Draft): void {
    for (const kind of removes[draft.operation.id] ?? []) delete this.#made[kind];
  }

  /** Deletes what was made. The request continues after the page is left. */
  end(): void {
    const { session, prompt } = this.#made;
    if (this.#token === trial.token) return; // a trial account is deleted as a whole
    this.#made = {};
    const headers = { Authorization: `Bearer ${this.#token}` };
    const remove = (path: string) => void fetch(path, { method: "DELETE", headers, keepalive: true }).catch(() => {});
    if (session) remove(`/api/chat/session/${session}`);
    if (prompt) remove(`/api/prompts/${prompt}`);
  }

  async #fillAccount(draft: Draft): Promise<void> {
    const { id } = draft.operation;
    const fill = (values: Record<string, string>) => {
      for (const [name, value] of Object.entries(values)) if (draft.isOpen(name)) draft.fill(name, value);
    };
    if (id === "register") return fill(trial.suggest());
    if (id === "requestReset" && draft.isOpen("email")) {
      await trial.start();
      return fill({ email: trial.email });
    }
    if (id === "login" && draft.isOpen("email") && draft.isOpen("password")) await trial.start();
    if (!trial.token || (id !== "login" && this.#token !== trial.token)) return;
    if (id === "login") fill({ email: trial.email, password: trial.password });
    if (id === "changePassword") fill({ old_password: trial.password });
    if (asksForPassword.has(id)) fill({ password: trial.password });
  }

  #id(name: string, draft: Draft): Promise<string> | string {
    if (name === "session_id") return this.#make("session");
    if (name === "message_id") return this.#make("message");
    if (name === "file_id") return this.#make(draft.operation.id === "showPicture" ? "picture" : "file");
    if (name === "share_id") return this.#make("share");
    if (name === "key_id") return this.#make("key");
    if (name === "import_id") return this.#make("import");
    if (name === "prompt_id") return this.#make("prompt");
    if (name === "token_id") return this.#anotherLogin();
    return draft.values[name] ?? "";
  }

  async #make(kind: keyof Material): Promise<string> {
    return (this.#made[kind] ??= await {
      session: () => this.#createSession(),
      message: () => this.#sendMessage(),
      favorite: () => this.#addFavorite(),
      file: () => this.#uploadFile(sampleFile("uploadFile")),
      picture: async () => this.#uploadFile(await samplePicture()),
      share: () => this.#share(),
      key: () => this.#createKey(),
      import: () => this.#import(),
      prompt: () => this.#createPrompt(),
      stopped: () => this.#stopReply(),
    }[kind]());
  }

  async #createSession(): Promise<string> {
    const input = { title: "Holiday plans" };
    return (await this.#call<{ session_id: string }>("POST", "/api/chat/session", input)).session_id;
  }

  async #sendMessage(): Promise<string> {
    const input = { session_id: await this.#make("session"), content: "Which ferry goes to Capri?" };
    return (await this.#call<{ ai_response: { id: string } }>("POST", "/api/chat/send", input)).ai_response.id;
  }

  /** Sends a message and stops its reply after the first word. A fast model may be done by then. */
  async #stopReply(): Promise<string> {
    const input = { session_id: await this.#make("session"), content: "Tell me about every island in the gulf." };
    const user = client.withToken(this.#token);
    const stream = user.stream(input);
    for await (const { name } of stream) if (name === "delta") await user.stop(stream.messageId);
    return stream.messageId;
  }

  async #addFavorite(): Promise<string> {
    const input = { message_id: await this.#make("message"), session_id: await this.#make("session") };
    return (await this.#call<{ favorite_id: string }>("POST", "/api/favorites/add", input)).favorite_id;
  }

  async #uploadFile(file: File): Promise<string> {
    const form = new FormData();
    form.append("session_id", await this.#make("session"));
    form.append("file", file);
    return (await this.#call<{ file_id: string }>("POST", "/api/files/upload", form)).file_id;
  }

  async #share(): Promise<string> {
    await this.#make("message");
    const path = `/api/chat/session/${await this.#make("session")}/share`;
    return (await this.#call<{ share_id: string }>("POST", path, {})).share_id;
  }

  async #createKey(): Promise<string> {
    const input = { name: "Holiday plans", scopes: ["read"], expires_in: 3600 };
    return (await this.#call<{ key_id: string }>("POST", "/api/user/keys", input)).key_id;
  }

  async #createPrompt(): Promise<string> {
    const input = { name: "Holiday plans", text: "Plan a day in {{place}}." };
    return (await this.#call<{ prompt_id: string }>("POST", "/api/prompts", input)).prompt_id;
  }

  /** Starts an import. If one is in progress, it waits for it. */
  async #import(): Promise<string> {
    const form = new FormData();
    form.append("file", sampleFile("startImport"));
    for (let left = 20; ; left--) {
      try {
        return (await this.#call<{ import_id: string }>("POST", "/api/import", form)).import_id;
      } catch (error) {
        if (left === 0 || !(error instanceof CallError) || error.code !== code.tooManyAttempts) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  /** Returns a login other than the one in use. For a trial account it makes one. */
  async #anotherLogin(): Promise<string> {
    if (this.#token === trial.token) {
      await call("POST", "/api/auth/login", null, { email: trial.email, password: trial.password });
    }
    const { tokens } = await this.#call<{ tokens: { id: string; current: boolean }[] }>("GET", "/api/user/tokens");
    return tokens.find(({ current }) => !current)?.id ?? "";
  }

  #call<T>(method: string, path: string, body?: Record<string, unknown> | FormData): Promise<T> {
    return call<T>(method, path, this.#token, body);
  }
}

/** Returns the file that an operation uploads if the user chooses none. */
export function sampleFile(operation: string): File {
  if (operation === "startImport") return new File([JSON.stringify(sampleExport)], "export.json");
  return new File(["# Ferries\n\nNaples 09:00, Capri 09:50\n"], "timetable.md", { type: "text/markdown" });
}

export const workbench = new Workbench();

/** A small drawing. */
async function samplePicture(): Promise<File> {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = "teal";
  pen.fillRect(16, 16, 32, 32);
  const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  return new File([drawn!], "island.png", { type: "image/png" });
}
