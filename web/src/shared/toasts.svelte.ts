import { describe } from "../i18n/index.svelte";

export interface Toast {
  id: number;
  text: string;
  tone: "plain" | "bad";
  action?: { label: string; run: () => void };
}

/** Short notices that disappear after a few seconds. */
export class Toasts {
  list: Toast[] = $state([]);
  #next = 1;

  show(text: string, options: { tone?: Toast["tone"]; action?: Toast["action"]; seconds?: number } = {}): number {
    const id = this.#next++;
    this.list.push({ id, text, tone: options.tone ?? "plain", action: options.action });
    setTimeout(() => this.close(id), (options.seconds ?? 5) * 1000);
    return id;
  }

  readonly showError = (error: unknown): void => {
    this.show(describe(error), { tone: "bad" });
  };

  close(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}
