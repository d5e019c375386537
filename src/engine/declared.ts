import type { ItemKey } from "../model/item.ts";
import type { Withdrawal } from "../model/ledger.ts";
import type { Clock } from "../model/transcript.ts";
import type { Declaration, PathDeclaration } from "../model/wish.ts";
import { type Deliberate, judgeUntil } from "./deliberate.ts";

/** An item as declarations see it: its own key, and the paths it may have been named by. */
export interface Declarable {
  readonly key: ItemKey;
  /** False for an item that enters the ledger with this very request: only those are bound by a path. */
  readonly isAcquired: boolean;
  /** The path as the agent wrote it, and absolute; null where there is none. */
  readonly path: string | null;
  readonly absolutePath: string | null;
}

/** What holds an item for a declared time: what was said of it last, or of its path if it was acquired just now. */
export function spanOf(item: Declarable, deliberate: Deliberate, clock: Clock | null): Declared | null {
  return declaredOf(item, deliberate.spans, deliberate.pathSpans, deliberate, clock);
}

/** What protects an item: what was said of it last, or of its path if it was acquired just now. */
export function protectionOf(item: Declarable, deliberate: Deliberate, clock: Clock | null): Declared | null {
  return declaredOf(item, deliberate.protections, deliberate.pathProtections, deliberate, clock);
}

/** A declaration that stands, whether or not its end was reached; `own` false where it is only the path's. */
export interface Declared {
  readonly declaration: Declaration | PathDeclaration;
  readonly isOwn: boolean;
}

function declaredOf(
  item: Declarable,
  own: ReadonlyMap<ItemKey, Declaration | Withdrawal>,
  paths: ReadonlyMap<string, PathDeclaration>,
  { scopes }: Deliberate,
  clock: Clock | null,
): Declared | null {
  const said = own.get(item.key);
  if (said !== undefined) return said.until === null ? null : { declaration: said, isOwn: true };
  if (item.isAcquired || paths.size === 0) return null;
  const declaration =
    (item.absolutePath === null ? undefined : paths.get(item.absolutePath)) ??
    (item.path === null ? undefined : paths.get(item.path));
  // A path binds what is acquired while it lasts; what comes after its end was never bound.
  if (declaration === undefined || judgeUntil(declaration.until, clock, scopes) === "over") return null;
  return { declaration, isOwn: false };
}
