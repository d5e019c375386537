import type { Gate } from "../../model/ports.ts";

/** Refuses a result whose text cannot be replaced without touching other blocks, media that carry nothing, and all else. */
export const nonTextBlocks: Gate = {
  reason: "non_text_blocks",
  refuse(candidate) {
    const { item } = candidate;
    if (item.kind === "media") {
      return item.isReplaceable
        ? null
        : "the attachment is only referred to or not understood, or stands before a message that is not understood";
    }
    if (item.kind !== "result") return `a ${item.kind} item is not released by text`;
    return item.isReplaceable
      ? null
      : "the result holds what is not plain text, or stands before a message that is not understood";
  },
};
