import fc from "fast-check";
import { picture } from "../pictures.ts";
import { WIRE_SYSTEM, type WireMessage, type WireTalk } from "./talk.ts";
import { type WireUse, wireExchange, wireUses } from "./tool-uses.ts";

/** What happens next in a conversation. */
export type TalkStep =
  | { readonly kind: "work"; readonly uses: readonly WireUse[]; readonly thinks: boolean; readonly says: boolean }
  | { readonly kind: "ask"; readonly hasPicture: boolean; readonly words: string };

const words = fc.constantFrom(
  "And now?",
  "größer → 😀",
  "lone \ud83d and \udc00",
  'quotes " \\ \u0001 \u2028',
  "a\tb\r\nc",
);

/** One step of an agent, or a person who speaks. */
export const talkStep: fc.Arbitrary<TalkStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("work" as const),
      uses: wireUses,
      thinks: fc.constantFrom(true, false, false),
      says: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("ask" as const),
      hasPicture: fc.constantFrom(true, false, false),
      words,
    }),
  },
);

/** Whole conversations that begin with a person. */
export const anyTalk: fc.Arbitrary<WireTalk> = fc
  .array(talkStep, { minLength: 1, maxLength: 10, size: "max" })
  .map((steps) => talkOf(steps));

/** The conversation that the steps make. */
export function talkOf(steps: readonly TalkStep[], task = "Begin."): WireTalk {
  const messages = steps.reduce(withStep, [{ role: "user", text: task, picture: null }] as readonly WireMessage[]);
  return { system: WIRE_SYSTEM, messages };
}

/** The messages with one step more; what is new in them has names and contents of its own, by `version`. */
export function withStep(messages: readonly WireMessage[], step: TalkStep, version: number): readonly WireMessage[] {
  if (step.kind === "ask") {
    const asked: WireMessage = {
      role: "user",
      text: step.words,
      picture: step.hasPicture ? picture(`asked ${version}`, { bytes: version % 4 === 0 ? 60 : 900 }) : null,
    };
    return [...messages, { role: "assistant", text: `Done ${version}.`, thought: null, calls: [] }, asked];
  }
  const exchanges = step.uses.map((use, index) => wireExchange(use, version * 10 + index));
  return [
    ...messages,
    {
      role: "assistant",
      text: step.says ? `Step ${version}` : null,
      thought: step.thinks ? `hm ${version} ü` : null,
      calls: exchanges.map(({ call }) => call),
    },
    { role: "results", results: exchanges.map(({ result }) => result) },
  ];
}
