/** A text, or its forms by plural category. A language needs only the categories it has. */
export type Text = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { other: string });

/** The texts of another language with the same keys. */
export type TextsOf<T> = Record<keyof T, Text>;

/** Returns the form of a text for a count. */
export function chooseForm(text: Text, count: number, language: string): string {
  if (typeof text === "string") return text;
  return text[new Intl.PluralRules(language).select(count)] ?? text.other;
}

/** Returns all forms of a text. */
export const formsOf = (text: Text): string[] => (typeof text === "string" ? [text] : Object.values(text));
