import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { EbbError } from "../../lib/ebb-error.ts";
import type { TokenCounter } from "../../model/ports.ts";
import { BODY_BYTES_MAX, readBody } from "./body.ts";
import { type CapturedRequest, createCapture } from "./capture.ts";
import type { SimulatedModels } from "./exchange.ts";
import type { Fault } from "./fault.ts";
import type { OtherModels } from "./models.ts";
import { byteCounter } from "./prompt.ts";
import { errorBody, refusal } from "./refusal.ts";
import { sendJson } from "./responses.ts";
import { handle } from "./routes.ts";
import type { Scenario } from "./scenario.ts";
import { createSimulator, type Simulator } from "./simulator.ts";
import { MEDIA_MAX } from "./validate.ts";

export interface SimulatedProviderOptions {
  readonly models: SimulatedModels;
  /** Models of OpenAI and Gemini; left out: each of theirs gets the same facts. */
  readonly otherModels?: OtherModels;
  readonly scenario: Scenario;
  /** 0 or nothing: any free port. */
  readonly port?: number;
  /** Unix time in milliseconds; the computer's clock when left out. */
  readonly clock?: () => number;
  /** Each finished request is written there as one JSON file; nothing is written when left out. */
  readonly captureFolder?: string;
  /** False: thinking signatures, thought signatures and encrypted content are not checked. */
  readonly signatures?: boolean;
  /** Longest body, in bytes; 32 MB when left out. */
  readonly bodyBytesMax?: number;
  /** Images and documents of one request; 100 when left out. */
  readonly mediaMax?: number;
  /** Four bytes a token when left out. */
  readonly counter?: TokenCounter;
}

/** A running provider on 127.0.0.1. */
export interface SimulatedProvider {
  /** Origin without a trailing slash. */
  readonly url: string;
  /** The newest requests in order of arrival, control requests apart. */
  requests(): readonly CapturedRequest[];
  setScenario(scenario: Scenario): void;
  /** Replaces the fault that is still waiting, if any. */
  fault(fault: Fault): void;
  nowMs(): number;
  advanceClock(ms: number): void;
  /** Breaks connections that are still open. */
  close(): Promise<void>;
}

/** Starts scripted model APIs, each with a prompt cache: Messages, Chat Completions, Responses and Gemini. Rejects with `address_in_use` when the port is taken. */
export async function startSimulatedProvider(options: SimulatedProviderOptions): Promise<SimulatedProvider> {
  const simulator = createSimulator({
    rules: {
      models: options.models,
      otherModels: options.otherModels,
      counter: options.counter ?? byteCounter,
      signatures: options.signatures ?? true,
      mediaMax: options.mediaMax ?? MEDIA_MAX,
    },
    scenario: options.scenario,
    clock: options.clock ?? Date.now,
    capture: createCapture(options.captureFolder ?? null),
  });
  const server = createServer((request, response) => {
    void answer(simulator, request, response, options.bodyBytesMax ?? BODY_BYTES_MAX);
  });
  const port = await listen(server, options.port ?? 0);
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => simulator.capture.list(),
    setScenario: (scenario) => simulator.setScenario(scenario),
    fault: (fault) => simulator.setFault(fault),
    nowMs: () => simulator.nowMs(),
    advanceClock: (ms) => simulator.advance(ms),
    close: () => closeServer(server),
  };
}

async function answer(
  simulator: Simulator,
  request: IncomingMessage,
  response: ServerResponse,
  bodyBytesMax: number,
): Promise<void> {
  const atMs = simulator.nowMs();
  response.on("error", () => response.destroy());
  try {
    const body = await readBody(request, bodyBytesMax);
    await handle(simulator, { request, response, body, atMs });
  } catch (error) {
    if (response.headersSent || response.destroyed) response.destroy();
    else sendJson(response, 500, errorBody(refusal(500, String(error))));
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new EbbError("address_in_use", `127.0.0.1:${port} cannot be used: ${cause.message}`, cause));
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
