import type { Stats } from "../../proxy/own-endpoints.ts";
import { ownAddressOf } from "../listening-address.ts";

const TIMEOUT_MS = 2_000;

/** Where a proxy is, and what opens its figures. */
export interface AskedProxy {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

/** The figures of a proxy, or of one run in it; null where no proxy of this user answers. */
export async function askStats({ host, port, token }: AskedProxy, run?: string): Promise<Stats | null> {
  const query = run === undefined ? "" : `?run=${run}`;
  try {
    const response = await fetch(`${ownAddressOf(host, port)}/stats${query}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return response.status === 200 ? ((await response.json()) as Stats) : null;
  } catch {
    return null;
  }
}
