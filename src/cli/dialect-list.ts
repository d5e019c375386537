import type { ResolvedConfig } from "../config/resolved.ts";
import { createDescribedDialect } from "../dialects/described.ts";
import { assert } from "../lib/assert.ts";
import type { Dialect } from "../model/ports.ts";

/** Dialects in the order in which they are asked: stated ones first. A chosen one is alone and takes every request. */
export function dialectsOf(
  { dialect, dialects }: Pick<ResolvedConfig, "dialect" | "dialects">,
  builtin: readonly Dialect[],
): readonly Dialect[] {
  const stated = dialects.map((description) => {
    const base = builtin.find(({ name }) => name === description.base);
    assert(base !== undefined, `no dialect ${description.base}`);
    return createDescribedDialect(description, base);
  });
  if (dialect === null) return [...stated, ...builtin];
  const chosen = [...stated, ...builtin].find(({ name }) => name === dialect);
  assert(chosen !== undefined, `no dialect ${dialect}`);
  return [{ ...chosen, recognises: () => true }];
}
