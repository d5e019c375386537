import type { PlacedAside } from "../../model/ports.ts";
import { insertion, type Splice, shift } from "../shared/splice.ts";
import type { Layout } from "./layout.ts";
import type { PlacedMessage } from "./source.ts";
import { isEmptyString, listOfString } from "./string-content.ts";

/** True for a message in which results can stand. */
export function takesResults(message: PlacedMessage | null): boolean {
  return message !== null && message.role === "user" && message.layout !== null;
}

/** Results of asides beside other calls: behind the last result of the message, in front of all else. */
export function resultSplices(message: PlacedMessage | null, asides: readonly PlacedAside[]): readonly Splice[] {
  const results = asides.flatMap((aside) => (aside.partedAt === null ? aside.results : []));
  if (results.length === 0 || message === null || message.layout === null) return [];
  return splicesIn(message.layout, results.join(",")).map((splice) => shift(splice, message.start));
}

function splicesIn(layout: Layout, json: string): readonly Splice[] {
  const { content } = layout;
  if (layout.kind === "string") return listOfString(content, isEmptyString(content) ? json : `${json},`, "");
  const lastResult = layout.blocks[layout.resultEnd - 1];
  const [first] = layout.blocks;
  if (lastResult !== undefined) return [insertion(lastResult.end, `,${json}`)];
  return [first === undefined ? insertion(content.start + 1, json) : insertion(first.start, `${json},`)];
}
