import {
  assistant,
  bodyOf,
  call,
  EMPTY_TALK,
  numbered,
  result,
  results,
  type Talk,
  user,
} from "../../support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../support/keeper.ts";
import { declare, keep, order, release, steps } from "../../support/orders.ts";
import { createDice, type Dice } from "../client/dice.ts";

/** What one child process is asked for; a JSON object in its first argument. */
export interface MarkerTask {
  readonly runs: number;
  /** Chance of the items and decisions that all processes share. */
  readonly seed: number;
  /** Chance of this process alone: what stands around them, and when. */
  readonly own: number;
}

/** The markers in their order, and proof that the process is another place. */
export interface MarkerAnswer {
  readonly markers: readonly string[];
  readonly place: string;
}

const WORDS = ["const", "größer", "٣٤٥", "\u{1f600}", "1,5", "a\u0301", "i\u0307stanbul", "", "\r", "\t{"] as const;
const COLD_MS = 600_000;

const task: MarkerTask = JSON.parse(process.argv[2] ?? "");
const markers: string[] = [];
for (let run = 0; run < task.runs; run++) {
  markers.push(await markerOf(createDice(task.seed + run), createDice(task.own + run)));
}
const place = `${new Date(0).getTimezoneOffset()} ${(0.5).toLocaleString()}`;
process.stdout.write(JSON.stringify({ markers, place } satisfies MarkerAnswer));

/** What stands for one item by one decision, among other items of this process alone. */
async function markerOf(shared: Dice, own: Dice): Promise<string> {
  const decision = shared.pick(["release", "keep", "expired", "over"] as const);
  const tools = shared.pick<readonly string[]>([["Read", "Bash"], ["Read"], ["Read", "Bash", "mcp__ebb__recall"]]);
  const text = textBy(shared, 40 + shared.below(60));
  const content = shared.oneIn(2) ? numbered(text, 1 + shared.below(900)) : text;
  const input = shared.oneIn(2) ? { file_path: "/w/größe.ts" } : { file_path: "/w/a.ts", offset: 3 };
  const keeper = createTestKeeper(decision === "over" ? { bound: { lines: 39, bytes: 1_000_000 } } : {});
  const before = others(user(EMPTY_TALK, "look"), "o", own);
  const talk = results(assistant(before, call("target", "Read", input)), result("target", content));
  let atMs = own.below(1_000_000);
  const first = await send(keeper, bodyOf(talk, { tools }), { atMs });
  if (decision === "over") return String(resultIn(first, "target"));
  if (decision === "release") await order(keeper, release("target"), { atMs });
  if (decision === "keep") await order(keeper, keep("target", keptRange(content)), { atMs });
  if (decision === "expired") await order(keeper, declare("hold", { ids: ["target"] }, steps(0)), { atMs });
  const after = others(talk, "p", own, 1);
  if (decision === "expired") await send(keeper, bodyOf(after, { tools }), { atMs: ++atMs });
  const last = await send(keeper, bodyOf(after, { tools }), { atMs: atMs + COLD_MS });
  return String(resultIn(last, "target"));
}

/** The first lines, by the numbers they print or from 1. */
function keptRange(content: string): string {
  const first = Number(/^ *(\d+)\u2192/.exec(content)?.[1] ?? 1);
  return `${first}-${first + 4}`;
}

function others(talk: Talk, name: string, own: Dice, atLeast = 0): Talk {
  const ids = own.shuffled(Array.from({ length: atLeast + own.below(4) }, (_, index) => `${name}${index}`));
  return ids.reduce((before, id) => {
    const called = assistant(before, call(id, own.pick(["Bash", "Grep"]), { command: `run ${id}`, pattern: id }));
    return results(called, result(id, textBy(own, own.below(12))));
  }, talk);
}

function textBy(dice: Dice, lines: number): string {
  return Array.from({ length: lines }, () =>
    Array.from({ length: 1 + dice.below(9) }, () => dice.pick(WORDS)).join(" "),
  ).join("\n");
}
