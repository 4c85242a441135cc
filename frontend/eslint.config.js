import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["node_modules/", "src/lib/schema.ts"] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: globals.browser },
    rules: {
      // Indexed access is typed `T | undefined`; where an index is known to be in range, `!` says so.
      "@typescript-eslint/no-non-null-assertion": "off",
      // Derived values are replaced, never mutated, so plain Map, Set and URL are enough.
      "svelte/prefer-svelte-reactivity": "off",
      // `{" "}` keeps a space at the end of a line.
      "svelte/no-useless-mustaches": "off",
      // External text is deliberately searched for control characters.
      "no-control-regex": "off",
      "max-lines": ["error", 400],
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser } },
  },
  {
    // Rules that need types: for plain TypeScript only, as svelte-check types the components.
    files: ["src/{lib,rescore,strings}/**/*.ts"],
    extends: [ts.configs.recommendedTypeCheckedOnly],
    languageOptions: { parserOptions: { projectService: true } },
  },
  {
    // A catalogue is one long table.
    files: ["src/strings/*.ts"],
    rules: { "max-lines": "off" },
  },
);
