import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";

const moduleState = "A module keeps nothing of a user: it outlives the login. Make it a part of UserState.";
const moduleScript = 'SvelteScriptElement:has(SvelteAttribute[key.name="module"])';
const inModule = `:matches(Program, ${moduleScript}, :matches(Program, ${moduleScript}) > ExportNamedDeclaration) > VariableDeclaration`;

export default ts.config(
  { ignores: ["dist/", "public/", "browser/", "*.config.js"] },
  js.configs.recommended,
  ts.configs.recommendedTypeChecked,
  svelte.configs.recommended,
  prettier,
  svelte.configs.prettier,
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: {
        project: ["./tsconfig.json", "./tsconfig.worker.json"],
        extraFileExtensions: [".svelte"],
        parser: ts.parser,
      },
    },
    rules: {
      // Most of these are local to a function and never shown.
      "svelte/prefer-svelte-reactivity": "off",
    },
  },
  {
    files: ["src/**/*.ts", "src/**/*.svelte"],
    // These keep what belongs to the browser, its tab or a page without a login, whoever uses them.
    ignores: [
      "src/**/*.test.ts",
      "src/**/testing/*",
      "src/api/call.ts",
      "src/{diagram,docs,markdown,offline,share}/**",
      "src/login/{auth,reset-link,sign-in}.svelte.ts",
      "src/shared/{browser-tab,network,notices,preferences,router,speech,theme}.svelte.ts",
      "src/shared/keys.ts",
    ],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...[
          `${inModule}[kind="let"]`,
          `${inModule} > VariableDeclarator:not([id.typeAnnotation.typeAnnotation.typeName.name=/^Readonly/]) NewExpression:not(:function NewExpression)`,
          `${inModule} CallExpression:matches([callee.name="$state"], [callee.object.name="$state"]):not(:function CallExpression)`,
          `${inModule} > VariableDeclarator > :matches(ArrayExpression[elements.length=0], ObjectExpression[properties.length=0])`,
          "PropertyDefinition[static=true]:not([readonly=true])",
        ].map((selector) => ({ selector, message: moduleState })),
      ],
    },
  },
  {
    // ESLint does not know the types of other components. svelte-check does, and it checks these.
    files: ["**/*.svelte"],
    rules: {
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
);
