// The rules are those of the web client.
import rules from "../web/eslint.config.js";

export default [
  ...rules,
  { ignores: ["dist/", "src/schema.ts"] },
  { languageOptions: { parserOptions: { tsconfigRootDir: import.meta.dirname } } },
];
