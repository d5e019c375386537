import { parseTree, type TreeNode, toBinary } from "./json-tree.ts";

/** What a forwarded body is judged by: the body that came, and what the ledger says was put into it. */
export interface AsideInput {
  readonly original: Uint8Array;
  readonly forwarded: Uint8Array;
  /** JSON of the calls and results of each aside that stands in it. */
  readonly asides: readonly { readonly calls: readonly string[]; readonly results: readonly string[] }[];
  /** JSON of the tool definitions that were added, with commas between; null for none. */
  readonly tools: string | null;
}

export interface WithoutAsides {
  /** The body that came, each of its blocks as it was forwarded; what other laws judge. */
  readonly body: Uint8Array;
  /** Violations in words, each beginning with the law's name. */
  readonly violations: readonly string[];
}

/**
 * Takes tools and asides out of a forwarded body, and judges that beside them it is the body that came: the tools stand last and
 * as they are, each call and result of an aside stands once and byte for byte, results in the message behind their calls. Shares
 * no code with what puts them in.
 */
export function withoutAsides({ original, forwarded, asides, tools }: AsideInput): WithoutAsides {
  const [before, after] = [parseTree(original), parseTree(forwarded)];
  if (before === null || after === null) return { body: forwarded, violations: ["untouched: a body is no JSON"] };
  const put = blocksPut(asides);
  const own: PlacedBlock[] = [];
  const stood: PlacedBlock[] = [];
  for (const block of blocksIn(after)) (put.has(block.raw) ? stood : own).push(block);
  const came = blocksIn(before);
  const violations = [
    ...headFaults(before, after, tools),
    ...asides.flatMap((aside) => pairFaults(aside, stood)),
    ...blockFaults(came, own),
  ];
  if (stood.length !== put.size) violations.push(`paired: ${stood.length} blocks were put in where ${put.size} belong`);
  return { body: rebuilt(toBinary(original), came, own), violations };
}

/** A block of a message, or a text that stands for one. */
interface PlacedBlock {
  readonly role: string;
  readonly messageIndex: number;
  /** As one block, however it was written. */
  readonly raw: string;
  readonly node: TreeNode;
}

const MESSAGES = "messages";
const TOOLS = "tools";

function blocksIn(tree: TreeNode): readonly PlacedBlock[] {
  const messages = tree.members.get(MESSAGES)?.elements ?? [];
  return messages.flatMap((message, messageIndex) => {
    const role = message.members.get("role")?.text ?? "";
    const content = message.members.get("content");
    if (content === undefined) return [];
    // A text that is put beside others is written as a block; one without characters is none.
    if (content.kind !== "array") {
      if (content.text === "") return [];
      return [{ role, messageIndex, raw: `{"type":"text","text":${content.raw}}`, node: content }];
    }
    return content.elements.map((node) => ({ role, messageIndex, raw: node.raw, node }));
  });
}

function blocksPut(asides: AsideInput["asides"]): ReadonlySet<string> {
  return new Set(asides.flatMap(({ calls, results }) => [...calls, ...results].map(binaryOf)));
}

function headFaults(before: TreeNode, after: TreeNode, tools: string | null): readonly string[] {
  const faults: string[] = [];
  const names = new Set([...before.members.keys(), ...after.members.keys()]);
  for (const name of names) {
    if (name === MESSAGES || name === TOOLS) continue;
    const isSame = before.members.get(name)?.raw === after.members.get(name)?.raw;
    if (!isSame) faults.push(`untouched: ${name} differs`);
  }
  const came = rawsOf(before.members.get(TOOLS));
  const added = tools === null ? [] : rawsOf(parseTree(Buffer.from(`[${tools}]`)) ?? undefined);
  const left = rawsOf(after.members.get(TOOLS));
  const expected = [...came, ...added];
  const areSame = expected.length === left.length && expected.every((raw, index) => raw === left[index]);
  return areSame ? faults : [...faults, "untouched: the tools are not those that came, and then those that were added"];
}

function rawsOf(list: TreeNode | undefined): readonly string[] {
  return list?.elements.map(({ raw }) => raw) ?? [];
}

/** Calls in one message of the model, in order; their results in the message behind it, in the same order. */
function pairFaults(
  { calls, results }: AsideInput["asides"][number],
  stood: readonly PlacedBlock[],
): readonly string[] {
  const placesOf = (jsons: readonly string[]) => jsons.map((json) => stood.filter(({ raw }) => raw === binaryOf(json)));
  const [called, answered] = [placesOf(calls), placesOf(results)];
  if ([...called, ...answered].some((places) => places.length !== 1)) {
    return ["paired: a call or a result of an aside does not stand once"];
  }
  const [at, behind] = [called.flat(), answered.flat()];
  const first = at[0]?.messageIndex ?? 0;
  const faults: string[] = [];
  if (at.some(({ role, messageIndex }) => role !== "assistant" || messageIndex !== first)) {
    faults.push("paired: the calls of an aside stand in several messages");
  }
  if (behind.some(({ role, messageIndex }) => role !== "user" || messageIndex !== first + 1)) {
    faults.push("paired: the results of an aside do not follow its calls");
  }
  const order = [...at, ...behind].map((block) => stood.indexOf(block));
  if (order.some((place, index) => index > 0 && place < (order[index - 1] ?? 0))) {
    faults.push("steady: the calls or results of an aside stand in another order");
  }
  return faults;
}

/** Block by block; what a marker replaces keeps its call. */
function blockFaults(came: readonly PlacedBlock[], own: readonly PlacedBlock[]): readonly string[] {
  if (came.length !== own.length) return [`paired: ${came.length} blocks came, ${own.length} left`];
  return came.flatMap((block, index) => {
    const other = own[index];
    return other === undefined || nameOf(other) !== nameOf(block) ? [`paired: block ${index} is another one`] : [];
  });
}

function nameOf({ role, node }: PlacedBlock): string {
  const member = (name: string) => node.members.get(name)?.text ?? "";
  return JSON.stringify([role, member("type") || "text", member("id") || member("tool_use_id")]);
}

/** The body that came with each block in the form in which it was forwarded. */
function rebuilt(original: string, came: readonly PlacedBlock[], own: readonly PlacedBlock[]): Uint8Array {
  let text = "";
  let from = 0;
  for (const [index, { node, raw }] of came.entries()) {
    const other = own[index];
    if (other === undefined || other.raw === raw) continue;
    text += original.slice(from, node.start) + (node.kind === "string" ? other.node.raw : other.raw);
    from = node.start + node.raw.length;
  }
  return Buffer.from(text + original.slice(from), "latin1");
}

function binaryOf(json: string): string {
  return toBinary(Buffer.from(json));
}
