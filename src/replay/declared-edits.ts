import type { Edit, ServerClear } from "../model/edit.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { Transcript } from "../model/transcript.ts";

/** Where a block stands in the body that came. */
export interface BlockPlace {
  readonly message: number;
  readonly block: number;
}

/** A change beside the markers that somebody decided, by places: nothing else may be put in or left out. */
export type DeclaredEdit =
  | (BlockPlace & { readonly kind: "breakpoint"; readonly ttlMs: number })
  | (BlockPlace & { readonly kind: "omit" })
  /** Behind the block and all results of its message. */
  | (BlockPlace & { readonly kind: "note"; readonly text: string })
  /** Behind the last result of the block's message, or behind the block where none stands there. */
  | (BlockPlace & { readonly kind: "delete"; readonly callIds: readonly string[] })
  | { readonly kind: "server-clear"; readonly clear: ServerClear }
  | { readonly kind: "drop-thinking" };

/** The edits of a request beside its markers, by the places of their items; those without a place in it are left out. */
export function declaredEdits({ items }: Transcript, edits: readonly Edit[]): readonly DeclaredEdit[] {
  if (edits.length === 0) return [];
  const byKey = new Map(items.map((item) => [item.key, item]));
  return edits.flatMap((edit) => declaredEdit(edit, byKey));
}

function declaredEdit(edit: Edit, byKey: ReadonlyMap<ItemKey, Item>): readonly DeclaredEdit[] {
  switch (edit.kind) {
    case "replace":
      return [];
    case "server-clear":
    case "drop-thinking":
      return [edit];
    case "omit":
      return placeOf(byKey.get(edit.itemKey)).map((place) => ({ ...place, kind: "omit" }));
    case "breakpoint":
      return placeOf(byKey.get(edit.itemKey)).map((place) => ({ ...place, kind: "breakpoint", ttlMs: edit.ttlMs }));
    case "note":
      return placeOf(byKey.get(edit.anchorKey)).map((place) => ({ ...place, kind: "note", text: edit.text }));
    case "delete": {
      const results = edit.resultKeys.map((key) => byKey.get(key));
      const callIds = results.flatMap((item) => (item?.kind === "result" ? [item.callId] : []));
      return placeOf(byKey.get(edit.anchorKey)).map((place) => ({ ...place, kind: "delete", callIds }));
    }
  }
}

function placeOf(item: Item | undefined): readonly BlockPlace[] {
  return item === undefined ? [] : [{ message: item.messageIndex, block: item.blockIndex }];
}
