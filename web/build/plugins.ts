import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const compressible = /\.(html|js|css|svg|webmanifest)$/;

/** Empties the dist directory before a build, except the page shown if the client is not built. */
export function keepFallback(dist: string, fallback: string): Plugin {
  return {
    name: "keep-fallback",
    apply: "build",
    buildStart() {
      for (const name of readdirSync(dist)) {
        if (name !== fallback) rmSync(join(dist, name), { recursive: true });
      }
    },
  };
}

/** Writes compressed copies of the files, so that the server does not have to compress them. */
export function precompress(dist: string, except: string): Plugin {
  return {
    name: "precompress",
    apply: "build",
    closeBundle() {
      for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !compressible.test(entry.name) || entry.name === except) continue;
        const path = join(entry.parentPath, entry.name);
        const content = readFileSync(path);
        writeFileSync(path + ".gz", gzipSync(content, { level: 9 }));
        writeFileSync(path + ".br", brotliCompressSync(content));
      }
    },
  };
}

/** Drops KaTeX's fonts in formats other than WOFF2, which all current browsers support. */
export function onlyWoff2(): Plugin {
  return {
    name: "only-woff2",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("katex") || !id.endsWith(".css")) return;
      return code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("[^"]*"\)/g, "");
    },
  };
}
