import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** Writes a compressed copy next to each script and stylesheet, so that the server need not compress while answering. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle(options, bundle) {
      for (const name of Object.keys(bundle).filter((file) => /\.(js|css)$/.test(file))) {
        const file = join(options.dir ?? "", name);
        const content = readFileSync(file);
        const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length, [constants.BROTLI_PARAM_QUALITY]: 11 };
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params: size }));
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

// No inline code: the server answers with a content-security policy that allows none.
export default defineConfig({
  plugins: [svelte({ compilerOptions: { css: "external" } }), compressed()],
  base: "/",
  build: {
    target: "es2022",
    outDir: "../src/factscope/web/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // The head lists the scripts that the main one imports; the polyfill would be inline code.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8642" } },
});
