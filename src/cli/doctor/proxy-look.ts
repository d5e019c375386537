import { createServer } from "node:net";
import { z } from "zod";
import { ownAddressOf } from "../listening-address.ts";
import { askLocal, askOwnProxy } from "../own-proxy.ts";

/** What answers on the configured address. */
export type ProxySeen =
  /** Port 0: another one each time. */
  | { readonly kind: "any port" }
  /** Nothing; `listening` is null where a proxy could listen there, else the code of why not. */
  | { readonly kind: "absent"; readonly listening: string | null }
  | { readonly kind: "ebb"; readonly version: string; readonly stats: SeenStats | "refused" | null }
  | { readonly kind: "other program" };

/** What is read of a proxy's figures; parts that another version does not tell are left out. */
export type SeenStats = z.infer<typeof statsSchema>;

const TIMEOUT_MS = 1_000;

const counts = z.record(z.string(), z.number());
const statsSchema = z.object({
  mode: z.string().optional(),
  paused: z.boolean().optional(),
  requests: z.number().default(0),
  counted: z.number().default(0),
  unread: counts.default({}),
  unknown_models: counts.default({}),
  net_guard: z.object({ engaged: z.number(), requests: z.number() }).default({ engaged: 0, requests: 0 }),
  errors: z.array(z.object({ at_ms: z.number(), code: z.string(), words: z.string() })).default([]),
  fallbacks: counts.default({}),
  signature_refusals: z.number().default(0),
  law_violations: z.number().default(0),
  proxy: z
    .object({
      unedited: counts.default({}),
      refused: counts.default({}),
      upstream_errors: counts.default({}),
    })
    .default({ unedited: {}, refused: {}, upstream_errors: {} }),
});
const healthSchema = z.object({ status: z.literal("ok"), version: z.string() });

/** Whose proxy is looked for. `token` null: its figures are not asked for. */
export interface Asker {
  readonly dataFolder: string;
  readonly token: string | null;
}

/** Looks at the configured address. Never throws. */
export async function lookAtProxy(host: string, port: number, asker: Asker): Promise<ProxySeen> {
  if (port === 0) return { kind: "any port" };
  const address = ownAddressOf(host, port);
  const version = await ebbVersionAt(address, TIMEOUT_MS);
  if (version === "refused") return { kind: "absent", listening: await listeningFailure(host, port) };
  if (version === null) return { kind: "other program" };
  return { kind: "ebb", version, stats: await statsAt(address, asker) };
}

/** Version of the Ebb that answers at an origin; null where something else does; `refused` where nothing listens. */
export async function ebbVersionAt(origin: string, timeoutMs: number): Promise<string | "refused" | null> {
  const health = await askLocal(`${origin}/healthz`, timeoutMs);
  if (health.kind === "refused") return "refused";
  if (health.kind === "silent" || health.status !== 200) return null;
  return healthSchema.safeParse(parsed(health.text)).data?.version ?? null;
}

async function statsAt(address: string, { dataFolder, token }: Asker): Promise<SeenStats | "refused" | null> {
  if (token === null) return "refused";
  const answer = await askOwnProxy({ address, path: "/stats", dataFolder, token, timeoutMs: TIMEOUT_MS });
  if (answer.kind === "foreign") return "refused";
  if (answer.kind !== "answered") return null;
  if (answer.status !== 200) return "refused";
  return statsSchema.safeParse(parsed(answer.text)).data ?? null;
}

/** Listens for a moment: a port that nobody answers on can still be forbidden, or the address be of another machine. */
function listeningFailure(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown reason"));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
