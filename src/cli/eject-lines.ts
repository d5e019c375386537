import type { Leaving } from "../engine/eject.ts";
import type { SentChange } from "../engine/eject-changes.ts";
import type { EjectAnswer, Returning } from "../keeper/eject.ts";
import { oneLine } from "../lib/visible.ts";
import { amountWords, countWords } from "./figures.ts";

export type Ejected = Extract<EjectAnswer, { ok: true }>;

/** One way to leave, or not to. */
export interface Way {
  readonly way: "compact" | "rewind" | "drop thinking" | "new session" | "pause" | "leave";
  readonly words: string;
}

const RETURNING_SHOWN_MAX = 20;

/** What leaving a conversation means, in lines for a person. */
export function ejectLines(ejected: Ejected): readonly string[] {
  const { lineage, session, turn, step, leaving, returning } = ejected;
  const name = session === null ? `conversation ${lineage}` : `session ${oneLine(session)}`;
  const head = `Leaving ${name} (turn ${turn}, step ${step}, ${leaving.model ?? "model unknown"})`;
  if (leaving.changes.length === 0) {
    return [head, "", "Nothing of it was changed: leave at any time, at no cost.", "", NOTHING_CHANGED];
  }
  return [
    head,
    "",
    ...section("Comes back", backLines(leaving, returning)),
    ...section("Is lost", lostLines(leaving)),
    ...section("Window", windowLines(leaving)),
    ...section("Cost", costLines(leaving)),
    ...section("Thinking", [THINKING_WORDS[leaving.thinking]]),
    "",
    "Ways to leave:",
    ...waysOf(ejected).map(({ words }) => `- ${words}`),
    "",
    NOTHING_CHANGED,
  ];
}

const NOTHING_CHANGED = "This command changed nothing. Tokens and money are estimates.";

const THINKING_WORDS: Readonly<Record<Leaving["thinking"], string>> = {
  fits: "no signed thinking is refused",
  "may be refused":
    "if the last answer thought, it signed what Ebb sent: the provider then answers 400 (signature) to each request without Ebb that still holds this thinking",
  refused:
    "signed over what Ebb sent: the provider answers 400 (signature) to each request without Ebb, until the thinking is left out",
};

function backLines({ changes }: Leaving, returning: readonly Returning[]): readonly string[] {
  if (returning.length === 0) return [];
  const tokens = returning.reduce((sum, one) => sum + one.tokens - one.markerTokens, 0);
  const rest = returning.length - RETURNING_SHOWN_MAX;
  const thinking = changes.some(({ what }) => what === "thinking left out") ? ", and thinking that was left out" : "";
  return [
    `${amountWords(returning.length, "result")}, ${countWords(Math.round(tokens))} tokens more${thinking}`,
    ...returning
      .slice(0, RETURNING_SHOWN_MAX)
      .map(({ address, label, tokens: own }) => `  ${address}  ${countWords(own)} tokens  ${oneLine(label)}`),
    ...(rest > 0 ? [`  and ${amountWords(rest, "other")}`] : []),
  ];
}

function lostLines({ changes }: Leaving): readonly string[] {
  const asides = countOf("recalled inside the stream", changes);
  const notes = countOf("note", changes);
  return [
    ...(asides === 0
      ? []
      : [
          `${amountWords(asides, "recall")} inside the stream: the agent never saw them, so they vanish from the history`,
        ]),
    ...(notes === 0 ? [] : [`${amountWords(notes, "note")} of Ebb`]),
    ...(countOf("tools", changes) === 0 ? [] : ["Ebb's tool in the requests; `ebb recall` in a shell still works"]),
  ];
}

function countOf(what: SentChange["what"], changes: readonly SentChange[]): number {
  return changes.filter((change) => change.what === what).length;
}

function windowLines({ tokensWith, tokensWithout, windowTokens }: Leaving): readonly string[] {
  if (tokensWith === null || tokensWithout === null) return ["not known: the provider told no usage"];
  const grown = `${countWords(tokensWithout)} tokens in place of ${countWords(tokensWith)}`;
  if (windowTokens === null) return [`${grown}; how many the model takes is not known`];
  return tokensWithout > windowTokens
    ? [`${grown}: MORE than the ${countWords(windowTokens)} the model takes, so the provider refuses it as too long`]
    : [`${grown}, of ${countWords(windowTokens)} the model takes`];
}

function costLines({ isCold, tokensWith, rewrittenTokens, headTokens, costUsd, laterUsd }: Leaving): readonly string[] {
  if (rewrittenTokens === null || tokensWith === null) return ["not known: the provider told no usage"];
  const dollars = costUsd === null ? "no price is on record" : `${usd(costUsd)} more than with Ebb`;
  const later = laterUsd === null ? [] : [`then ${usd(laterUsd)} more in each request, for what came back`];
  const written = `${countWords(rewrittenTokens)} tokens are written to the cache`;
  if (isCold) {
    return [`the cache is cold: ${written}, with Ebb it would be ${countWords(tokensWith)} (${dollars})`, ...later];
  }
  const head =
    headTokens === null
      ? []
      : [`of these ${countWords(headTokens)} of system prompt and tools, unless the client marks them as cached`];
  return [
    `${written} again, once (${dollars})`,
    ...head,
    ...later,
    `once the cache is cold, a request with Ebb writes all of its ${countWords(tokensWith)} tokens as well`,
  ];
}

/** Safe ones first. */
export function waysOf({ session, lineage, leaving }: Ejected): readonly Way[] {
  const [first] = leaving.changes.filter(({ what }) => what !== "tools");
  const isTooLong =
    leaving.windowTokens !== null && leaving.tokensWithout !== null && leaving.tokensWithout > leaving.windowTokens;
  const rewind: readonly Way[] =
    first === undefined || first.turn <= 1 || leaving.changes.some(({ what }) => what === "tools")
      ? []
      : [
          {
            way: "rewind",
            words: `rewind or fork to before turn ${first.turn}: what stands in front of it was never changed`,
          },
        ];
  const thinking: readonly Way[] =
    leaving.thinking === "fits"
      ? []
      : [
          {
            way: "drop thinking",
            words: "leave all thinking out of the history, if your client can: without any, nothing is refused",
          },
        ];
  const plain: readonly Way[] =
    leaving.thinking === "fits" && !isTooLong
      ? [{ way: "leave", words: "leave as it is: the next request costs what is said above, and works" }]
      : [];
  return [
    {
      way: "compact",
      words: "compact it in the client while Ebb still runs (/compact), then leave: the summary is sent as it is",
    },
    ...rewind,
    ...thinking,
    { way: "new session", words: "end it here and start a new session without Ebb" },
    ...plain,
    {
      way: "pause",
      words: `or stay and only stop new releases: ebb pause (what left of ${oneLine(session ?? lineage)} stays behind its markers)`,
    },
  ];
}

function usd(amount: number): string {
  const words = Math.abs(amount).toFixed(4);
  return `${amount < 0 && Number(words) !== 0 ? "-" : ""}$${words}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `${(index === 0 ? title : "").padEnd(12)}${line}`);
}
