import { lastAssistantIndex } from "../engine/exposure.ts";
import { scriptOf } from "../engine/script.ts";
import type { KeeperRequest, Prepared } from "./contract.ts";
import { wordsOf } from "./error-words.ts";
import { type Progress, placeInputOf, type Workshop } from "./keeper.ts";
import type { Placement } from "./lineages.ts";
import { rememberUnrecorded } from "./settle.ts";

/**
 * The last valid form when planning failed: the script that was sent before; the original where nothing can have been
 * released; else a refusal the client retries.
 */
export function fallbackFor(request: KeeperRequest, progress: Progress, workshop: Workshop, words: string): Prepared {
  try {
    return lastValidForm(request, progress, workshop, words);
  } catch (error) {
    return refusal(workshop, wordsOf(error));
  }
}

function lastValidForm(request: KeeperRequest, progress: Progress, workshop: Workshop, words: string): Prepared {
  const { source, understood } = progress;
  if (source === null || understood === null) return refusal(workshop, words);
  const placement = placementOf(request, progress, workshop);
  if (placement === null) return refusal(workshop, words);
  const { decisions } = placement.lineage.standing;
  const standing = source.transcript.items.flatMap((item) => decisions.get(item.key) ?? []);
  const input = { request, source, understood, placement, refused: new Set<string>() };
  if (request.route.kind === "generate") {
    rememberUnrecorded(input, null, workshop.settings.newId(), workshop.settings);
    workshop.lineages.noteSent(placement.lineage, true);
  }
  workshop.accounting.noteFallback(standing.length > 0 ? "script_only" : "original");
  return {
    kind: "forward",
    body: request.wire.write(request.body, source, scriptOf(standing)),
    isEdited: standing.length > 0,
    plan: null,
    problem: words,
    finish: async () => undefined,
  };
}

function placementOf(request: KeeperRequest, progress: Progress, workshop: Workshop): Placement | null {
  const { source, understood, placement } = progress;
  if (placement !== null) return placement;
  if (source === null || understood === null) return null;
  const input = placeInputOf(request, understood);
  const known = workshop.lineages.placeFromMemory(input);
  if (known !== null) return known;
  return lastAssistantIndex(source.transcript) === -1 ? workshop.lineages.openFresh(input) : null;
}

function refusal(workshop: Workshop, words: string): Prepared {
  workshop.accounting.noteFallback("refused");
  return { kind: "refuse", words: `Ebb cannot tell what it sent before in this conversation: ${words}` };
}
