import type { Prompt, PromptInput } from "@parley/client";
import { ApiError, client, code } from "../api/call";

export type { Prompt, PromptInput } from "@parley/client";

export const listPrompts = async (): Promise<Prompt[]> => (await client.prompts()).prompts;
export const createPrompt = (input: PromptInput) => client.createPrompt(input);

/** Changes a prompt. If it was deleted elsewhere meanwhile, it is added again. */
export async function updatePrompt(id: string, input: PromptInput): Promise<void> {
  try {
    await client.updatePrompt(id, input);
  } catch (error) {
    if (!isGone(error)) throw error;
    await client.createPrompt(input);
  }
}

/** Deletes a prompt, unless it is gone. */
export async function deletePrompt(id: string): Promise<void> {
  try {
    await client.deletePrompt(id);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

const isGone = (error: unknown) => error instanceof ApiError && error.code === code.noSuchSession;
