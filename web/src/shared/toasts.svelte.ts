export interface Toast {
  id: number;
  text: string;
  tone: "plain" | "bad";
  action?: { label: string; run: () => void };
}

/** Short notices that disappear after a few seconds. */
class Toasts {
  list: Toast[] = $state([]);
  #next = 1;

  show(text: string, options: { tone?: Toast["tone"]; action?: Toast["action"]; seconds?: number } = {}): number {
    const id = this.#next++;
    this.list.push({ id, text, tone: options.tone ?? "plain", action: options.action });
    setTimeout(() => this.close(id), (options.seconds ?? 5) * 1000);
    return id;
  }

  clear(): void {
    this.list = [];
  }

  close(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();
