import { send, watchConnection } from "../api/call";

/** How often the server is tried while it can't be reached, in milliseconds. */
const tryInterval = 2000;

class Network {
  /** Whether the browser has a connection. The server may be unreachable nevertheless. */
  online = $state(navigator.onLine);
  /** Whether the last request got a response. */
  reachable = $state(true);

  #recovered = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener("online", () => (this.online = true));
    addEventListener("offline", () => (this.online = false));
    watchConnection((connected) => this.#note(connected));
  }

  /** Calls a function when the server can be reached again. Returns a function that ends this. */
  onRecovered(run: () => void): () => void {
    this.#recovered.add(run);
    return () => this.#recovered.delete(run);
  }

  /** Sends a request and returns whether it got a response. */
  async check(): Promise<boolean> {
    await send("GET", "/healthz").catch(() => {});
    return this.reachable;
  }

  #note(connected: boolean): void {
    const recovered = connected && !this.reachable;
    this.reachable = connected;
    clearTimeout(this.#timer);
    if (!connected) this.#timer = setTimeout(() => void this.check(), tryInterval);
    if (recovered) this.#recovered.forEach((run) => run());
  }
}

export const network = new Network();

/**
 * Calls a function when the page may have missed something: the connection is back, or the user returns to the page.
 * Returns a function that ends this.
 */
export function onReturn(run: () => void): () => void {
  const seen = () => {
    if (document.visibilityState === "visible" && navigator.onLine) run();
  };
  addEventListener("online", seen);
  addEventListener("focus", seen);
  document.addEventListener("visibilitychange", seen);
  const end = network.onRecovered(seen);
  return () => {
    removeEventListener("online", seen);
    removeEventListener("focus", seen);
    document.removeEventListener("visibilitychange", seen);
    end();
  };
}
