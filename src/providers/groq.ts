import { COMPATIBLE_FACTS } from "./compatible.ts";
import { providerOf, type TableProvider } from "./model-table.ts";

const HOUR_MS = 3_600_000;

/** The Groq API: a prefix cache by itself that forgets what nobody used for two hours. Source: the provider's page on prompt caching. */
export const groqProvider: TableProvider = providerOf({
  name: "groq",
  originDefault: "https://api.groq.com/openai",
  rows: {},
  keyOf: () => null,
  assumed: { ...COMPATIBLE_FACTS, ttlDefaultMs: 2 * HOUR_MS },
  sources: [
    "Prefixes are cached by themselves and expire after two hours without use: the provider's page on prompt caching. Which models cache is not said closely enough to count with.",
    "No prices: state yours under `models`.",
  ],
});
