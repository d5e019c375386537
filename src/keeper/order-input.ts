import { z } from "zod";
import { cutAt } from "../lib/lines.ts";
import { describeIssues } from "../lib/schema-issues.ts";
import { type Lifetime, type Order, REASON_CHARS_MAX, type Targets } from "./order.ts";

/** Verbs that arrive as a name and a JSON object. */
export type OrderVerb = "keep" | "release" | "hold" | "protect";

/** A value from outside that is what was asked for, or why it is not: where, what was expected, what came. */
export type Given<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly words: string };

/** An order, and the session it names, if it names one. */
export interface GivenOrder {
  readonly order: Order;
  readonly session: string | null;
}

/** What `recall` is asked for. */
export interface GivenRecall {
  readonly id: string;
  readonly range: string | null;
  readonly pattern: string | null;
  readonly ignoreCase: boolean;
  readonly chars: number | null;
  /** Decides about the item in place of answering with it; null: answer. */
  readonly order: Order | null;
}

/** An order as JSON: `range`, `ids`, `turns` and the like as in the guides. Unknown fields are refused. */
export function readOrder(verb: OrderVerb, value: unknown): Given<GivenOrder> {
  switch (verb) {
    case "keep":
      return orderOf(keepSchema, value, ({ id, range, reason }) => ({ verb, id, range: range ?? null, reason }));
    case "release":
      return orderOf(releaseSchema, value, releaseOf);
    case "hold":
      return orderOf(holdSchema, value, holdOf);
    case "protect":
      return orderOf(protectSchema, value, (given) => holdOf({ ...given, protect: true }));
  }
}

/** What a `recall` call asks for; with `keep` or `release` it is an order. */
export function readRecall(value: unknown): Given<GivenRecall> {
  const given = checked(recallSchema, value);
  if (!given.ok) return given;
  const { id, range, pattern, ignore_case: ignoreCase, chars } = given.value;
  const order = recallOrderOf(given.value);
  if (typeof order === "string") return { ok: false, words: order };
  const asked = { id, range: range ?? null, pattern: pattern ?? null, ignoreCase: ignoreCase ?? false };
  return { ok: true, value: { ...asked, chars: chars ?? null, order } };
}

/** Lines of a `window` listing that are asked for; null for all. */
export function readWindow(value: unknown): Given<string | null> {
  const given = checked(windowSchema, value);
  return given.ok ? { ok: true, value: given.value.range ?? null } : given;
}

const ID_CHARS_MAX = 512;
const PATH_CHARS_MAX = 4_096;
const PATTERN_CHARS_MAX = 10_000;
const NAMED_MAX = 200;
const NAMED_ISSUES_MAX = 5;
const ISSUE_CHARS_MAX = 200;

const id = text("an address or a call id", ID_CHARS_MAX);
const reason = text("a reason", REASON_CHARS_MAX);
const range = z
  .string({ error: "lines as A-B, A-, -B, N or N@C-D" })
  .max(ID_CHARS_MAX, { error: "lines as A-B, A-, -B, N or N@C-D" })
  .nullish();
const session = text("the id of a session", ID_CHARS_MAX).nullish();
const truth = z.boolean({ error: "true or false" }).nullish();
const count = z
  .int({ error: "a whole number from 0" })
  .nonnegative({ error: "a whole number from 0" })
  .max(1_000_000_000, { error: "a whole number of at most 1000000000" })
  .nullish();
const atLeastOne = z
  .int({ error: "a whole number from 1" })
  .positive({ error: "a whole number from 1" })
  .max(1_000_000_000, { error: "a whole number of at most 1000000000" })
  .nullish();
const targets = {
  ids: listOf(id, "a list of addresses or call ids").nullish(),
  paths: listOf(text("a path", PATH_CHARS_MAX), "a list of paths").nullish(),
  latest: atLeastOne,
};
const lifetime = { turns: count, steps: count, scope: text("a scope's name", ID_CHARS_MAX).nullish(), off: truth };
const keepSchema = z.strictObject({ id, range, reason, session }, { error: "an order { id, range, reason }" });
const releaseSchema = z.strictObject(
  { ...targets, scope: lifetime.scope, reason, session },
  { error: "an order { ids, paths, latest, scope, reason }" },
);
const protectSchema = z.strictObject(
  { ...targets, ...lifetime, reason, session },
  { error: "an order { ids, paths, latest, turns, steps, scope, off, reason }" },
);
const holdSchema = protectSchema.extend({ protect: truth });
const windowSchema = z.strictObject({ range }, { error: "a question { range }" });
const recallSchema = z.strictObject(
  {
    id,
    range,
    pattern: z
      .string({ error: "a regular expression" })
      .max(PATTERN_CHARS_MAX, { error: `a regular expression of at most ${PATTERN_CHARS_MAX} characters` })
      .nullish(),
    ignore_case: truth,
    chars: atLeastOne,
    keep: truth,
    release: truth,
    reason: reason.nullish(),
  },
  { error: "a question { id, range, pattern, ignore_case, chars, keep, release, reason }" },
);

