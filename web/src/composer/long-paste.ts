import type { Conversation } from "../chat/conversation.svelte";
import type { Toasts } from "../shared/toasts.svelte";
import { say } from "./paste-texts";

/** How long the text can be had instead of the file, in seconds. */
const offered = 20;

/** What a long text that was pasted needs of the composer. */
interface Composer {
  conversation: Conversation;
  toasts: Toasts;
  onfiles: (files: File[]) => void;
  /** Returns the field of the composer, which may show another chat by now. */
  field: () => HTMLTextAreaElement | undefined;
}

/** Attaches a text as a file, and offers to insert it as text instead. */
export function attachPaste(text: string, { conversation, toasts, onfiles, field }: Composer): void {
  const file = new File([text], nameIn(conversation), { type: "text/plain" });
  onfiles([file]);
  const run = () => {
    detach(file, conversation);
    insert(text, conversation, field());
  };
  toasts.show(say("attached", { name: file.name }), { action: { label: say("insert"), run }, seconds: offered });
}

/** Returns a name that no file of the chat has: pasted.txt, pasted-2.txt and so on. */
function nameIn({ files }: Conversation): string {
  const taken = new Set([
    ...files.stored.map(({ filename }) => filename),
    ...files.uploads.map(({ file }) => file.name),
  ]);
  let name = "pasted.txt";
  for (let number = 2; taken.has(name); number++) name = `pasted-${number}.txt`;
  return name;
}

/** Puts a text at the caret, or behind the draft if that is not in the field. */
function insert(text: string, { draft }: Conversation, field?: HTMLTextAreaElement): void {
  if (field?.value !== draft.text) return draft.write(draft.text + text);
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  draft.write(field.value);
  field.focus();
}

/** Removes a file, unless it went with a question. */
function detach(file: File, { attachments, files, sessionId }: Conversation): void {
  const upload = files.uploads.find((other) => other.file === file);
  if (upload) return files.cancel(upload);
  const stored = attachments.waiting.find(({ filename }) => filename === file.name);
  if (stored && sessionId) files.remove(stored, sessionId);
}
