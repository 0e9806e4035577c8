import * as operations from "../api/operations";
import type { Model, ReplyOptions } from "../api/types";
import { preferences } from "./preferences.svelte";

/** What can answer, and what the reader chose of it. */
class Models {
  list: Model[] = $state([]);

  async load(): Promise<void> {
    this.list = (await operations.listModels()).models;
  }

  get chosen(): Model | undefined {
    return this.list.find((model) => model.name === preferences.model) ?? this.list.find((model) => model.default);
  }

  /** How the next reply is to be made; only what the model can do. */
  get options(): ReplyOptions {
    const model = this.chosen;
    return {
      model: model && !model.default ? model.name : undefined,
      deep_thinking: preferences.deepThinking && model?.deep_thinking === true,
      web_search: preferences.webSearch && model?.web_search === true,
    };
  }
}

export const models = new Models();
