export { type FakeProvider, type FakeProviderOptions, startFakeProvider } from "./fake-provider.ts";
export { type DialectCheck, type DialectSample, testDialect } from "./test-dialect.ts";
export { type StoreCheck, type StoreSpace, testStore } from "./test-store.ts";
export { type Reshape, type SampleBody, testWire, type WireCheck, type WireSamples } from "./test-wire.ts";
export type { SampleResponse } from "./test-wire-responses.ts";
