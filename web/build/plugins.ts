import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin, Rollup } from "vite";

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

/** Compresses the files. Pages, which are small, are also kept as they are. */
export function precompress(dist: string, except: string): Plugin {
  return {
    name: "precompress",
    apply: "build",
    closeBundle() {
      for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !compressible.test(entry.name) || entry.name === except) continue;
        const path = join(entry.parentPath, entry.name);
        writeFileSync(path + ".gz", gzipSync(readFileSync(path), { level: 9 }));
        if (!entry.name.endsWith(".html")) rmSync(path);
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

/** Files of the client whose names do not change. */
const fixedFiles = ["/theme.js", "/favicon.svg", "/icon-192.png", "/manifest.webmanifest"];

/**
 * Writes the list of the files that a page needs, and a version that changes with it, into the service worker. The
 * worker may import nothing, so its chunk must be one file.
 */
export function listShell(page: string, worker: string): Plugin {
  return {
    name: "list-shell",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const entry = (name: string) => chunks.find((chunk) => chunk.isEntry && chunk.name === name)!;
        const target = entry(worker);
        if (target.imports.length > 0) this.error(`${target.fileName} imports ${target.imports.join()}`);
        const files = ["/", ...fixedFiles, ...filesOf(entry(page), bundle)];
        const version = createHash("sha256").update(files.join()).digest("hex").slice(0, 12);
        const list = `const shellFiles=${JSON.stringify(files)},shellVersion=${JSON.stringify(version)};`;
        target.code = list + target.code;
      },
    },
  };
}

/** Returns the paths of a chunk, of all chunks that it can load, and of their styles and fonts. */
function filesOf(entry: Rollup.OutputChunk, bundle: Rollup.OutputBundle): string[] {
  const found = new Set<string>();
  const add = (name: string) => {
    const file = bundle[name];
    if (!file || found.has(name)) return;
    found.add(name);
    if (file.type !== "chunk") return;
    file.imports.forEach(add);
    file.dynamicImports.forEach(add);
    file.viteMetadata?.importedCss.forEach(add);
    file.viteMetadata?.importedAssets.forEach(add);
  };
  add(entry.fileName);
  // A formula needs a few of KaTeX's fonts. They are stored when they are used.
  return [...found]
    .filter((name) => !name.includes("KaTeX_"))
    .map((name) => `/${name}`)
    .sort();
}
