import { z } from "zod";

/** A marker that stands in a result's place. */
export interface SeenMarker {
  readonly address: string;
  readonly text: string;
}

/** Markers by call id, where every byte outside them is as it was sent. */
export type BodyComparison =
  | { readonly ok: true; readonly markers: ReadonlyMap<string, SeenMarker> }
  | { readonly ok: false; readonly words: string };

const MARKER = /^\[ebb ([0-9a-hjkmnp-tv-z]{12})(?: [a-z ]+)?\]/;

const bodySchema = z.object({
  messages: z.array(z.object({ content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]) })),
});

/**
 * Compares what was sent with what arrived, by nothing but their bytes: each result whose text is now a marker is put in its
 * place in the body that was sent, and the two must then be equal.
 */
export function compareBodies(sent: string, arrived: string, results: ReadonlyMap<string, string>): BodyComparison {
  const markers = new Map<string, SeenMarker>();
  let expected = sent;
  for (const [id, text] of resultTextsOf(arrived)) {
    const original = results.get(id);
    const address = MARKER.exec(text)?.[1];
    if (original === undefined || address === undefined) continue;
    const at = expected.indexOf(JSON.stringify(original), expected.indexOf(`"tool_use_id":${JSON.stringify(id)}`));
    if (at === -1) return { ok: false, words: `the result ${id} is not where it was` };
    expected = expected.slice(0, at) + JSON.stringify(text) + expected.slice(at + JSON.stringify(original).length);
    markers.set(id, { address, text });
  }
  if (Buffer.from(expected).equals(Buffer.from(arrived))) return { ok: true, markers };
  return { ok: false, words: `the first difference is at character ${differenceOf(expected, arrived)}` };
}

function resultTextsOf(body: string): readonly (readonly [string, string])[] {
  const { messages } = bodySchema.parse(JSON.parse(body));
  return messages.flatMap(({ content }) => {
    if (typeof content === "string") return [];
    return content.flatMap(({ type, tool_use_id: id, content: text }) =>
      type === "tool_result" && typeof id === "string" && typeof text === "string" ? [[id, text] as const] : [],
    );
  });
}

function differenceOf(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
