import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { guides } from "./build/guides";
import { keepFallback, listShell, onlyWoff2, precompress } from "./build/plugins";
import { replacingModules } from "./build/tests";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const fallback = "index.html";
const replacing = process.env.VITEST ? replacingModules("src") : [];

export default defineConfig({
  plugins: [
    svelte(),
    guides(),
    onlyWoff2(),
    keepFallback(at("dist"), fallback),
    listShell("app", "sw"),
    precompress(at("dist"), fallback),
  ],
  build: {
    target: "es2022",
    emptyOutDir: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The largest chunks are of diagrams, which load only those that they need.
    chunkSizeWarningLimit: 700,
    rollupOptions: {
      input: {
        app: at("app.html"),
        docs: at("docs.html"),
        share: at("share.html"),
        diagram: at("diagram.html"),
        sw: at("src/offline/worker.ts"),
      },
      // The path of a service worker limits what it serves, and may never change.
      output: { entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js") },
    },
  },
  // One file, because the server's policy for it allows no imports.
  worker: { format: "iife" },
  server: {
    fs: { allow: [at("."), at("../client-ts/src")] },
    proxy: { "/api": "http://127.0.0.1:8080", "/openapi.json": "http://127.0.0.1:8080" },
  },
  resolve: {
    alias: [
      { find: "@parley/client", replacement: at("../client-ts/src/index.ts") },
      { find: /^elkjs\/.*/, replacement: at("src/diagram/no-elk.ts") },
    ],
    ...(process.env.VITEST && { conditions: ["browser"] }),
  },
  test: {
    setupFiles: ["src/test-setup.ts"],
    testTimeout: 600_000, // a test that hangs ends, and one on a busy machine does not
    // Modules and a document take longer to make than most tests take. Those that replace modules have their own.
    poolOptions: { threads: { isolate: false } },
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          environment: "./build/one-document.ts",
          pool: "threads",
          include: ["src/**/*.test.ts"],
          exclude: replacing,
        },
      },
      { extends: true, test: { name: "own modules", environment: "jsdom", pool: "forks", include: replacing } },
    ],
  },
});
