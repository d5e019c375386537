import type { Stats } from "../../proxy/own-endpoints.ts";
import { ownAddressOf } from "../listening-address.ts";
import { askOwnProxy } from "../own-proxy.ts";

const TIMEOUT_MS = 2_000;

/** Where a proxy is, and what opens its figures. */
export interface AskedProxy {
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly token: string;
}

/** The figures of a proxy, or of one run in it; null where no proxy of this data folder answers. */
export async function askStats({ host, port, ...user }: AskedProxy, run?: string): Promise<Stats | null> {
  const path = `/stats${run === undefined ? "" : `?run=${run}`}`;
  const answer = await askOwnProxy({ ...user, address: ownAddressOf(host, port), path, timeoutMs: TIMEOUT_MS });
  if (answer.kind !== "answered" || answer.status !== 200) return null;
  try {
    return JSON.parse(answer.text) as Stats;
  } catch {
    return null;
  }
}
