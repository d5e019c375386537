import type { ResolvedConfig } from "../../config/resolved.ts";
import type { Stats } from "../../proxy/own-endpoints.ts";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { readToken } from "../data-folder.ts";
import { type Io, printLine } from "../io.ts";
import { hasOpenFigures, ownAddressOf } from "../listening-address.ts";
import { withKeeper } from "../open-keeper.ts";
import { askLocal, askOwnProxy } from "../own-proxy.ts";
import { pausedSince } from "../pause-file.ts";
import { addressesOfRuns } from "../run/run-addresses.ts";
import { statsLines, storeLine } from "../stats-lines.ts";
import { pausedLine } from "../time-words.ts";

const TIMEOUT_MS = 5_000;

/** `ebb stats`: asks the running proxy what it did, or else that of the newest `ebb run`; without one, says what is stored. */
export const statsCommand: CommandSpec = {
  name: "stats",
  description: "show what the running proxy did: requests, releases, refusals with their reasons, figures, errors",
  argument: null,
  flags: [{ name: "json", value: null, description: "the proxy's own answer, as JSON" }],
  configured: "stats",
  run: stats,
};

async function stats(given: GivenArguments, io: Io): Promise<ExitCode> {
  const config = given.config();
  const own = ownAddressOf(config.host, config.port);
  const { answer, address } = await firstAnswer([own, ...addressesOfRuns(config.dataFolder)], config);
  if (answer.kind === "refused") {
    io.err(`ebb: ${answer.words}\n`);
    return 1;
  }
  if (answer.kind === "absent") return printStoreAlone(config, given.isSet("json"), io);
  if (given.isSet("json")) {
    io.out(answer.text);
    return 0;
  }
  if (address !== own)
    printLine(io, `No proxy runs on ${config.host}:${config.port}; this is \`ebb run\` on ${address}.`);
  for (const line of statsLines(JSON.parse(answer.text) as Stats, pausedSince(config.dataFolder))) printLine(io, line);
  return 0;
}

type ProxyAnswer =
  | { readonly kind: "answered"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "refused"; readonly words: string };

/** Of the proxies at these addresses the first that is there. */
async function firstAnswer(
  addresses: readonly string[],
  config: ResolvedConfig,
): Promise<{ readonly answer: ProxyAnswer; readonly address: string | null }> {
  for (const address of addresses) {
    const answer = await askProxy(address, config);
    if (answer.kind !== "absent") return { answer, address };
  }
  return { answer: { kind: "absent" }, address: null };
}

async function askProxy(address: string, config: ResolvedConfig): Promise<ProxyAnswer> {
  const token = readToken(config.dataFolder);
  if (token === null) return { kind: "absent" };
  const path = "/stats";
  const url = `${address}${path}`;
  const own = await askOwnProxy({ address, path, dataFolder: config.dataFolder, token, timeoutMs: TIMEOUT_MS });
  if (own.kind === "answered" && own.status === 200) return { kind: "answered", text: own.text };
  const answer = own.kind === "foreign" ? await askLocal(url, TIMEOUT_MS) : own;
  if (answer.kind === "refused") return { kind: "absent" };
  if (answer.kind === "silent") return { kind: "refused", words: `${url} does not answer` };
  const why = hasOpenFigures(config.host)
    ? "another program, or a proxy with another data folder"
    : "a proxy tells its figures only under 127.0.0.1, localhost or ::1, and this one listens elsewhere";
  return { kind: "refused", words: `${url} answers ${answer.status}: ${why}` };
}

async function printStoreAlone(config: ResolvedConfig, isJson: boolean, io: Io): Promise<ExitCode> {
  const size = await withKeeper(config, io, ({ keeper }) => keeper.storeSize());
  if (isJson) printLine(io, JSON.stringify({ running: false, store: size }));
  else {
    printLine(io, `No proxy runs on ${config.host}:${config.port}.`);
    printLine(io, `${storeLine(size)} in ${config.dataFolder}`);
    if (size.lineages > 0) printLine(io, "Of the conversation used last: ebb report --last");
    const since = pausedSince(config.dataFolder);
    if (since !== null) printLine(io, pausedLine(since));
  }
  return 0;
}
