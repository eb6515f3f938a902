import { defineConfig } from "vitest/config";

export default defineConfig({
  build: {
    outDir: "../src/manyhands/api/ui",
    emptyOutDir: true,
    target: "es2022",
    // The page's policy allows no data: fonts and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Libraries mark what a server may not render; we have none that does.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  test: { include: ["tests/**/*.test.{ts,tsx}"] },
});
