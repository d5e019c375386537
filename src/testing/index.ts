export { type Reshape, type SampleBody, testWire, type WireCheck, type WireSamples } from "./test-wire.ts";
