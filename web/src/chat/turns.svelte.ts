import * as operations from "../api/operations";
import { regenerate } from "../api/regenerate";
import { continueReply, follow, sendMessage } from "../api/reply";
import type { ReplyOptions } from "../api/types";
import type { Draft } from "../composer/draft.svelte";
import type { Edits } from "./edits.svelte";
import { Entry, type MessageIds, ReplyWriter } from "./entry.svelte";
import type { UserState } from "../user-state.svelte";
import type { Transcript } from "./transcript.svelte";

interface Hooks {
  started?: (ids: MessageIds) => void;
  failed: (error: unknown) => Promise<void>;
}

/** What turns need of the conversation that they are part of. */
export interface Surroundings {
  /** Returns the session's id. Creates the session for a message if there is none yet. */
  ensureSession(): Promise<string>;
  /** Reads again what may have changed elsewhere. */
  refresh(): Promise<void>;
  /** Loads the end of the session, unless it is on the page. */
  openEnd(): Promise<void>;
  /** Called after a turn that has failed. */
  failed(): void;
  /** Called after a complete reply. */
  replied(): void;
}

/** The turns of a session: sends questions, and puts their replies on the page while they are generated. */
export class Turns {
  /** The message to scroll to. */
  revealed: { number: number } | null = $state.raw(null);
  /** Whether the last turn has failed. */
  failed = false;
  /** Whether to stop the pending reply as soon as its id is known. */
  #stopRequested = false;

  /** The signal ends all requests. The server goes on with its reply. */
  constructor(
    private readonly transcript: Transcript,
    private readonly draft: Draft,
    private readonly edits: Edits,
    private readonly surroundings: Surroundings,
    private readonly user: Pick<UserState, "changes" | "deletions" | "quota">,
    private readonly signal: AbortSignal,
  ) {}

