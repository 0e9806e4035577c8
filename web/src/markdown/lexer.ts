import { Lexer, type MarkedOptions, type Token, type TokensList } from "marked";

/** A longer block or piece of text is shown plain, unless it is code. */
export const maxBlockLength = 20_000;

const maxDepth = 24;
const maxCells = 10_000;
const maxDetails = 200;

/** Thrown if a text takes too much work to split into blocks. */
class TooMuchWork extends Error {}

/**
 * A lexer that does a bounded amount of work. Marked takes time quadratic in the length of
 * some texts. So this lexer estimates the work of each step before it does it, as an upper
 * bound in nanoseconds of a usual machine, and skips the step if the work is too much.
 */
export class BoundedLexer extends Lexer {
  /** How much work is left. */
  work: number;
  /** Whether some text was left plain. */
  skipped = false;
  #cells = maxCells;
  #details = maxDetails;
  #blockDepth = 0;
  #inlineDepth = 0;
  #links = 0;

  constructor(options: MarkedOptions, work: number) {
    super(options);
    this.work = work;
  }

  override blockTokens(source: string, tokens: Token[] = [], clipped?: boolean): TokensList {
    if (this.#blockDepth >= maxDepth) {
      this.skipped = true;
      tokens.push({ type: "paragraph", raw: source, text: source, tokens: [plainText(source)] });
      return tokens as TokensList;
    }
    const work = blockWork(source);
    if (work > this.work) throw new TooMuchWork();
    this.work -= work;
    this.#blockDepth++;
    try {
      return super.blockTokens(source, tokens, clipped) as TokensList;
    } finally {
      this.#blockDepth--;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth === 0) this.#links = Object.keys(this.tokens.links).length;
    const work = inlineWork(source, this.#links);
    if (source.length > maxBlockLength || work > this.work || this.#inlineDepth >= maxDepth) {
      this.skipped = true;
      tokens.push(plainText(source));
      return tokens;
    }
    this.work -= work;
    this.#inlineDepth++;
    try {
      return super.inlineTokens(source, tokens);
    } finally {
      this.#inlineDepth--;
    }
  }

  /** Reports whether a table may have so many cells. A short text can make many, because rows are filled up. */
  takeCells(cells: number): boolean {
    if (cells > this.#cells) {
      this.skipped = true;
      return false;
    }
    this.#cells -= cells;
    return true;
  }

  /** Reports whether the end of one more details element may be looked for. */
  takeDetails(): boolean {
    if (this.#details === 0) this.skipped = true;
    return this.#details > 0 && this.#details-- > 0;
  }
}

function plainText(source: string): Token {
  return { type: "text", raw: source, text: source, escaped: false };
}

/** How many rows are counted at most. */
const maxRows = 5000;

/** Returns how many cells the table at the start of a source has at most; 0 if there is no table. */
export function countCells(source: string): number {
  const header = source.indexOf("\n");
  if (header < 0) return 0;
  let end = source.indexOf("\n", header + 1);
  const delimiters = source.slice(header + 1, end < 0 ? source.length : end);
  if (!/^[-:| ]*$/.test(delimiters) || !/[:|]/.test(delimiters)) return 0;
  let rows = 1;
  while (end >= 0 && rows < maxRows) {
    const next = source.indexOf("\n", end + 1);
    if (next === end + 1) break;
    end = next;
    rows++;
  }
  return rows * source.slice(0, header).split("|").length;
}

/** Returns an upper bound of the work to split a source into blocks. */
export function blockWork(source: string): number {
  let work = 0;
  let lines = 0;
  let runLines = 0;
  let runStart = 0;
  let pipes = 0;
  let tasks = 0;
  let blank = true;
  const endRun = (at: number) => {
    work += 12 * runLines * (at - runStart);
    runLines = 0;
    runStart = at;
  };
  for (let at = 0; at < source.length; at++) {
    const character = source[at];
    if (character === "\n") {
      if (blank) {
        endRun(at);
      } else {
        lines++;
        runLines++;
      }
      blank = true;
    } else if (character !== " " && character !== "\t") {
      blank = false;
      if (character === "|") pipes++;
      else if (character === "[" && source[at + 2] === "]") tasks++;
    }
  }
  runLines++;
  endRun(source.length);
  return work + 20_000 * lines + 40 * tasks * (lines + pipes);
}

/** Returns an upper bound of the work to format a piece of text, without what is nested in it. */
export function inlineWork(source: string, links: number): number {
  let delimiters = 0;
  let specials = 1;
  let brackets = 0;
  for (let at = 0; at < source.length; at++) {
    switch (source[at]) {
      case "*":
      case "_":
      case "~":
        delimiters++;
        break;
      case "[":
      case "]":
        brackets++;
        specials++;
        break;
      case "w":
        if (source[at + 1] === "w") specials++;
        break;
      case "\\":
      case "<":
      case "!":
      case "`":
      case "$":
      case "@":
      case ":":
      case "&":
      case "\n":
        specials++;
    }
  }
  return 4 * (specials + delimiters) * source.length + 100 * delimiters * delimiters + 10 * brackets * links;
}
