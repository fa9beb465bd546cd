// The service worker of the page: keeps all of its files, so that it opens without a network.

interface Lifetime extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface Fetched extends Lifetime {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

/** Written before this script when the page is built: its files, and a name for all of them. */
declare const FILES: string[];
declare const VERSION: string;

const on = (event: string, handle: (event: never) => void) =>
  self.addEventListener(event, handle as EventListener);

on("install", (event: Lifetime) => {
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(FILES)));
});

on("activate", (event: Lifetime) => {
  const clear = async () => {
    const others = (await caches.keys()).filter((name) => name !== VERSION);
    await Promise.all(others.map((name) => caches.delete(name)));
  };
  event.waitUntil(clear());
});

on("fetch", (event: Fetched) => {
  if (event.request.method !== "GET") return;
  const find = async () =>
    (await caches.match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
  event.respondWith(find());
});
