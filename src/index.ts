export { builtinKeeperSettings } from "./builtin-settings.ts";
export { dialects, gates, providers, wires, wiresWith } from "./builtins.ts";
export { type ReportFormat, renderReport } from "./engine/report-format.ts";
export type { Binding, ToolCall } from "./keeper/bind.ts";
export type {
  AcquiredItem,
  Figures,
  Inline,
  Keeper,
  KeeperRequest,
  KeeperStats,
  Mode,
  Prepared,
  RecallAnswer,
  RecallFailure,
  RecallQuery,
  RegretFigures,
  RequestPlan,
} from "./keeper/contract.ts";
export type { EjectAnswer, EjectQuery, Returning } from "./keeper/eject.ts";
export { createKeeper } from "./keeper/keeper.ts";
export type { Lifetime, Order, OrderAnswer, OrderContext, OrderFailure, Targets } from "./keeper/order.ts";
export type { ReportAnswer, ReportQuery } from "./keeper/report.ts";
export type { InlineTools, KeeperSettings } from "./keeper/settings.ts";
export type { Status, StatusAnswer, StatusQuery } from "./keeper/status.ts";
export type { WindowAnswer, WindowHold, WindowItem, WindowPath, WindowScope } from "./keeper/window.ts";
export { EbbError, type EbbErrorCode } from "./lib/ebb-error.ts";
export { addressOf } from "./lib/hash.ts";
export { createInlineAnswerer } from "./mcp/inline-call.ts";
export { inlineDefinitions } from "./mcp/inline-definitions.ts";
export type {
  Acquisition,
  ChangeText,
  FileChange,
  LineRange,
  Outcome,
  PlacedAcquisition,
  ReadFact,
  Replacement,
  ToolKind,
  Window,
} from "./model/acquisition.ts";
export type { CacheRules, MediaFacts, ModelFacts, PriceRow, Prices, ThinkingBinding } from "./model/cache.ts";
export type {
  Candidate,
  Decision,
  Decline,
  DeclineReason,
  ItemLabel,
  MarkerMode,
  Moment,
  Proposal,
  RecallChannel,
  ReleaseReason,
  Restoration,
  Standing,
} from "./model/decision.ts";
export type { Edit, Script } from "./model/edit.ts";
export type { Address, Digest, Item, ItemKey, Role } from "./model/item.ts";
export {
  type ItemRecord,
  LEDGER_VERSION,
  type LedgerEntry,
  type LedgerRecord,
  type SeenChange,
} from "./model/ledger.ts";
export type { LifetimeRule } from "./model/lifetime-rule.ts";
export type {
  Dialect,
  Gate,
  PatternEngine,
  Policy,
  PolicyOpinion,
  Provider,
  ReadMemo,
  ReadOutcome,
  ResponseWatcher,
  ShellCommand,
  ShellParser,
  TokenCounter,
  Wire,
  WireRoute,
  WireSource,
} from "./model/ports.ts";
export type { Regret, RegretKind } from "./model/regret.ts";
export type {
  ChangeActor,
  DiffEngine,
  Hunk,
  HunkSide,
  NetEffect,
  Report,
  ReportedBoundary,
  ReportedChange,
  ReportedFile,
  ReportedItem,
  ReportedPart,
  ReportedScope,
  ScopeEnd,
} from "./model/report.ts";
export type { SessionHints } from "./model/session.ts";
export type {
  Commit,
  CommitOutcome,
  FoundItem,
  Original,
  PurgeSelection,
  Removed,
  Store,
  StoredOriginal,
  StoreSize,
} from "./model/store.ts";
export type { ToolAnswer, ToolContent, ToolDefinition } from "./model/tool.ts";
export type { Clock, Message, RequestHeader, Transcript } from "./model/transcript.ts";
export type { ResponseFacts, Usage } from "./model/usage.ts";
export type { Exposure, SizeBound, View } from "./model/view.ts";
export type { Declaration, KeptRange, PathDeclaration, RecordedWish, Scope, Until, Wish } from "./model/wish.ts";
export { createDeliberate, type DeliberateOptions } from "./policies/deliberate.ts";
export { lifetimes } from "./policies/lifetimes.ts";
export { createMediaBudget, type MediaBudgetOptions } from "./policies/media-budget.ts";
export { createReadLifecycle, type ReadLifecycleOptions } from "./policies/read-lifecycle.ts";
export { createSizeBound, type SizeBoundOptions } from "./policies/size-bound.ts";
export { SIZE_BOUND_DEFAULT } from "./policies/size-bound-default.ts";
export { stubRepair } from "./policies/stub-repair.ts";
export { asModel } from "./providers/as-model.ts";
export { type StatedCache, type StatedMedia, type StatedModel, withStatedModels } from "./providers/stated-models.ts";
export { type ProxyOptions, type RunningProxy, startProxy } from "./proxy/server.ts";
export { createMemoryStore } from "./stores/memory.ts";
export { openSqliteStore } from "./stores/sqlite.ts";
