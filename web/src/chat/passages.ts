import type { Passage } from "../api/types";
import type { Mention } from "../markdown/decorate";
import { fileHash } from "../shared/router.svelte";

/** The address of a passage in its file. A whole file opens at its beginning. */
export function passageHash({ file_id, filename, text, offset }: Passage, sessionId: string): string {
  return fileHash(file_id, { passage: text ? { text, filename, offset } : null, sessionId });
}

/** The passages of each file. */
export function byFileOf(files: Passage[]): Passage[][] {
  const groups = new Map<string, Passage[]>();
  for (const file of files) groups.set(file.file_id, [...(groups.get(file.file_id) ?? []), file]);
  return [...groups.values()];
}

/** The files of a reply, for the links from their names in its text. */
export function mentionsOf(files: Passage[], sessionId: string | null): Mention[] {
  if (!sessionId) return [];
  const mentions = new Map<string, Mention>();
  for (const file of files) {
    const href = passageHash(file, sessionId);
    const mention = mentions.get(file.filename) ?? { name: file.filename, href, places: [] };
    if (file.text && file.anchor) mention.places.push({ anchor: file.anchor, href });
    mentions.set(file.filename, mention);
  }
  return [...mentions.values()];
}
