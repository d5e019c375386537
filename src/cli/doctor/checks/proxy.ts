import type { ResolvedConfig } from "../../../config/resolved.ts";
import { hasOpenFigures, ownAddressOf, reachOf } from "../../listening-address.ts";
import type { Check } from "../check.ts";
import { type Finding, fail, ok, warn } from "../finding.ts";
import { ebbVersionAt, type ProxySeen } from "../proxy-look.ts";

const AREA = "proxy";
const TIMEOUT_MS = 500;
const ADDRESSES_MAX = 8;

type Listening = Pick<ResolvedConfig, "host" | "port">;

/** What answers on the configured address, and who else reaches it. */
export const proxyCheck: Check = {
  area: AREA,
  name: "port",
  deadlineMs: 4_000,
  async run({ config, proxy, version, machine }) {
    const seen = await proxy();
    const isServing = seen.kind === "ebb";
    const open = isServing ? await openAddresses(machine.outerAddresses(), config.port) : [];
    return [judgeProxy(seen, config, version), ...judgeReach(config, open)];
  },
};

/** What to think of what answers on the port. */
export function judgeProxy(seen: ProxySeen, { host, port }: Listening, own: string): Finding {
  const address = ownAddressOf(host, port);
  switch (seen.kind) {
    case "any port":
      return ok(AREA, "port", "another free one each time (port 0)");
    case "other program":
      return fail(AREA, "port", {
        words: `port ${port} is taken by another program`,
        fix: `ebb proxy --port ${port + 1 > 65_535 ? 4142 : port + 1}, or stop that program: fuser -v ${port}/tcp`,
      });
    case "absent":
      return judgeAbsent(seen.listening, { host, port }, address);
    case "ebb":
      return judgeEbb(seen, { host, port }, own);
  }
}

function judgeAbsent(failure: string | null, { host, port }: Listening, address: string): Finding {
  if (failure === null) return ok(AREA, "port", `no proxy runs on ${address}, and one could`);
  return fail(AREA, "port", {
    words: `nothing can listen on ${host}, port ${port} (${failure})`,
    fix: "state an address of this machine and a port you may open: --host 127.0.0.1 --port 4141",
  });
}

function judgeEbb(seen: Extract<ProxySeen, { kind: "ebb" }>, { host, port }: Listening, own: string): Finding {
  const address = ownAddressOf(host, port);
  if (seen.version !== own) {
    return warn(AREA, "port", {
      words: `the proxy on ${address} is version ${seen.version}, this is ${own}`,
      fix: "stop it and start it again: ebb proxy",
    });
  }
  if (seen.stats === "refused" && hasOpenFigures(host)) {
    return warn(AREA, "port", {
      words: `the proxy on ${address} is none of this data folder: it works on another one, or is another user's`,
      fix: "state the --config or --data-folder it was started with, or another --port",
    });
  }
  return ok(AREA, "port", `this Ebb runs on ${address}`);
}

/** What to think of who reaches a proxy: as configured, and as tried. */
export function judgeReach({ host }: Pick<Listening, "host">, openAddresses: readonly string[]): readonly Finding[] {
  if (reachOf(host) === "this machine" && openAddresses.length === 0) return [];
  const where = openAddresses.length === 0 ? `host is ${host}` : `it answers on ${openAddresses.join(", ")}`;
  return [
    warn(AREA, "reach", {
      words: `other machines can send requests through the proxy: ${where}`,
      fix: "start it with --host 127.0.0.1, unless that is what you want",
    }),
  ];
}

async function openAddresses(addresses: readonly string[], port: number): Promise<readonly string[]> {
  const asked = addresses.slice(0, ADDRESSES_MAX).map(async (address) => {
    const version = await ebbVersionAt(`http://${address}:${port}`, TIMEOUT_MS);
    return version === null || version === "refused" ? [] : [address];
  });
  return (await Promise.all(asked)).flat();
}