type HoldInput = z.infer<typeof holdSchema>;
type RecallInput = z.infer<typeof recallSchema>;

function orderOf<T extends { readonly session?: string | null | undefined }>(
  schema: z.ZodType<T>,
  value: unknown,
  toOrder: (given: T) => Order | string,
): Given<GivenOrder> {
  const given = checked(schema, value);
  if (!given.ok) return given;
  const order = toOrder(given.value);
  if (typeof order === "string") return { ok: false, words: order };
  return { ok: true, value: { order, session: given.value.session ?? null } };
}

/** Words instead of an order where the fields contradict each other. */
function releaseOf({ scope, reason, ...named }: z.infer<typeof releaseSchema>): Order | string {
  const targets = targetsOf(named);
  if (scope == null) return { verb: "release", targets, reason };
  const isNamed = targets.ids.length + targets.paths.length > 0 || targets.latest !== null;
  return isNamed ? "expected items or a scope, got both" : { verb: "close", scope, reason };
}

function holdOf(given: HoldInput): Order | string {
  const { reason } = given;
  const targets = targetsOf(given);
  const lifetime = lifetimeOf(given);
  if (typeof lifetime === "string") return lifetime;
  const isOff = given.off === true;
  if (isOff && lifetime.kind !== "forever") return "expected off or a lifetime, got both";
  if (given.protect === true) {
    return isOff ? { verb: "unprotect", targets, reason } : { verb: "protect", targets, lifetime, reason };
  }
  return isOff ? { verb: "unhold", targets, reason } : { verb: "hold", targets, lifetime, reason };
}

function targetsOf({ ids, paths, latest }: Pick<HoldInput, "ids" | "paths" | "latest">): Targets {
  return { ids: ids ?? [], paths: paths ?? [], latest: latest ?? null };
}

function lifetimeOf({ turns, steps, scope }: HoldInput): Lifetime | string {
  const stated = [turns, steps, scope].filter((one) => one != null);
  if (stated.length > 1) return "expected one of turns, steps and scope, got several";
  if (turns != null) return { kind: "turns", turns };
  if (steps != null) return { kind: "steps", steps };
  return scope == null ? { kind: "forever" } : { kind: "scope", scope };
}

function recallOrderOf(given: RecallInput): Order | null | string {
  const { keep, release, id, range, pattern, reason } = given;
  if (keep !== true && release !== true) return null;
  if (keep === true && release === true) return "expected keep or release, got both";
  if (pattern != null) return "pattern: expected a range, which keep and release decide by, got a pattern";
  if (reason == null) return "reason: expected a reason, got nothing";
  if (keep === true) return { verb: "keep", id, range: range ?? null, reason };
  if (range != null) return "range: expected nothing, because release is of the whole";
  return { verb: "release", targets: { ids: [id], paths: [], latest: null }, reason };
}

function checked<T>(schema: z.ZodType<T>, value: unknown): Given<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const issues = describeIssues("", value, parsed.error.issues);
  const named = issues.slice(0, NAMED_ISSUES_MAX).map(({ words }) => cutAt(words, ISSUE_CHARS_MAX));
  const more = issues.length - named.length;
  return { ok: false, words: [...named, ...(more > 0 ? [`and ${more} more`] : [])].join("; ") };
}

function text(what: string, charsMax: number) {
  const error = `${what} of 1 to ${charsMax} characters`;
  return z.string({ error: what }).min(1, { error: what }).max(charsMax, { error });
}

function listOf<T extends z.ZodType>(each: T, what: string) {
  return z.array(each, { error: what }).max(NAMED_MAX, { error: `${what}, at most ${NAMED_MAX}` });
}
