import { addressOf } from "../lib/hash.ts";
import type { Acquisition, PlacedAcquisition } from "../model/acquisition.ts";
import type { RecallChannel } from "../model/decision.ts";
import type { Address, Item, ItemKey } from "../model/item.ts";
import type { Clock } from "../model/transcript.ts";
import { isEbbRecall } from "./recall-channel.ts";
import type { LineageStanding } from "./standing.ts";

export interface RecalledInput {
  readonly items: readonly Item[];
  readonly standing: LineageStanding;
  readonly clock: Clock;
  readonly channel: RecallChannel;
  acquisitionOf(item: Item): PlacedAcquisition | null;
  itemOf(key: ItemKey): Item | null;
  textOf(item: Item): string;
}

export interface RecalledText {
  /** The known address whose recall brought the item back; null for every other item. */
  fromOf(item: Item): Address | null;
  /** Until when it is exempt, in words; null once that is over, and for every other item. */
  exemptionOf(item: Item): string | null;
}

/** Which items of a request are answers of a recall. */
export function recalledText(input: RecalledInput): RecalledText {
  const found = new Map<ItemKey, Address | null>();
  const recalled = (item: Item) => {
    const known = found.get(item.key);
    if (known !== undefined) return known;
    const address = recalledFrom(item, input);
    found.set(item.key, address);
    return address;
  };
  let addresses: ReadonlySet<Address> | null = null;
  return {
    fromOf(item) {
      const address = recalled(item);
      if (address === null) return null;
      addresses ??= addressesIn(input);
      return addresses.has(address) ? address : null;
    },
    exemptionOf(item) {
      if (recalled(item) === null) return null;
      const { standing, clock } = input;
      return exemptionOf(standing.acquired.get(item.key) ?? null, clock, standing.agentId !== null);
    },
  };
}

/** How long recalled text is exempt from release by rule: turns, and steps where a sub-agent has one turn only. */
const RECALLED_TURNS = 5;
const RECALLED_STEPS = 20;

/** Agents put a few words of their own in front of what a tool or a command gave back, the last of them on the same line in some. */
const ANSWER = /(?:^|\n|\bOutput: ?)\[ebb ([0-9a-hjkmnp-tv-z]{12}|index)\] /;
const ANSWER_CHARS = 512;
const RECALL_COMMAND = /\bebb(?:\.[cm]?js|\.cmd)?["']?\s+recall\s/;

/**
 * The address a result's text is the answer for. A tool of Ebb vouches for its answers; a shell command has to name the
 * recall and the item that the answer in its output is of, because a file may look like an answer.
 */
function recalledFrom(item: Item, input: RecalledInput): Address | null {
  const placed = input.acquisitionOf(item);
  if (placed === null || placed.resultKey === null) return null;
  const isTool = isEbbRecall(placed.acquisition.tool);
  if (!isTool && !isRecallCommand(placed.acquisition, input.channel)) return null;
  const result = input.itemOf(placed.resultKey);
  const address = result === null ? null : (ANSWER.exec(input.textOf(result).slice(0, ANSWER_CHARS))?.[1] ?? null);
  if (isTool || address === null) return address;
  return isNamed(address, placed.acquisition.command ?? "", input.items) ? address : null;
}

function isRecallCommand({ kind, command }: Acquisition, channel: RecallChannel): boolean {
  if (kind !== "run" || command === null) return false;
  return RECALL_COMMAND.test(command) || (channel.kind === "command" && command.includes(`${channel.command} `));
}

/** By its address, or by the id of its call. */
function isNamed(address: Address, command: string, items: readonly Item[]): boolean {
  const words = new Set(command.split(/[\s"';|&]+/));
  if (words.has(address)) return true;
  return items.some((item) => isAcquired(item) && words.has(item.callId ?? "") && addressOf(item.key) === address);
}

function addressesIn({ items, standing }: RecalledInput): ReadonlySet<Address> {
  const keys = new Set([...items.filter(isAcquired).map(({ key }) => key), ...standing.acquired.keys()]);
  return new Set(Array.from(keys, addressOf));
}

function isAcquired(item: Item): item is Extract<Item, { kind: "result" | "media" }> {
  return item.kind === "result" || item.kind === "media";
}

/** What is not in the ledger yet came just now. */
function exemptionOf(acquired: Clock | null, now: Clock, isSubAgent: boolean): string | null {
  const { turn, step } = acquired ?? now;
  const until = isSubAgent ? step + RECALLED_STEPS : turn + RECALLED_TURNS;
  if ((isSubAgent ? now.step : now.turn) > until) return null;
  return `recalled text stays through ${isSubAgent ? "step" : "turn"} ${until}`;
}
