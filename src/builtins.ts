import { createClaudeCodeDialect } from "./dialects/claude-code.ts";
import { createClineDialect } from "./dialects/cline.ts";
import { createCodexDialect } from "./dialects/codex.ts";
import { createCopilotCliDialect } from "./dialects/copilot-cli.ts";
import { createCursorDialect } from "./dialects/cursor.ts";
import { createGeminiCliDialect } from "./dialects/gemini-cli.ts";
import { createGenericDialect } from "./dialects/generic.ts";
import { createLangChainDialect } from "./dialects/langchain.ts";
import { createMcpFilesDialect, withMcpFiles } from "./dialects/mcp-files.ts";
import { createMiniSweAgentDialect } from "./dialects/mini-swe-agent.ts";
import { createOpencodeDialect } from "./dialects/opencode.ts";
import { createOpenHandsDialect } from "./dialects/openhands.ts";
import { createPiDialect } from "./dialects/pi.ts";
import { createQwenCodeDialect } from "./dialects/qwen-code.ts";
import { createRooDialect } from "./dialects/roo.ts";
import { createSweAgentDialect } from "./dialects/swe-agent.ts";
import { createTextEditorDialect } from "./dialects/text-editor.ts";
import { createVsCodeCopilotDialect } from "./dialects/vscode-copilot.ts";
import { alreadyMarked } from "./engine/gates/already-marked.ts";
import { boundThinking } from "./engine/gates/bound-thinking.ts";
import { cachedPrefix } from "./engine/gates/cached-prefix.ts";
import { heldBySpan } from "./engine/gates/held-by-span.ts";
import { keptVerbatim } from "./engine/gates/kept-verbatim.ts";
import { loadBearing } from "./engine/gates/load-bearing.ts";
import { markerNoWin } from "./engine/gates/marker-no-win.ts";
import { netGuard } from "./engine/gates/net-guard.ts";
import { nonTextBlocks } from "./engine/gates/non-text-blocks.ts";
import { notStored } from "./engine/gates/not-stored.ts";
import { protectedItem } from "./engine/gates/protected.ts";
import { thrashGuard } from "./engine/gates/thrash-guard.ts";
import { unknownBoundary } from "./engine/gates/unknown-boundary.ts";
import { assert } from "./lib/assert.ts";
import type { Dialect, Gate, Provider, Wire } from "./model/ports.ts";
import { anthropicProvider } from "./providers/anthropic.ts";
import { compatibleProvider } from "./providers/compatible.ts";
import { deepseekProvider } from "./providers/deepseek.ts";
import { geminiProvider } from "./providers/gemini.ts";
import { groqProvider } from "./providers/groq.ts";
import { openaiProvider } from "./providers/openai.ts";
import { openrouterProvider } from "./providers/openrouter.ts";
import type { CacheEditsAdapter } from "./wires/anthropic-messages/cache-edits.ts";
import { createAnthropicMessages } from "./wires/anthropic-messages/index.ts";
import { createGemini } from "./wires/gemini/index.ts";
import { createOpenaiChat } from "./wires/openai-chat/index.ts";
import { createOpenaiResponses } from "./wires/openai-responses/index.ts";

/** API formats Ebb edits; every other request passes through. */
export const wires: readonly Wire[] = wiresWith(null);

/** The same with a form in which a provider is asked to delete from its own cache; null: it is never asked. */
export function wiresWith(cacheEdits: CacheEditsAdapter | null): readonly Wire[] {
  return [createAnthropicMessages({ cacheEdits }), createOpenaiChat(), createOpenaiResponses(), createGemini()];
}

/** Agents, which may also call file servers of the Model Context Protocol. */
const agents: readonly Dialect[] = [
  createOpencodeDialect(),
  createCodexDialect(),
  createGeminiCliDialect(),
  createQwenCodeDialect(),
  createClaudeCodeDialect(),
  createPiDialect(),
  createClineDialect(),
  createRooDialect(),
  createVsCodeCopilotDialect(),
  createCopilotCliDialect(),
  createOpenHandsDialect(),
  createSweAgentDialect(),
  createMiniSweAgentDialect(),
  createCursorDialect(),
].map(withMcpFiles);

/** Agents' tools, most specific first; the last one recognises any request. */
export const dialects: readonly Dialect[] = [
  ...agents,
  createLangChainDialect(),
  createMcpFilesDialect(),
  createTextEditorDialect(),
  createGenericDialect(),
];

/** Endpoints and models Ebb knows, by name. */
export const providers = {
  anthropic: anthropicProvider,
  openai: openaiProvider,
  gemini: geminiProvider,
  deepseek: deepseekProvider,
  openrouter: openrouterProvider,
  groq: groqProvider,
  compatible: compatibleProvider,
} satisfies Readonly<Record<string, Provider>>;

/** The provider whose own API a wire is, among those at hand; the first of them where none is. */
export function providerOfWire(wire: string, among: readonly Provider[] = Object.values(providers)): Provider {
  const name = WIRE_PROVIDERS.get(wire);
  const provider = among.find((one) => one.name === name) ?? among[0];
  assert(provider !== undefined, "there is a provider at least");
  return provider;
}

const WIRE_PROVIDERS: ReadonlyMap<string, keyof typeof providers> = new Map([
  ["anthropic-messages", "anthropic"],
  ["openai-chat", "openai"],
  ["openai-responses", "openai"],
  ["gemini", "gemini"],
]);

/** Refusals in the order in which they are asked; the first one names the reason. */
export const gates: readonly Gate[] = [
  alreadyMarked,
  protectedItem,
  heldBySpan,
  keptVerbatim,
  thrashGuard,
  netGuard,
  loadBearing,
  nonTextBlocks,
  notStored,
  boundThinking,
  unknownBoundary,
  cachedPrefix,
  markerNoWin,
];
