// The service worker: the client starts without the server, and notices open their chat.
import { handlingOf } from "./policy";

declare const self: ServiceWorkerGlobalScope;

/** The files of the client and their version, written by the build (build/plugins.ts). */
declare const shellFiles: string[];
declare const shellVersion: string;

const prefix = "parley-shell-";
const cacheName = prefix + shellVersion;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(cacheName)
      .then((cache) => cache.addAll(shellFiles))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(removeOld().then(() => self.clients.claim()));
});

async function removeOld(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(prefix) && name !== cacheName).map((n) => caches.delete(n)));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const handling = handlingOf(request, shellFiles);
  if (handling === "page") event.respondWith(networkFirst(request, "/"));
  if (handling === "network first") event.respondWith(networkFirst(request, request));
  if (handling === "cache first") event.respondWith(cacheFirst(request));
});

async function networkFirst(request: Request, stored: RequestInfo): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const response = await match(stored);
    if (response) return response;
    throw error;
  }
}

async function cacheFirst(request: Request): Promise<Response> {
  const stored = await match(request);
  if (stored) return stored;
  const response = await fetch(request);
  if (response.ok) {
    const copy = response.clone();
    await caches.open(cacheName).then((cache) => cache.put(request, copy));
  }
  return response;
}

const match = (request: RequestInfo) => caches.match(request, { cacheName, ignoreVary: true });

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { hash } = event.notification.data as { hash: string };
  event.waitUntil(openChat(hash));
});

async function openChat(hash: string): Promise<void> {
  const [client] = await self.clients.matchAll({ type: "window" });
  if (!client) return void (await self.clients.openWindow(`/${hash}`));
  await client.focus();
  client.postMessage({ hash });
}
