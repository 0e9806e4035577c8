class Network {
  /** Whether the browser has a connection. The server may be unreachable nevertheless. */
  online = $state(navigator.onLine);

  constructor() {
    addEventListener("online", () => (this.online = true));
    addEventListener("offline", () => (this.online = false));
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
  return () => {
    removeEventListener("online", seen);
    removeEventListener("focus", seen);
    document.removeEventListener("visibilitychange", seen);
  };
}
