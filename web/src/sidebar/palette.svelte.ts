import type { Component } from "svelte";
import type { Match } from "../api/types";
import type { PaletteText } from "./palette-texts";

/** Something that the palette finds: a chat, a message, a file, a command. */
export interface Item {
  id: string;
  label: string;
  icon: Component<{ size?: number }>;
  /** The text around a match. */
  snippet?: string;
  /** The place of the match in the snippet, if the server has told it. */
  match?: Match;
  /** Shown at the end of the row: a time, a shortcut. */
  hint?: string;
  run: () => void;
}

/** What a provider finds: some items, and how many there are in all if they are on the page of all results. */
export interface Found {
  items: Item[];
  total?: number;
}

/** Finds items of one kind. To search for something else, add a provider in palette-providers.ts. */
export interface Provider {
  name: PaletteText;
  /** Whether it asks the server, so that it waits until the user pauses. */
  remote: boolean;
  find(word: string, signal: AbortSignal): Found | Promise<Found>;
}

const typingPause = 150;

/** The search of the palette: the word, what the providers found, and the selected item. */
export class Palette {
  word = $state("");
  selected = $state(0);
  error: unknown = $state(null);
  /** How many providers have not responded yet. */
  waiting = $state(0);

  readonly #providers: Provider[];
  /** Makes the item that shows all results. It is the last one. */
  readonly #all: ((word: string, total: number) => Item) | null;
  #found: Found[] = $state.raw([]);
  /** The word of the last response. */
  #foundWord = $state("");
  #request = new AbortController();

  constructor(providers: Provider[], all: ((word: string, total: number) => Item) | null = null) {
    this.#providers = providers;
    this.#all = all;
    this.#found = providers.map(() => ({ items: [] }));
    this.search("");
  }

  /** What was found, by provider. */
  get groups(): ({ name: PaletteText } & Found)[] {
    return this.#providers
      .map(({ name }, index) => ({ name, ...this.#found[index]! }))
      .filter(({ items }) => items.length > 0);
  }

  /** The item that shows all results, if there are any. */
  readonly all: Item | null = $derived.by(() => {
    const total = this.#found.reduce((sum, { total = 0 }) => sum + total, 0);
    return total > 0 && this.#all && this.#foundWord ? this.#all(this.#foundWord, total) : null;
  });

  readonly items: Item[] = $derived([...this.#found.flatMap(({ items }) => items), ...(this.all ? [this.all] : [])]);

  get current(): Item | undefined {
    return this.items[this.selected];
  }

  /** Searches for a word. Items found for the last word stay until the provider responds. */
  search(word: string): void {
    this.word = word;
    this.selected = 0;
    this.error = null;
    this.#request.abort();
    this.#request = new AbortController();
    this.waiting = this.#providers.length;
    for (const [index, provider] of this.#providers.entries()) {
      void this.#ask(provider, index, word.trim(), this.#request.signal);
    }
  }

  async #ask(provider: Provider, index: number, word: string, signal: AbortSignal): Promise<void> {
    let found: Found = { items: [] };
    try {
      if (provider.remote && word) await new Promise((resolve) => setTimeout(resolve, typingPause));
      if (signal.aborted) return;
      found = await provider.find(word, signal);
    } catch (error) {
      if (!signal.aborted) this.error = error;
    }
    if (signal.aborted) return;
    this.#found = this.#found.with(index, found);
    this.#foundWord = word;
    this.waiting--;
    this.selected = Math.max(0, Math.min(this.selected, this.items.length - 1));
  }

  /** Selects the item some steps away, around the ends. */
  move(step: number): void {
    const count = this.items.length;
    if (count > 0) this.selected = (this.selected + step + count) % count;
  }

  close(): void {
    this.#request.abort();
  }
}

/** Splits a text around the first match of a word, which may be empty. Of the text before it, at most room is kept. */
export function splitAtMatch(
  text: string,
  word: string,
  room = Infinity,
): [before: string, match: string, after: string] {
  const at = word ? text.toLowerCase().indexOf(word.toLowerCase()) : -1;
  if (at < 0) return [text, "", ""];
  const before = at > room ? `…${text.slice(at - room, at)}` : text.slice(0, at);
  return [before, text.slice(at, at + word.length), text.slice(at + word.length)];
}

/** Splits a text around a match, whose place is in code points. Of the text before it, at most room is kept. */
export function splitAtPlace(
  text: string,
  { start, length }: Match,
  room: number,
): [before: string, match: string, after: string] {
  const points = [...text];
  const part = (from: number, to?: number) => points.slice(from, to).join("");
  const before = start > room ? `…${part(start - room, start)}` : part(0, start);
  return [before, part(start, start + length), part(start + length)];
}
