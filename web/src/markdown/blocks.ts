import type { BackgroundParser } from "./background";
import { highlight } from "./highlight.svelte";
import { type Block, MarkdownParser, type Parsed } from "./parse";
import { plain } from "./plain";
import { sanitize } from "./sanitize";
import { turn } from "./turn";

/** Text after this length is shown plain. */
const maxLength = 120_000;

/** How many elements the blocks of a text may have. */
const maxElements = 10_000;

/** What is parsed at once, so that a usual reply is shown without delay. */
const atOnce = { length: 20_000, work: 40_000_000, elements: 3000, code: 2000 };

/** How long texts are parsed at once without a pause, in milliseconds. */
const timeLimit = 300;

/** What is parsed in the background. */
const later = { length: maxLength, work: 500_000_000, code: 60_000 };

const parser = new MarkdownParser(highlight);

type Background = Pick<BackgroundParser, "parse" | "cancel">;

/** The open blocks as they are shown. */
interface Shown {
  /** The source of what is shown, which may have grown since. */
  text: string;
  html: string[];
  /** Whether some of it stays plain. */
  skipped: boolean;
}

/**
 * Renders a text that grows at its end. Only the last block can still change, so only
 * that one is parsed and rendered again. What takes too long to parse at once is parsed in
 * the background, and shown plain until then.
 */
export class BlockRenderer {
  readonly #background: Background;
  readonly #changed: () => void;
  #text = "";
  #highlighted = false;
  /** The blocks that can't change any more, and what they took. */
  #done: string[] = [];
  #doneLength = 0;
  #doneElements = 0;
  #doneSkipped = false;
  /** The blocks after them. */
  #open: Shown | null = null;
  /** Whether the open blocks take too long to parse at once. */
  #slow = false;
  /** How often they took too long in the background: after the first time code is not highlighted. */
  #failures = 0;
  /** Identifies the text that is being parsed in the background. */
  #asked: object | null = null;
  #unformatted = false;

  /** changed is called when render would return something else for the same text. */
  constructor(background: Background, changed: () => void) {
    this.#background = background;
    this.#changed = changed;
  }

  /** Whether some of the rendered text stays plain because it is too long or too complex. */
  get unformatted(): boolean {
    return this.#unformatted;
  }

  /** Stops the work in the background. */
  close(): void {
    this.#asked = null;
    this.#background.cancel(this);
  }

  /** Returns the blocks of the text as safe HTML. A change of `highlighted` renders all of them again. */
  render(source: string, highlighted = false): string[] {
    const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
    if (!text.startsWith(this.#text)) this.#reset([]);
    // What is shown stays until it is rendered again.
    else if (highlighted !== this.#highlighted) this.#reset([...this.#done, ...(this.#open?.html ?? [])]);
    this.#text = text;
    this.#highlighted = highlighted;
    const open = turn.work(() => this.#renderOpen());
    const tail = text.length > maxLength ? [plain(text.slice(maxLength))] : [];
    this.#unformatted = this.#doneSkipped || open.skipped || tail.length > 0;
    return [...this.#done, ...open.html, ...tail];
  }

  #renderOpen(): Shown {
    const text = this.#text.slice(this.#doneLength, maxLength);
    if (this.#open?.text === text) return this.#open;
    if (this.#failures > 1 || this.#elements === 0) return { text, html: [plain(text)], skipped: true };
    if (!this.#slow) {
      const parsed = this.#parseAtOnce(text);
      if (parsed && !parsed.skipped && !parsed.plainCode) return this.#take(text, parsed);
      this.#slow = true;
      this.#open ??= { text, html: parsed?.blocks.map(toHtml).filter(Boolean) ?? [plain(text)], skipped: false };
    }
    this.#ask(text);
    return this.#open!;
  }

  /** Returns null if the page has worked without a pause for too long. */
  #parseAtOnce(text: string): Parsed | null {
    if (!turn.hasTime(timeLimit)) return null;
    return parser.parse(text, { ...atOnce, elements: Math.min(atOnce.elements, this.#elements) });
  }

  /** Parses the open blocks in the background, unless it is still busy with an earlier state of them. */
  #ask(text: string): void {
    if (this.#asked) return;
    const asked = (this.#asked = {});
    const code = this.#failures > 0 ? 0 : later.code;
    this.#background.parse(this, text, { ...later, code, elements: this.#elements }, (parsed) => {
      if (this.#asked !== asked) return;
      this.#asked = null;
      if (parsed) this.#take(text, parsed);
      else if (++this.#failures > 1) this.#open = null;
      else return this.#ask(text);
      this.#changed();
    });
  }

  /** Takes the blocks of a text over. All but the last are done. */
  #take(text: string, { blocks, skipped }: Parsed): Shown {
    const last = Math.max(
      0,
      blocks.findLastIndex((block) => block.html),
    );
    let length = 0;
    for (const block of blocks.slice(0, last)) {
      length += block.length;
      this.#doneElements += block.elements;
      if (block.html) this.#done.push(toHtml(block));
    }
    if (length > 0) {
      this.#doneLength += length;
      this.#doneSkipped ||= skipped;
      this.#slow = false;
    }
    const html = blocks.slice(last).map(toHtml).filter(Boolean);
    return (this.#open = { text: text.slice(length), html, skipped });
  }

  /** How many elements the open blocks may have. */
  get #elements(): number {
    return Math.max(0, maxElements - this.#doneElements);
  }

  /** Starts over. Shows some HTML until the text is rendered. */
  #reset(html: string[]): void {
    this.close();
    this.#done = [];
    this.#doneLength = this.#doneElements = this.#failures = 0;
    this.#doneSkipped = this.#slow = false;
    this.#open = html.length > 0 ? { text: "", html, skipped: false } : null;
  }
}

function toHtml(block: Block): string {
  return block.html && sanitize(block.html);
}
