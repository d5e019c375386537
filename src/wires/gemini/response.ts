import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { elementsOf, type JsonMembers, membersOf } from "../../lib/json-spans.ts";
import { addSeed } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import type { Origin, Slot } from "../shared/seed.ts";
import { isFalseAt, isTrueAt, kindOf, nameAt, stringAt } from "../shared/value.ts";
import { addInlineData } from "./media.ts";
import { isNamedTwice, memberOf } from "./names.ts";
import type { Part, PartDraft } from "./part.ts";

/**
 * Members that hold what a function gave back, in the order in which they are looked for. Source: the API's page on function
 * calling names `output` and `error`; agents and SDKs write the others.
 */
const OUTPUTS = ["output", "result", "content", "error"];
/** Stands in the place of a whole response. */
const OUTPUT = "output";

/**
 * Adds a function's response and, after it, the media it holds; false, and nothing added, where it names no function. Its text is
 * the one member that holds an output and is a string; every other member stays. Without one it is the response as JSON.
 */
export function addResponse(text: JsonBytes, part: Part, draft: PartDraft): boolean {
  const span = memberOf(part.members, "functionResponse");
  if (span === undefined || kindOf(text, span) !== "object") return false;
  const members = membersOf(text, span.start);
  const name = nameAt(text, members.spans.get("name"));
  if (name === null) return false;
  const id = nameAt(text, members.spans.get("id")) || null;
  const callId = id ?? name;
  const response = members.spans.get("response");
  const content = readResponse(text, response);
  const original = readOrigin(text, content.origin);
  const size = measureText(original);
  const media: PartDraft = { seeds: [], originals: new Map(), unbound: [] };
  const areKnown = addMediaParts(text, part, members, callId, media);
  const isPlain = !part.hasDuplicates && !members.hasDuplicates && !content.hasDuplicates && areKnown;
  const item = {
    kind: "result",
    callId,
    isError: content.isError,
    mediaCount: media.seeds.length,
    isReplaceable: isPlain && original.isExact && content.slot !== null,
    blockIndex: part.blockIndex,
    ...size,
  } as const;
  const { origin, slot } = content;
  // Clients that write JSON from maps give its members another order from one request to the next.
  const digest = origin.kind === "raw" ? sha256Hex(canonicalJson(text, origin.span.start, null)) : size.digest;
  addSeed(draft, text, { item, keyStem: `result:${callId}:${digest}`, isNamed: true, origin, slot }, original);
  draft.unbound.push(id === null ? name : null);
  for (const seed of media.seeds) {
    draft.seeds.push(seed);
    draft.unbound.push(id === null ? name : null);
    const made = media.originals.get(seed);
    if (made !== undefined) draft.originals.set(seed, made);
  }
  return true;
}

interface ResponseContent {
  readonly origin: Origin;
  readonly slot: Slot | null;
  readonly isError: boolean;
  readonly hasDuplicates: boolean;
}

function readResponse(text: JsonBytes, response: Span | undefined): ResponseContent {
  if (response === undefined || kindOf(text, response) === "null") {
    return { origin: { kind: "strings", spans: [] }, slot: null, isError: false, hasDuplicates: false };
  }
  const members: JsonMembers =
    kindOf(text, response) === "object"
      ? membersOf(text, response.start)
      : { spans: new Map<string, Span>(), hasDuplicates: false };
  const { spans, hasDuplicates } = members;
  const outputs = OUTPUTS.filter((name) => holdsOutput(text, name, spans.get(name)));
  const isError = outputs.includes("error") || isTrueAt(text, memberOf(spans, "isError"));
  const [only, second] = outputs;
  const string = only === undefined || second !== undefined ? undefined : spans.get(only);
  return string !== undefined && kindOf(text, string) === "string"
    ? {
        origin: { kind: "strings", spans: [string] },
        slot: { kind: "text", text: string, cuts: [] },
        isError,
        hasDuplicates,
      }
    : {
        origin: { kind: "raw", span: response },
        slot: { kind: "member", value: response, name: OUTPUT },
        isError,
        hasDuplicates,
      };
}

/** An error that is null, false or empty is none; agents that always write the member mean so. */
function holdsOutput(text: JsonBytes, name: string, span: Span | undefined): boolean {
  if (span === undefined) return false;
  const isNothing = kindOf(text, span) === "null" || isFalseAt(text, span) || stringAt(text, span) === "";
  return name !== "error" || !isNothing;
}

/** Adds media inside a response, which takes no text in their place; false where something else stands among them. */
function addMediaParts(text: JsonBytes, part: Part, members: JsonMembers, callId: string, media: PartDraft): boolean {
  const parts = members.spans.get("parts");
  if (parts === undefined || kindOf(text, parts) === "null") return true;
  if (kindOf(text, parts) !== "array") return false;
  return elementsOf(text, parts.start).every((span) => {
    if (kindOf(text, span) !== "object") return false;
    const own = membersOf(text, span.start);
    const hasDuplicates = own.hasDuplicates || isNamedTwice(own.spans, "inlineData");
    const inner = { span, members: own.spans, hasDuplicates, blockIndex: part.blockIndex };
    return addInlineData(text, inner, { callId, number: media.seeds.length + 1 }, media);
  });
}
