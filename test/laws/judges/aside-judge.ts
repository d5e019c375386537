import type { Store } from "../../../src/model/store.ts";
import { withoutAsides } from "../../../src/replay/law-asides.ts";
import { createLawChecker } from "../../../src/replay/law-checker.ts";
import { asidesIn } from "../../support/inline/stored-asides.ts";
import type { AsideTally, AsideWatcher, LeftBody } from "../asides/aside-play.ts";
import { expectedRuns, runsIn } from "../asides/thread.ts";

/** Judges every body that leaves in a session whose model recalls inside the stream; remembers what it saw of the session. */
export function judgeAsides(tally: AsideTally): AsideWatcher {
  const laws = createLawChecker();
  const results = new Map<string, string>();
  const tools = new Map<string, string>();
  return async (left, store) => {
    const body: SentBody = JSON.parse(left.sent);
    const expected = expectedRuns(left.messages);
    const runs = runsIn(body.messages);
    const faults = runs.join("\n") === expected.join("\n") ? [] : [differenceOf(expected, runs)];
    faults.push(...steadyFaults(body, results));
    const added = toolsAdded(body, left);
    faults.push(...sameTools(added, left, tools));
    if (left.isFirst) faults.push(...(await byteFaults(left, added, store, { laws, tally })));
    return faults;
  };
}

interface SentBody {
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Content[] }[];
}

interface Content {
  readonly type: string;
  readonly tool_use_id?: string;
  readonly [name: string]: unknown;
}

function differenceOf(expected: readonly string[], runs: readonly string[]): string {
  const at = expected.findIndex((run, index) => run !== runs[index]);
  const place = at === -1 ? expected.length : at;
  return `paired: run ${place} is «${runs[place] ?? "none"}» and should be «${expected[place] ?? "none"}»`;
}

/** Answers of Ebb's own tools are the same to the byte in every request. */
function steadyFaults({ messages }: SentBody, known: Map<string, string>): readonly string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap(({ cache_control: _, ...block }) => {
      const id = block.tool_use_id;
      if (id === undefined || !id.startsWith("own")) return [];
      const json = JSON.stringify(block);
      const before = known.get(id) ?? json;
      known.set(id, before);
      return before === json ? [] : [`steady: the answer of ${id} differs`];
    }),
  );
}

function toolsAdded({ tools }: SentBody, { received }: LeftBody): string | null {
  const { tools: came }: SentBody = JSON.parse(Buffer.from(received).toString());
  const added = tools.slice(came.length);
  return added.length === 0 ? null : added.map((tool) => JSON.stringify(tool)).join(",");
}

/** Every session of these laws begins behind Ebb: its tool is there from the first request on. */
function sameTools(added: string | null, { prepared }: LeftBody, known: Map<string, string>): readonly string[] {
  if (added === null) return ["steady: the tool is not offered"];
  const before = known.get("tools") ?? added;
  known.set("tools", before);
  if (prepared.plan === null) return [`open on failure: ${prepared.problem}`];
  return before === added ? [] : ["steady: the tool is offered in other bytes"];
}

interface Judging {
  readonly laws: ReturnType<typeof createLawChecker>;
  readonly tally: AsideTally;
}

async function byteFaults(
  { received, sent, messages, prepared }: LeftBody,
  tools: string | null,
  store: Store,
  { laws, tally }: Judging,
): Promise<readonly string[]> {
  const called = new Set(messages.flatMap(({ rounds }) => rounds.flatMap(({ own }) => Array.from(own))));
  const asides = (await asidesIn(store)).filter(({ ids }) => ids.some((id) => called.has(id)));
  tally.putBack += asides.length;
  const input = { original: received, forwarded: Buffer.from(sent), asides: asides.map(({ blocks }) => blocks), tools };
  const { body, violations } = withoutAsides(input);
  const checked = laws.check({
    conversation: prepared.plan?.lineage ?? "",
    original: received,
    forwarded: body,
    declared: new Set(),
    edits: [],
    insertions: new Set(),
  });
  return [...violations, ...checked.violations];
}
