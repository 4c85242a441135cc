import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// No inline code: the server answers with a content-security policy that allows none.
export default defineConfig({
  plugins: [svelte({ compilerOptions: { css: "external" } })],
  base: "/",
  build: {
    target: "es2022",
    outDir: "../src/factscope/web/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8642" } },
});