  /** Sends a message that is unsent in the draft. If that fails, the message stays on the page with the error. */
  async send(content: string, options: ReplyOptions): Promise<void> {
    await this.surroundings.openEnd();
    const question = Entry.local("user", content, "sending");
    const reply = Entry.local("assistant", "", "pending");
    this.transcript.push(question, reply);
    await this.#ask(question, reply, options, {
      started: () => this.draft.release(content),
      failed: (error) => this.#fail(question, reply, error),
    });
  }

  /** Sends a question in place of another one. If that fails, the messages are as before, and it is being changed. */
  async edit(old: Entry, content: string, options: ReplyOptions): Promise<void> {
    const { stretch, total } = this.transcript;
    const { id, versions = 1 } = old.message;
    if (this.transcript.live || !this.transcript.stored.includes(old)) return;
    const question = Entry.local("user", content, "sending");
    question.message.version = question.message.versions = versions + 1;
    const reply = Entry.local("assistant", "", "pending");
    this.transcript.total = this.transcript.numberOf(old) - 1;
    const kept = this.transcript.entries.filter(
      (entry, at) => at < this.transcript.entries.indexOf(old) || entry.message.id === "",
    );
    this.transcript.stretch = { first: stretch.first, items: [...kept, question, reply] };
    await this.#ask(
      question,
      reply,
      { ...options, replaces: id },
      {
        started: () => this.edits.end(id),
        failed: async (error) => {
          if (reply.message.id && (await this.#isKept(reply, error))) return;
          this.transcript.stretch = stretch;
          this.transcript.total = total;
          this.#failEdit(old, content, error);
          void this.surroundings.refresh();
        },
      },
    );
  }

  #failEdit(old: Entry, content: string, error: unknown): void {
    this.edits.fail(old.message.id, content, error);
    this.revealed = { number: this.transcript.numberOf(old) };
  }

  async #ask(question: Entry, reply: Entry, input: ReplyOptions & { replaces?: string }, hooks: Hooks): Promise<void> {
    const { content } = question.message;
    const run = async (writer: ReplyWriter) => {
      await this.user.deletions.files.flush(); // a removed file is not for the model
      const session_id = await this.surroundings.ensureSession();
      await sendMessage({ session_id, content, ...input }, (event) => writer.apply(event), this.signal);
    };
    await this.#stream(reply, run, {
      started: (ids) => {
        if (!question.message.id) this.transcript.total += 2;
        question.message.id = ids.user_message_id;
        question.state = "stored";
        hooks.started?.(ids);
        this.user.changes.announce(this.transcript.sessionId!); // its title and position in the list
      },
      failed: hooks.failed,
    });
  }

  /** Shows that a turn has failed. The server has kept both messages, or neither. */
  async #fail(question: Entry, reply: Entry, error: unknown): Promise<void> {
    const { content } = question.message;
    const started = reply.message.id !== "";
    if (started) this.draft.hold(content); // until it is known that the server has it
    if (started && (await this.#isKept(reply, error))) {
      this.draft.release(content);
      return;
    }
    if (started && (question.message.versions ?? 1) > 1) return this.#restore(question, error);
    if (started) this.transcript.total -= 2;
    question.fail(error);
    // A read that began before the failure still has the turn. It is ignored, because the stretch is another.
    this.transcript.drop(reply);
    if (started) void this.surroundings.refresh();
  }

  /** Reads the messages again that a failed question had replaced. */
  async #restore(question: Entry, error: unknown): Promise<void> {
    const { id, content } = question.message;
    await this.transcript.readFrom(question).catch(() => {});
    if (question.message.id === id) return; // the draft has it
    this.draft.release(content);
    this.#failEdit(question, content, error);
  }

  /** Reads a turn that has failed, and reports whether the server has its reply. */
  async #isKept(reply: Entry, error: unknown): Promise<boolean> {
    const kept = await this.transcript.readTurn(reply).catch(() => false);
    if (kept && !this.#stopRequested) reply.error = error;
    return kept;
  }

  /** Sends a failed question again. */
  sendAgain(question: Entry, options: ReplyOptions): void {
    this.transcript.drop(question);
    void this.send(question.message.content, options);
  }

  /** Removes a failed question from the page. */
  discard(question: Entry): void {
    this.transcript.drop(question);
    this.draft.release(question.message.content);
  }

  /** Regenerates the last reply. */
  async regenerate(options: ReplyOptions): Promise<void> {
    await this.#redo((reply, listener) => {
      const { id } = reply.message;
      reply.restart();
      return regenerate(this.transcript.sessionId!, id, options, listener, this.signal);
    });
  }

  /** Continues the last reply, which was stopped or interrupted. */
  async continueReply(options: ReplyOptions): Promise<void> {
    await this.#redo((reply, listener) => {
      reply.resume();
      return continueReply(this.transcript.sessionId!, reply.message.id, options, listener, this.signal);
    });
  }

  /** Generates the last reply anew or further. If that fails, the reply is as before, or has more text. */
  async #redo(run: (reply: Entry, listener: ReplyWriter["apply"]) => Promise<void>): Promise<void> {
    const reply = this.transcript.stored.at(-1);
    if (!reply || this.transcript.live) return;
    const before = { ...reply.message };
    await this.#stream(reply, (writer) => run(reply, (event) => writer.apply(event)), {
      started: () => this.user.changes.announce(this.transcript.sessionId!),
      failed: async (error) => {
        reply.update(before);
        reply.error = error;
        await this.#isKept(reply, error);
      },
    });
  }

  /** Shows another version of a message, and what followed it. */
  async showVersion(entry: Entry, version: number): Promise<void> {
    if (this.transcript.live || this.transcript.switching) return;
    this.transcript.switching = entry;
    try {
      await operations.showVersion(entry.message.id, version);
      await this.transcript.readFrom(entry);
      this.user.changes.announce(this.transcript.sessionId!);
    } finally {
      this.transcript.switching = null;
    }
  }

  /** Stops the pending reply and keeps its text. */
  async stop(): Promise<void> {
    if (!this.transcript.live) return;
    this.#stopRequested = true;
    if (this.transcript.live.message.id) await operations.stopReply(this.transcript.live.message.id);
  }

  /** Compares the draft with what was read, and follows the last reply if it is pending. */
  settle(): void {
    if (this.transcript.hasNewer || this.transcript.live || this.signal.aborted) return;
    const [question, reply] = this.transcript.stored.slice(-2);
    if (question?.message.role !== "user" || !reply) return;
    this.draft.settle(question.message.content);
    if (reply.state !== "pending") return;
    const run = (writer: ReplyWriter) => follow(reply.message.id, (event) => writer.apply(event), this.signal);
    void this.#stream(reply, run, { failed: (error) => this.#fail(question, reply, error) });
  }

  async #stream(reply: Entry, run: (writer: ReplyWriter) => Promise<void>, hooks: Hooks): Promise<void> {
    const writer = new ReplyWriter(reply, (ids) => {
      hooks.started?.(ids);
      if (this.#stopRequested) void this.stop();
    });
    this.transcript.live = reply;
    this.failed = this.#stopRequested = false;
    let done = true;
    try {
      await run(writer);
    } catch (error) {
      writer.discard();
      if (this.signal.aborted) return;
      done = false;
      this.failed = true;
      await hooks.failed(await this.user.quota.explain(error));
    } finally {
      this.transcript.live = null;
      if (!done) this.surroundings.failed();
    }
    if (this.transcript.sessionId) this.user.changes.announce(this.transcript.sessionId);
    if (done) this.surroundings.replied();
    // The stream does not tell the reply's versions.
    if (done && !(await this.transcript.readTurn(reply).catch(() => true))) await this.surroundings.refresh();
  }
}
