import { router } from "../shared/router.svelte";

/** Registers the service worker. Browsers have none on pages served over plain HTTP from another machine. */
export function registerWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("message", (event: MessageEvent<{ hash: string }>) => {
    router.go(event.data.hash);
  });
  addEventListener("load", () => {
    navigator.serviceWorker.register("/sw.js").catch((error: unknown) => console.warn("service worker", error));
  });
}
