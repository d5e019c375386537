import type { InlineWire, Wire } from "../../../src/model/ports.ts";
import { type AsideWorld, realWire } from "./aside-play.ts";

/** Keepers that break the law of asides in one way each. */
export const asideMutants: readonly { readonly name: string; readonly breaks: Partial<AsideWorld> }[] = [
  {
    name: "an aside is forgotten after a restart",
    breaks: { storeOf: (store) => ({ ...store, findAnchored: async () => [] }) },
  },
  {
    name: "results stand in another order",
    breaks: {
      wire: withInline((inline) => ({
        ...inline,
        insert: (body, source, { tools, asides }) =>
          inline.insert(body, source, {
            tools,
            asides: asides.map((aside) => ({ ...aside, results: aside.results.toReversed() })),
          }),
      })),
    },
  },
  {
    name: "an aside of an answer that was left behind is put into another",
    breaks: {
      storeOf: (store) => ({
        ...store,
        loadLineage: async (tenant, lineage) =>
          (await store.loadLineage(tenant, lineage)).map((record) =>
            record.entry.type === "aside-closed" ? { ...record, entry: NOTHING_TOLD } : record,
          ),
      }),
    },
  },
  {
    name: "the tool is offered at another place",
    breaks: {
      wire: withInline((inline) => ({
        ...inline,
        insert: (body, source, insertions) => {
          const put = inline.insert(body, source, insertions);
          if (put === null || insertions.tools === null) return put;
          const text = Buffer.from(put).toString("latin1").replace(`,${insertions.tools}]`, "]");
          return Buffer.from(text.replace('"tools":[', `"tools":[${insertions.tools},`), "latin1");
        },
      })),
    },
  },
  {
    name: "calls stand behind what the model said next",
    breaks: {
      wire: withInline((inline) => ({
        ...inline,
        marksOf: (source, messageIndex, expected) =>
          inline.marksOf(source, messageIndex, expected).map((mark) => ({ ...mark, blockIndex: mark.blockIndex + 1 })),
      })),
    },
  },
];

const NOTHING_TOLD = { type: "client-folded", fromLineage: "none" } as const;

function withInline(change: (inline: InlineWire) => InlineWire): Wire {
  const { inline } = realWire;
  return inline === null ? realWire : { ...realWire, inline: change(inline) };
}
