import { type Dice, FIRST_CHOICE } from "../../laws/client/dice.ts";
import { type Hand, type JsonNode, type Members, writeJson } from "../../laws/client/json-text.ts";
import type { WireTalk } from "./talk.ts";

/** How a client writes: by chance where it is free to, and with or without the ids of calls where the format can do without. */
export interface Writing {
  readonly dice: Dice;
  readonly hand: Hand;
  readonly model: string;
  readonly omitsIds: boolean;
}

/** Writes a conversation in the format of one API, as clients of it do. */
export interface WireWriter {
  /** Name of the wire. */
  readonly wire: string;
  bodyOf(talk: WireTalk, writing: Writing): JsonNode;
}

/** The plainest body: what `JSON.stringify` would write of the first choice of everything. */
export const PLAIN_WRITING: Writing = {
  dice: FIRST_CHOICE,
  hand: { spaces: 0, escapes: 0 },
  model: "m",
  omitsIds: false,
};

/** The body's bytes. */
export function writeTalk(writer: WireWriter, talk: WireTalk, writing: Writing): Uint8Array {
  return Buffer.from(writeJson(writer.bodyOf(talk, writing), writing.hand, writing.dice), "utf8");
}

/** Members in another order now and then: no client keeps any. */
export function reordered({ members }: Members, dice: Dice): Members {
  return dice.oneIn(4) ? { members: dice.shuffled(members) } : { members };
}

/** JSON of a call's arguments as the model wrote them: clients repeat that string as it is. */
export function argumentsJson(input: Members["members"]): string {
  return writeJson({ members: input }, PLAIN_WRITING.hand, FIRST_CHOICE);
}

/** A `data:` URL of a picture, which no client writes with escapes. */
export function pictureUrl(bytes: Buffer): JsonNode {
  return { verbatim: `"data:image/png;base64,${bytes.toString("base64")}"` };
}
