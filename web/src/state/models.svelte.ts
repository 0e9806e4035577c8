import * as operations from "../api/operations";
import type { Model, ReplyOptions } from "../api/types";
import { preferences } from "./preferences.svelte";

/** The models of the server and the selected one. */
class Models {
  list: Model[] = $state([]);

  async load(): Promise<void> {
    this.list = (await operations.listModels()).models;
  }

  reset(): void {
    this.list = [];
  }

  get selected(): Model | undefined {
    return this.list.find((model) => model.name === preferences.model) ?? this.list.find((model) => model.default);
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

export const models = new Models();
