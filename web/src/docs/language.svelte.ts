import { languageNames, type SampleLanguage } from "./samples";

const key = "parley.docs.language";

function load(): SampleLanguage {
  const stored = localStorage.getItem(key) ?? "";
  return stored in languageNames ? (stored as SampleLanguage) : "bash";
}

/** The language of all samples, stored in this browser. */
class Chosen {
  #language: SampleLanguage = $state(load());

  get language(): SampleLanguage {
    return this.#language;
  }
  set language(language: SampleLanguage) {
    this.#language = language;
    localStorage.setItem(key, language);
  }

  /** Returns the chosen language if there is a sample in it, or the one to show instead. */
  among(available: SampleLanguage[]): SampleLanguage {
    if (available.includes(this.#language)) return this.#language;
    const alternative = this.#language === "typescript" ? "javascript" : "bash";
    return available.includes(alternative) ? alternative : available[0]!;
  }
}

export const chosen = new Chosen();
