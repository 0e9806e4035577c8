import { Tokenizer, type Tokens } from "marked";

/** The blocks of Chinese, Japanese and Korean characters, and of their punctuation. The server has the same. */
const eastAsian =
  "[\\u1100-\\u11ff\\u2e80-\\u2fff\\u3001-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\ufe30-\\ufe4f\\uff00-\\uffef" +
  "\\u{20000}-\\u{3ffff}]";

const endsEastAsian = new RegExp(`${eastAsian}$`, "u");
const beginsEastAsian = new RegExp(`^(?:\\*+|~~)${eastAsian}`, "u");
/** A mark behind punctuation that ends something, and the character behind it. */
const afterPunctuation = new RegExp(
  `((?!${eastAsian}|[*_~\\p{Ps}\\p{Pi}])[\\p{P}\\p{S}](?:\\*{1,3}|~~))(${eastAsian})`,
  "gu",
);
const eastAsianPunctuation = new RegExp(`(?=[\\p{P}\\p{S}])${eastAsian}`, "gu");

/**
 * CommonMark decides by the characters beside a mark whether it begins or ends an emphasis. Chinese, Japanese and Korean
 * have no spaces between words, so their characters count as letters in an emphasis and as spaces outside of it. These
 * functions hide from Marked what it would take for something else.
 */
export const emphasis = {
  emStrong(this: Tokenizer, source: string, masked: string, previous = ""): Tokens.Em | Tokens.Strong | undefined {
    return Tokenizer.prototype.emStrong.call(
      this,
      source,
      masked,
      source.startsWith("*") ? before(previous, source) : previous,
    );
  },

  /** One tilde is a range of numbers. */
  del(this: Tokenizer, source: string, masked: string, previous = ""): Tokens.Del | undefined {
    if (!source.startsWith("~~")) return undefined;
    return Tokenizer.prototype.del.call(this, source, masked, before(previous, source));
  },
};

/** Returns the character before a mark, or punctuation in its place. */
function before(previous: string, source: string): string {
  return endsEastAsian.test(previous) || beginsEastAsian.test(source) ? "-" : previous;
}

/** Changes a text in which Marked looks for the end of an emphasis, but not its length. */
export function maskEastAsian(source: string): string {
  return source
    .replace(afterPunctuation, (_, mark: string, character: string) => mark + "-".repeat(character.length))
    .replace(eastAsianPunctuation, (character) => "a".repeat(character.length));
}
