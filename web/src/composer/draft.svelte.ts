const prefix = "parley.draft.";

/** Returns the key of a session's draft. Further drafts of the session have keys that begin with it and a period. */
export const keyOf = (userId: number, sessionId: string | null) => `${prefix}${userId}.${sessionId ?? "new"}`;

/** Stores a text in this browser, or removes it if it is empty. */
export function store(key: string, content: string): void {
  try {
    if (content) localStorage.setItem(key, content);
    else localStorage.removeItem(key);
  } catch (error) {
    console.warn("draft", error); // the storage is full; the text is still on the page
  }
}

/** What is stored of a draft. */
interface Stored {
  /** The text of the composer. */
  text: string;
  /** Questions that were sent, and that the server does not have. */
  unsent: string[];
}

const join = (parts: string[]) => parts.filter((part) => part !== "").join("\n\n");

/**
 * What a user has written in a session and the server does not have: the text of the composer, and questions that are
 * on their way or have failed. It is stored in this browser, so that it survives a reload, a crash and a new login.
 */
export class Draft {
  text = $state("");
  /** Questions that left the composer. They are on the page. */
  #unsent: string[] = [];
  /** Questions that were found unsent. They are in the composer again. */
  #found: string[] = [];
  /** The user whose draft was read. */
  #reader = 0;
  #sessionId: string | null;
  readonly #userId: () => number;

  /** The user's id is 0 while it is not known. */
  constructor(sessionId: string | null, userId: () => number) {
    this.#sessionId = sessionId;
    this.#userId = userId;
  }

  /** Reads what is stored, as soon as the user is known. */
  open(): void {
    const userId = this.#userId();
    if (!userId || userId === this.#reader) return;
    this.#reader = userId;
    const { text, unsent } = parse(localStorage.getItem(this.#key));
    this.#found = unsent;
    const typed = this.text !== "";
    this.text = join([...unsent, text, this.text]);
    if (typed) this.#store();
  }

  write(text: string): void {
    this.text = text;
    this.#store();
  }

  /** Takes the text out of the composer. It stays stored until it is released. */
  take(): string {
    const question = this.text;
    this.text = "";
    this.hold(question);
    return question;
  }

  /** Stores a question that the server does not have. */
  hold(question: string): void {
    this.#unsent.push(question);
    this.#store();
  }

  /** Removes a question that the server has, or that the user has discarded. */
  release(question: string): void {
    const at = this.#unsent.indexOf(question);
    if (at >= 0) this.#unsent.splice(at, 1);
    this.#store();
  }

  /** Takes a question out of the composer that was found unsent, although the server had received it. */
  settle(question: string): void {
    const all = join(this.#found);
    this.#found = this.#found.filter((found) => found !== question);
    if (join(this.#found) !== all && this.text.startsWith(all)) {
      this.write(join([...this.#found, this.text.slice(all.length).trimStart()]));
    }
  }

  /** Moves the draft to another session, after what is written there. */
  moveTo(sessionId: string | null): void {
    if (this.#userId()) localStorage.removeItem(this.#key);
    this.#sessionId = sessionId;
    const there = this.#userId() ? parse(localStorage.getItem(this.#key)) : { text: "", unsent: [] };
    this.text = join([...there.unsent, there.text, this.text]);
    this.#store();
  }

  /** Follows another tab that shows the same draft. */
  follow({ key, oldValue, newValue }: StorageEvent): void {
    const before = parse(oldValue);
    const same = this.#unsent.length === 0 && this.text === join([...before.unsent, before.text]);
    if (key !== this.#key || !same) return;
    const { text, unsent } = parse(newValue);
    this.#found = unsent;
    this.text = join([...unsent, text]);
  }

  get #key(): string {
    return keyOf(this.#userId(), this.#sessionId);
  }

  #content(): string {
    if (this.#unsent.length === 0 && this.text === "") return "";
    return JSON.stringify({ text: this.text, unsent: this.#unsent } satisfies Stored);
  }

  #store(): void {
    if (this.#userId()) store(this.#key, this.#content());
  }
}

function parse(content: string | null): Stored {
  try {
    const { text = "", unsent = [] } = JSON.parse(content ?? "{}") as Partial<Stored>;
    return { text, unsent };
  } catch {
    return { text: "", unsent: [] };
  }
}

/** Removes the drafts of a deleted session. */
export function forgetDraft(userId: number, sessionId: string): void {
  const key = keyOf(userId, sessionId);
  localStorage.removeItem(key);
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(`${key}.`)) localStorage.removeItem(name);
  }
}
