import type { Background } from "./background";
import { maxPrefix } from "./divide";
import { type Block, countElements, MarkdownParser, type Parsed } from "./parse";
import { plain } from "./plain";
import { settle, unclosedAt } from "./settle";
import { turn } from "./turn";

/** Text after this length is shown plain. */
const maxLength = 120_000;

/** How many elements the blocks of a text may have. */
const maxElements = 10_000;

/** What is parsed at once, so that a usual reply is shown without delay. */
const atOnce = { length: 20_000, work: 40_000_000, elements: 3000 };

/** How long texts are parsed at once without a pause, in milliseconds. */
const timeLimit = 300;

/** What is parsed in the background. */
const later = { length: maxLength + maxPrefix, work: 500_000_000 };

const parser = new MarkdownParser();

/** A block as it is shown. One that continues is a part of the block before it. */
export type Piece = Pick<Block, "html" | "continues">;

/** The open blocks as they are shown. */
interface Shown {
  /** The source of what is shown, which may have grown since. */
  text: string;
  pieces: Piece[];
  /** Whether some of it stays plain. */
  skipped: boolean;
}

/**
 * Renders a text that grows at its end. Only the last block, or the last part of it, can
 * still change, so only that one is parsed and rendered again. What takes too long to parse
 * at once is parsed in the background, and shown plain until then.
 */
export class BlockRenderer {
  readonly #background: Pick<Background, "parse" | "cancel">;
  readonly #changed: () => void;
  #text = "";
  #live = false;
  /** The blocks that can't change any more, and what they took. */
  #done: Piece[] = [];
  #doneLength = 0;
  #doneElements = 0;
  #doneSkipped = false;
  /** What stands before the open text if it continues the last done block; otherwise null. */
  #prefix: string | null = null;
  /** The blocks after the done ones. */
  #open: Shown | null = null;
  /** Whether the open blocks take too long to parse at once. */
  #slow = false;
  /** Whether they took too long in the background. */
  #failed = false;
  /** Identifies the text that is being parsed in the background. */
  #asked: object | null = null;
  #unformatted = false;

  /** changed is called when render would return something else for the same text. */
  constructor(background: Pick<Background, "parse" | "cancel">, changed: () => void) {
    this.#background = background;
    this.#changed = changed;
  }

  /** Whether some of the rendered text stays plain because it is too long or too complex. */
  get unformatted(): boolean {
    return this.#unformatted;
  }

  /** Whether the text is shown plain only until it is parsed in the background. */
  get waits(): boolean {
    return this.#asked !== null;
  }

  /** How many more elements the text may have. */
  get elements(): number {
    return Math.max(0, maxElements - this.#doneElements);
  }

  /** Stops the work in the background. */
  close(): void {
    this.#asked = null;
    this.#background.cancel(this);
  }

  /** Returns the blocks of the text. In a live text, which will grow, markup that is not complete is left out. */
  render(source: string, live = false): Piece[] {
    const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
    if (!text.startsWith(this.#text)) this.#reset();
    else if (live !== this.#live) this.#open &&= { ...this.#open, text: "" };
    this.#text = text;
    this.#live = live;
    const open = turn.work(() => this.#renderOpen());
    const tail = text.length > maxLength ? [{ html: plain(text.slice(maxLength)) }] : [];
    this.#unformatted = this.#doneSkipped || open.skipped || tail.length > 0;
    return [...this.#done, ...open.pieces, ...tail];
  }

  #renderOpen(): Shown {
    const text = this.#text.slice(this.#doneLength, maxLength);
    if (this.#open?.text === text) return this.#open;
    if (this.#failed || this.elements === 0) return { text, pieces: [{ html: plain(text) }], skipped: true };
    if (!this.#slow) {
      const parsed = this.#parseAtOnce(text);
      if (parsed && !parsed.skipped) return this.#take(text, parsed);
      this.#slow = true;
      this.#open ??= { text, pieces: parsed?.blocks.filter(isShown) ?? [{ html: plain(text) }], skipped: false };
    }
    this.#ask(text);
    return this.#open!;
  }

  /** Returns null if the page has worked without a pause for too long. */
  #parseAtOnce(text: string): Parsed | null {
    if (!turn.hasTime(timeLimit)) return null;
    return this.#parse(text);
  }

  #parse(text: string): Parsed {
    const elements = Math.min(atOnce.elements, this.elements);
    return this.#continue(text, parser.parse(this.#before + text, { ...atOnce, elements }));
  }

  /** Parses the open blocks in the background, unless it is still busy with an earlier state of them. */
  #ask(text: string): void {
    if (this.#asked) return;
    const asked = (this.#asked = {});
    const limits = { ...later, elements: this.elements };
    this.#background.parse(this, this.#before + text, limits, (parsed) => {
      if (this.#asked !== asked) return;
      this.#asked = null;
      if (parsed) this.#take(text, this.#continue(text, parsed));
      else this.#failed = true;
      this.#changed();
    });
  }

  /** Joins the first block of what was parsed to the block that it continues. */
  #continue(text: string, parsed: Parsed): Parsed {
    const first = parsed.blocks[0];
    if (this.#prefix === null || !first) return parsed;
    first.length -= this.#prefix.length;
    first.continues = first.prefix !== undefined;
    if (first.continues) first.elements = countElements(first.html, true);
    else first.html = plain(text.slice(0, first.length)); // it was over a limit
    return parsed;
  }

  /** Takes the blocks of a text over. All but the last are done. */
  #take(text: string, { blocks, skipped }: Parsed): Shown {
    let last = Math.max(0, blocks.findLastIndex(isShown));
    if (this.#live) last = Math.min(last, unclosedAt(text, blocks));
    let length = 0;
    for (const block of blocks.slice(0, last)) {
      length += block.length;
      this.#doneElements += block.elements;
      if (isShown(block)) this.#done.push(block);
    }
    if (length > 0) {
      this.#doneLength += length;
      this.#doneSkipped ||= skipped;
      this.#slow = false;
    }
    const open = blocks[last];
    this.#prefix = open?.continues ? open.prefix! : null;
    const rest = text.slice(length);
    const pieces = (this.#live && !this.#slow && this.#settled(rest)) || blocks.slice(last).filter(isShown);
    return (this.#open = { text: rest, pieces, skipped });
  }

  /** Returns the open blocks of a live text without incomplete markup, or null if there is none. */
  #settled(text: string): Piece[] | null {
    const before = this.#before;
    const settled = settle(before + text);
    if (settled === before + text) return null;
    return settled.length <= before.length ? [] : this.#parse(settled.slice(before.length)).blocks.filter(isShown);
  }

  get #before(): string {
    return this.#prefix ?? "";
  }

  /** Starts over. */
  #reset(): void {
    this.close();
    this.#done = [];
    this.#doneLength = this.#doneElements = 0;
    this.#doneSkipped = this.#slow = this.#failed = false;
    this.#prefix = this.#open = null;
  }
}

const isShown = (block: Block): boolean => block.html !== "";
