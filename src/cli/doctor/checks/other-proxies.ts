import { codeOf } from "../../failure-code.ts";
import { ownAddressOf } from "../../listening-address.ts";
import { type ProxyLock, readLocks } from "../../run/proxy-lock.ts";
import type { Check } from "../check.ts";
import { type Finding, ok, warn } from "../finding.ts";
import { ebbVersionAt } from "../proxy-look.ts";

const AREA = "proxy";
const NAME = "others";
const TIMEOUT_MS = 500;
/** Proxies that are asked. */
const LOCKS_MAX = 8;

/** Proxies of this data folder on other ports: those of `ebb run`, and further ones. */
export const otherProxiesCheck: Check = {
  area: AREA,
  name: NAME,
  deadlineMs: 2_000,
  async run({ config, version }) {
    const locks = locksIn(config.dataFolder).filter(({ port }) => port !== config.port);
    return Promise.all(
      locks.slice(0, LOCKS_MAX).map(async (lock) => {
        const answer = await ebbVersionAt(ownAddressOf(lock.host, lock.port), TIMEOUT_MS);
        return judgeOtherProxy(lock, answer, version);
      }),
    );
  },
};

/** What to think of a proxy that says it serves, and of what answers there: a version, another program (null), or nothing. */
export function judgeOtherProxy(
  { pid, owner, port }: Pick<ProxyLock, "pid" | "owner" | "port">,
  answer: string | "refused" | null,
  own: string,
): Finding {
  const name = owner === "run" ? "a run's proxy" : "another proxy";
  if (answer === own) return ok(AREA, NAME, `${name} on port ${port}, of this version`);
  if (answer === null || answer === "refused") {
    const words = `process ${pid} says that it serves port ${port}, and no Ebb answers there`;
    return warn(AREA, NAME, { words, fix: `see what it is, and end it: ps -p ${pid}` });
  }
  return warn(AREA, NAME, {
    words: `${name} on port ${port} is version ${answer}, this is ${own}`,
    fix: owner === "run" ? "end that run and start it again" : `stop process ${pid} and start it again: ebb proxy`,
  });
}

/** What cannot be read or tidied up in the folder is told of by its own check. */
function locksIn(dataFolder: string): readonly ProxyLock[] {
  try {
    return readLocks(dataFolder);
  } catch (error) {
    codeOf(error);
    return [];
  }
}
