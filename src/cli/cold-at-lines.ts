import type { ColdFigures, ColdPrompt } from "../replay/cold-at.ts";
import { amountWords, countWords } from "./figures.ts";
import { usdWords } from "./usd-words.ts";

/** Why figures of single cold requests are not added up. */
export const NO_SUM_WORDS =
  "not added up: each is one request on a cold cache, and what left there would not leave again in the next one";

/** One request on a cold cache, for a person: without Ebb, and with it. */
export function coldAtLines({ file, request, released, before, after }: ColdFigures): readonly string[] {
  const row = (name: string, cell: (prompt: ColdPrompt) => string) =>
    `  ${name.padEnd(18)}${cell(before)} → ${cell(after)}`;
  return [
    `${file}: request ${countWords(request)} on a cold cache, ${amountWords(released, "item")} released`,
    row("prompt", ({ tokens }) => `${countWords(tokens)} tokens`),
    row("at write price", ({ write_usd: usd }) => usdWords(usd)),
    row("at read price", ({ read_usd: usd }) => usdWords(usd)),
  ];
}
