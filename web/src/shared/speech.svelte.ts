/** What of a rendered text is not read: code, formulas, drawings, and marks for sources and notes. */
const silent = "pre, .code-frame, .math, .citation, .note-reference, button, img, [hidden]";

/** What is read as one paragraph. */
const paragraph = "p, li, h1, h2, h3, h4, h5, h6, td, th, dt, dd, summary, blockquote, .markdown-block";

/** How long a part is at most, in characters. Some voices stop within longer ones. */
const maxLength = 200;

/** Returns what to read of a rendered text, in short parts. */
export function partsOf(root: Element): string[] {
  const paragraphs: { block: Element | null; text: string }[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.parentElement?.closest(silent)) continue;
    const block = node.parentElement?.closest(paragraph) ?? null;
    const last = paragraphs.at(-1);
    if (last?.block === block) last.text += node.data;
    else paragraphs.push({ block, text: node.data });
  }
  return paragraphs.map(({ text }) => text.replace(/\s+/g, " ").trim()).flatMap(split);
}

/** Splits a paragraph after sentences, or after words if they are too long. */
function split(text: string): string[] {
  const parts: string[] = [];
  const pieces = text.match(/[^.!?。！？；;]*(?:[.!?。！？；;]+["'”’」）)]*\s*|$)/gu) ?? [];
  for (const piece of pieces.flatMap(cut)) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + piece.length <= maxLength) parts[parts.length - 1] = last + piece;
    else parts.push(piece);
  }
  // What has neither letters nor digits can't be read.
  return parts.map((part) => part.trim()).filter((part) => /[\p{L}\p{N}]/u.test(part));
}

function cut(piece: string): string[] {
  return piece.match(new RegExp(`.{1,${maxLength}}(?:\\s|[，、,]|$)|.{1,${maxLength}}`, "gsu")) ?? [];
}

/** The scripts that are told apart, with the language of each that is most common. */
const scripts: [name: string, language: string, pattern: RegExp][] = [
  ["Latn", "en", /\p{Script=Latin}/gu],
  ["Jpan", "ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["Hans", "zh", /\p{Script=Han}/gu],
  ["Kore", "ko", /\p{Script=Hangul}/gu],
  ["Cyrl", "ru", /\p{Script=Cyrillic}/gu],
  ["Grek", "el", /\p{Script=Greek}/gu],
  ["Arab", "ar", /\p{Script=Arabic}/gu],
  ["Hebr", "he", /\p{Script=Hebrew}/gu],
  ["Deva", "hi", /\p{Script=Devanagari}/gu],
  ["Thai", "th", /\p{Script=Thai}/gu],
];

/** How many letters a character of Chinese or Japanese stands for. */
const density = 3;

/** Returns the language of a text: one that the user prefers if it has the script of the text. */
export function languageOf(text: string, preferred: readonly string[]): string {
  const counts = new Map(scripts.map(([name, , pattern]) => [name, text.match(pattern)?.length ?? 0]));
  const count = (name: string) => counts.get(name)! * (name === "Hans" || name === "Jpan" ? density : 1);
  if (counts.get("Jpan")! * 5 > counts.get("Hans")!) counts.set("Hans", 0); // Japanese has both
  const [name, common] = scripts.reduce((most, script) => (count(script[0]) > count(most[0]) ? script : most));
  return preferred.find((language) => scriptOf(language) === name) ?? common;
}

function scriptOf(language: string): string {
  const script = new Intl.Locale(language).maximize().script ?? "";
  return script === "Hant" ? "Hans" : script;
}

type Voice = Pick<SpeechSynthesisVoice, "lang" | "default">;

/** Returns a voice for a language: one of the same country, else the default one, else any. */
export function voiceFor<V extends Voice>(language: string, voices: readonly V[]): V | undefined {
  const tagOf = ({ lang }: Voice) => lang.replace("_", "-").toLowerCase();
  const wanted = language.toLowerCase();
  const [base] = wanted.split("-");
  const able = voices.filter((voice) => tagOf(voice).split("-")[0] === base);
  return able.find((voice) => tagOf(voice) === wanted) ?? able.find((voice) => voice.default) ?? able[0];
}

/** Reads texts aloud, one at a time. Voices that send the text to a server are not used. */
export class Speaker {
  /** Whose text is read. */
  reading: object | null = $state.raw(null);
  voices: SpeechSynthesisVoice[] = $state.raw([]);
  readonly #engine: SpeechSynthesis | undefined;

  constructor(engine: SpeechSynthesis | undefined) {
    this.#engine = engine;
    const find = () => (this.voices = engine!.getVoices().filter(({ localService }) => localService));
    if (engine) find();
    engine?.addEventListener?.("voiceschanged", find); // some browsers find them later
  }

  /** Reads the text of an owner in place of what is read. Returns false if no voice has its language. */
  read(owner: object, parts: string[], preferred: readonly string[]): boolean {
    this.stop();
    const language = languageOf(parts.join(" "), preferred);
    const voice = voiceFor(language, this.voices);
    if (!voice) return false;
    this.reading = owner;
    this.#next(owner, parts, voice);
    return true;
  }

  #next(owner: object, [part, ...rest]: string[], voice: SpeechSynthesisVoice): void {
    if (this.reading !== owner) return;
    if (part === undefined) return this.stop();
    const utterance = new SpeechSynthesisUtterance(part);
    utterance.voice = voice;
    utterance.lang = voice.lang;
    utterance.onend = () => this.#next(owner, rest, voice);
    utterance.onerror = () => this.stop(owner);
    this.#engine!.speak(utterance);
  }

  /** Stops reading, or only if the text of an owner is read. */
  stop(owner = this.reading): void {
    if (!this.reading || owner !== this.reading) return;
    this.reading = null;
    this.#engine!.cancel();
  }
}

export const speaker = new Speaker(globalThis.speechSynthesis);
