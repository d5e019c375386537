import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { createLawChecker } from "../../../src/replay/law-checker.ts";
import { declaredIn, readBody, resultsIn } from "../bodies.ts";
import type { Watcher } from "../world.ts";

type ByteLaw = "untouched" | "paired" | "never worse";

/** Judges every forwarded body by the laws that its bytes alone can break. */
export function judgeBytes(laws: readonly ByteLaw[]): Watcher {
  const checker = createLawChecker((text) => countTokens(text, { disallowedSpecial: new Set() }));
  let count = 0;
  return ({ request, prepared, forwarded }) => {
    if (prepared.kind === "refuse" || forwarded === null) return [];
    const { plan } = prepared;
    const inForce = plan?.inForce ?? [];
    const edits = declaredIn(prepared);
    const found = checker.check({
      conversation: String(++count),
      original: request.body,
      forwarded,
      declared: new Set(),
      edits,
      insertions: insertionsIn(request.body),
    });
    const own = found.violations.filter((words) => laws.some((law) => words.startsWith(law)));
    if (!laws.includes("untouched")) return own;
    const isUnasked =
      plan !== null && inForce.length + edits.length === 0 && !Buffer.from(request.body).equals(forwarded);
    const gone = [...found.replaced, ...found.media.map(({ name, marker }) => ({ callId: name, marker }))];
    const undecided = gone.filter(
      ({ marker }) => plan !== null && !inForce.some((decision) => decision.marker === marker),
    );
    return [
      ...own,
      ...(isUnasked ? ["untouched: nothing was decided, and the bytes differ"] : []),
      ...undecided.map(({ callId }) => `untouched: ${callId} was replaced without a decision`),
    ];
  };
}

/** Calls whose "unchanged" answer gave way to a pointer or to the text itself: counted as insertions. */
function insertionsIn(body: Uint8Array): ReadonlySet<string> {
  const answers = resultsIn(readBody(body)).filter(({ text }) => text.startsWith("File unchanged since"));
  return new Set(answers.map(({ callId }) => callId));
}
