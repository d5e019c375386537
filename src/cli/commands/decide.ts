import { renderReport } from "../../engine/report-format.ts";
import type { Lifetime, Order, Targets } from "../../keeper/order.ts";
import { type CommandFlag, type CommandSpec, type ExitCode, type GivenArguments, UsageError } from "../command.ts";
import { CONVERSATION_FLAGS, conversationOf, refusalLine } from "../conversation.ts";
import { type Io, printLine } from "../io.ts";
import { withKeeper } from "../open-keeper.ts";

const REASON: CommandFlag = {
  name: "reason",
  value: "words",
  description: "why; recorded with the decision (required)",
};
const TARGETS: readonly CommandFlag[] = [
  { name: "path", value: "path", description: "everything of this path, as the agent wrote it" },
  { name: "latest", value: "n", description: "the n newest items" },
];
const LIFETIMES: readonly CommandFlag[] = [
  { name: "turns", value: "n", description: "until n turns from now, 0 for this one" },
  { name: "steps", value: "n", description: "until n steps from now, 0 for this one" },
  { name: "scope", value: "tmp_name", description: "until this scope is closed" },
  { name: "off", value: null, description: "take it back" },
];
const IDS = { notation: "[ids...]", description: "addresses that markers and `ebb window` print, or call ids" };

/** `ebb keep`: lines of a result stand in its place; without lines the whole comes back. */
export const keepCommand: CommandSpec = command(
  "keep",
  "keep only these lines of a result in the window, or the whole again",
  [{ name: "range", value: "lines", description: "A-B, A-, -B or N; left out: the whole" }],
  (given) => {
    const [id, other] = given.positional;
    if (id === undefined || other !== undefined) throw new UsageError("expected one address or call id");
    return { verb: "keep", id, range: given.textOf("range"), reason: reasonOf(given) };
  },
);

/** `ebb release`: items leave behind their markers, or a scope is closed. */
export const releaseCommand: CommandSpec = command(
  "release",
  "let items leave the window behind their markers, or close a scope and report on it",
  [...TARGETS, { name: "scope", value: "tmp_name", description: "close this scope instead" }],
  (given) => {
    const scope = given.textOf("scope");
    const targets = targetsOf(given);
    if (scope === null) return { verb: "release", targets, reason: reasonOf(given) };
    if (targets.ids.length + targets.paths.length > 0 || targets.latest !== null) {
      throw new UsageError("expected items or --scope, got both");
    }
    return { verb: "close", scope, reason: reasonOf(given) };
  },
);

/** `ebb hold`: declares how long items stay. */
export const holdCommand: CommandSpec = command(
  "hold",
  "declare how long items stay in the window, for good where nothing is stated; with a scope alone, open it",
  [...TARGETS, ...LIFETIMES],
  (given) => {
    const targets = targetsOf(given);
    const lifetime = lifetimeOf(given);
    if (given.isSet("off")) return { verb: "unhold", targets, reason: reasonOf(given) };
    return { verb: "hold", targets, lifetime, reason: reasonOf(given) };
  },
);

/** `ebb protect`: nothing releases these items. */
export const protectCommand: CommandSpec = command(
  "protect",
  "let nothing release these items; for good where nothing is stated",
  [...TARGETS, ...LIFETIMES],
  (given) => {
    const targets = targetsOf(given);
    const lifetime = lifetimeOf(given);
    if (given.isSet("off")) return { verb: "unprotect", targets, reason: reasonOf(given) };
    return { verb: "protect", targets, lifetime, reason: reasonOf(given) };
  },
);

function command(
  name: string,
  description: string,
  flags: readonly CommandFlag[],
  orderOf: (given: GivenArguments) => Order,
): CommandSpec {
  return {
    name,
    description,
    argument: IDS,
    flags: [...flags, REASON, ...CONVERSATION_FLAGS],
    configured: "decide",
    run: (given, io) => run(orderOf(given), given, io),
  };
}

async function run(order: Order, given: GivenArguments, io: Io): Promise<ExitCode> {
  const by = io.isInteractive ? "user" : "agent";
  const answer = await withKeeper(given.config(), io, async ({ keeper }) =>
    keeper.decide(order, { ...(await conversationOf(given, keeper)), by, atMs: Date.now() }),
  );
  if (!answer.ok) {
    io.err(refusalLine(answer));
    return 1;
  }
  printLine(io, answer.words);
  if (answer.report !== undefined) printLine(io, `\n${renderReport(answer.report, "text").trimEnd()}`);
  return 0;
}

function reasonOf(given: GivenArguments): string {
  const reason = given.textOf("reason");
  if (reason === null || reason.trim() === "") throw new UsageError("--reason: expected why, got nothing");
  return reason;
}

function targetsOf(given: GivenArguments): Targets {
  const path = given.textOf("path");
  const latest = given.textOf("latest");
  return {
    ids: given.positional,
    paths: path === null ? [] : [path],
    latest: latest === null ? null : countOf("latest", latest),
  };
}

function lifetimeOf(given: GivenArguments): Lifetime {
  const turns = given.textOf("turns");
  const steps = given.textOf("steps");
  const scope = given.textOf("scope");
  const stated = [turns, steps, scope].filter((one) => one !== null);
  if (stated.length > 1) throw new UsageError("expected one of --turns, --steps and --scope");
  if (stated.length > 0 && given.isSet("off")) throw new UsageError("expected --off or a lifetime, got both");
  if (turns !== null) return { kind: "turns", turns: countOf("turns", turns) };
  if (steps !== null) return { kind: "steps", steps: countOf("steps", steps) };
  return scope === null ? { kind: "forever" } : { kind: "scope", scope };
}

function countOf(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`--${flag}: expected a whole number from 0, got ${JSON.stringify(text)}`);
}
