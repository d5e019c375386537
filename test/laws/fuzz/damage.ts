import { parseTree, type TreeNode } from "../../../src/replay/json-tree.ts";
import type { Dice } from "../client/dice.ts";

/** A body damaged in one to four ways, some of which leave JSON and some of which do not. */
export function damaged(body: Uint8Array, dice: Dice): Uint8Array {
  let bytes = body;
  for (let count = 1 + dice.below(4); count > 0; count--) bytes = dice.pick(WAYS)(bytes, dice);
  return bytes;
}

type Way = (bytes: Uint8Array, dice: Dice) => Uint8Array;

/** Values of other types, numbers that no double holds, and names of the formats in odd places. */
const VALUES = [
  "null",
  "true",
  "-0",
  "1e400",
  "-1E-400",
  `${"9".repeat(400)}`,
  '""',
  '"\\ud83d"',
  '"tool_result"',
  '"function_call_output"',
  '"user"',
  "[]",
  "{}",
  "[null,[{}]]",
  '{"type":"text","text":"x"}',
  '{"type":"image","source":{"type":"base64","data":"@@@@"}}',
  '{"functionResponse":{"name":"read","response":{"output":7}}}',
  '{"role":"tool","tool_call_id":"call_10","content":[null]}',
  '{"type":"function_call_output","call_id":"call_10","output":[{"type":"input_text"}]}',
  '{"__proto__":{"type":"text"},"constructor":null}',
] as const;

/** Bytes that are no UTF-8, or that stand for characters which JSON does not allow in a string. */
const ODD_BYTES = ["ff", "c080", "eda080", "80", "f4908080", "efbbbf", "00", "1f", "e280a8", "f09f98"] as const;

const NAMES = [
  "type",
  "role",
  "content",
  "text",
  "output",
  "input",
  "parts",
  "response",
  "id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "name",
  "arguments",
  "messages",
  "contents",
  "__proto__",
] as const;

const DEPTHS = [10, 200, 20_000] as const;

const WAYS: readonly [Way, ...Way[]] = [
  (bytes, dice) => changed(bytes, dice.below(bytes.length + 1), 1, Buffer.from([dice.below(256)])),
  (bytes, dice) => {
    const at = dice.below(bytes.length + 1);
    return changed(bytes, at, 1, Buffer.from([(bytes[at] ?? 0) ^ (1 << dice.below(8))]));
  },
  (bytes, dice) => bytes.subarray(0, dice.below(bytes.length + 1)),
  (bytes, dice) => changed(bytes, dice.below(bytes.length + 1), dice.below(40), Buffer.alloc(0)),
  (bytes, dice) => {
    const at = dice.below(bytes.length + 1);
    return changed(bytes, at, 0, Buffer.from(bytes.subarray(at, at + dice.below(60))));
  },
  (bytes, dice) => changed(bytes, dice.below(bytes.length + 1), 0, Buffer.from(dice.pick(ODD_BYTES), "hex")),
  (bytes, dice) => onValue(bytes, dice, () => dice.pick(VALUES)),
  (bytes, dice) => onValue(bytes, dice, () => dice.pick(VALUES)),
  (bytes, dice) => onValue(bytes, dice, ({ raw }) => `[${raw}]`),
  (bytes, dice) => onValue(bytes, dice, ({ raw }) => `[${raw},${raw}]`),
  (bytes, dice) => onValue(bytes, dice, ({ raw }, other) => (other.raw === raw ? "{}" : other.raw)),
  (bytes, dice) => {
    const depth = dice.pick(DEPTHS);
    return onValue(bytes, dice, () => "[".repeat(depth) + "]".repeat(depth));
  },
  (bytes, dice) => onValue(bytes, dice, ({ raw }, other) => (raw.startsWith("{") ? withTwin(raw, other, dice) : raw)),
  (bytes, dice) => onValue(bytes, dice, ({ raw }) => raw.replace(/"\w+"\s*:/, `"${dice.pick(NAMES)}":`)),
  (bytes, dice) => onValue(bytes, dice, ({ raw }) => raw.replace(/^"/, `"${dice.pick(["\\ud83d", "\\u0000", "\\/"])}`)),
];

/** An object with a member more, whose name it may have already. */
function withTwin(raw: string, other: TreeNode, dice: Dice): string {
  const member = `"${dice.pick(NAMES)}":${dice.oneIn(2) ? other.raw : dice.pick(VALUES)}`;
  if (raw === "{}") return `{${member}}`;
  return dice.oneIn(2) ? `{${member},${raw.slice(1)}` : `${raw.slice(0, -1)},${member}}`;
}

/** One value of the body gives way to what is made of it and of another one; a body that is no JSON stays. */
function onValue(bytes: Uint8Array, dice: Dice, make: (value: TreeNode, other: TreeNode) => string): Uint8Array {
  const tree = parseTree(bytes);
  if (tree === null) return bytes;
  const [value, other] = [walk(tree, dice), walk(tree, dice)];
  return changed(bytes, value.start, value.raw.length, Buffer.from(make(value, other), "latin1"));
}

/** A value anywhere, found from the top: what lies deep is as likely as what does not. */
function walk(tree: TreeNode, dice: Dice): TreeNode {
  let node = tree;
  while (!dice.oneIn(6)) {
    const inner = [...node.members.values(), ...node.elements];
    const next = inner[dice.below(Math.max(1, inner.length))];
    if (next === undefined) return node;
    node = next;
  }
  return node;
}

function changed(bytes: Uint8Array, at: number, length: number, put: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + length)]);
}
