import type { RequestHeader } from "../../src/model/transcript.ts";

const EMPTY: RequestHeader = {
  model: null,
  toolNames: [],
  systemTexts: [],
  cacheKey: "",
  cacheTtlMs: null,
  parts: { tools: "", system: "", thinking: null, effort: null, toolChoice: null },
  headBreakpoints: 0,
  hasServerClear: false,
  isStreaming: false,
  overheadBytes: 0,
};

/** The header of a request that states nothing but what is given. */
export function headerOf(own: Partial<RequestHeader>): RequestHeader {
  return { ...EMPTY, ...own };
}
