import * as operations from "../api/operations";
import type { Model, ReplyOptions } from "../api/types";
import { preferences } from "../shared/preferences.svelte";
import { pickedFor, remember } from "./session-models";

/** The models of the server and the one that is selected for the session on the page. */
export class Models {
  list: Model[] = $state([]);
  #sessionId: string | null = $state(null);
  /** The model that was picked for the session, or "". */
  #picked = $state("");
  /** The model of the session's last reply, or "". */
  #last = $state("");

  async load(): Promise<void> {
    this.list = (await operations.listModels()).models;
  }

  /** Goes to a session, or with null to a new chat. */
  enter(sessionId: string | null): void {
    this.#sessionId = sessionId;
    this.#picked = sessionId ? pickedFor(sessionId) : "";
    this.#last = "";
  }

  /** The chat on the page has become a session, which keeps its model. */
  created(sessionId: string): void {
    const name = this.selected?.name ?? "";
    this.enter(sessionId);
    if (name) this.#remember(name);
  }

  /** Sets the model of the session's last reply. */
  replied(name: string): void {
    this.#last = name;
  }

  /** Selects a model for the session on the page and for new chats. */
  pick(name: string): void {
    preferences.model = name;
    this.#remember(name);
  }

  /** New chats begin with the model that was used last. */
  used(): void {
    if (this.selected) preferences.model = this.selected.name;
  }

  #remember(name: string): void {
    this.#picked = name;
    if (this.#sessionId) remember(this.#sessionId, name);
  }

  /** The model that was picked for the session, else that of its last reply. For a new chat the last one used. */
  get selected(): Model | undefined {
    const name = this.#sessionId ? this.#picked || this.#last : preferences.model;
    return this.list.find((model) => model.name === name) ?? this.list.find((model) => model.default);
  }

  /** Whether no model is connected: the server has only the built-in one, which quotes documents. */
  get builtin(): boolean {
    return this.list.length > 0 && this.list.every((model) => model.builtin);
  }

  /** The options of the next reply, limited to what the model supports. */
  get options(): ReplyOptions {
    const model = this.selected;
    return {
      model: model && !model.default ? model.name : undefined,
      deep_thinking: preferences.deepThinking && model?.deep_thinking === true,
      web_search: preferences.webSearch && model?.web_search === true,
    };
  }
}
