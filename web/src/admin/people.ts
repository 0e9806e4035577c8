/** Somebody to add, as typed. */
export interface Person {
  email: string;
  /** Empty unless the address was written as Ada <ada@example.com>. */
  nickname: string;
}

/** Reads addresses with commas, semicolons or line breaks between them, each once. */
export function parsePeople(text: string): Person[] {
  const people = new Map<string, Person>();
  for (const part of text.split(/[,;\n，；、]/)) {
    const [, name, address] = /^(.*)<([^<>]*)>$/.exec(part.trim()) ?? ["", "", part];
    const email = address.trim();
    const nickname = name.trim().replace(/^"(.*)"$/, "$1");
    const key = email.toLowerCase();
    if (email && !people.has(key)) people.set(key, { email, nickname });
  }
  return [...people.values()];
}
