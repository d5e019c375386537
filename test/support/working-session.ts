import type { Order, OrderContext } from "../../src/keeper/order.ts";
import type { LedgerRecord } from "../../src/model/ledger.ts";
import type { Report, ReportedFile } from "../../src/model/report.ts";
import type { Store } from "../../src/model/store.ts";
import { assistant, bash, bodyOf, call, EMPTY_TALK, read, result, results, type Talk, user } from "./conversation.ts";
import { applyHunks, type EditCall } from "./edit-replay.ts";
import { createTestKeeper, send, type TestKeeperOptions } from "./keeper.ts";

/** An agent of the only conversation. */
export const CONTEXT: OrderContext = { tenant: "local", lineage: null, sessionId: null, by: "agent", atMs: 2_000_000 };
export const NO_TARGETS = { ids: [], paths: [], latest: null };
type Kept = ReturnType<typeof createTestKeeper>;

/** A conversation sent step by step, as a client would. */
export class WorkingSession {
  talk: Talk = user(EMPTY_TALK, "work");
  keeper: Kept;
  #count = 0;
  #atMs = 1_000_000;

  constructor(options: TestKeeperOptions = {}) {
    this.keeper = createTestKeeper(options);
  }

  /** Goes on in another process, on a store that is there. */
  resumeOn(store: Store): void {
    this.keeper = createTestKeeper({ store, idPrefix: `at${this.#atMs}-` });
  }

  async read(path: string, content: string): Promise<void> {
    this.talk = read(this.talk, this.#id(), path, content);
    await this.#send();
  }

  async call({ tool, input }: EditCall, answer = "The file has been updated successfully.", isError = false) {
    const id = this.#id();
    this.talk = results(assistant(this.talk, call(id, tool, input)), result(id, answer, isError));
    return this.#send();
  }

  async bash(command: string, output = "done"): Promise<void> {
    this.talk = bash(this.talk, this.#id(), command, output);
    await this.#send();
  }

  /** A step, and a reminder of the harness behind it. */
  async remind(words: string): Promise<void> {
    this.talk = bash(this.talk, this.#id(), "true", "");
    this.talk = user(this.talk, `<system-reminder>\n${words}\n</system-reminder>`);
    await this.#send();
  }

  async records(): Promise<readonly LedgerRecord[]> {
    const [newest] = await this.keeper.store.listLineages("local", 1);
    return this.keeper.store.loadLineage("local", newest?.lineage ?? "");
  }

  async open(scope: string): Promise<void> {
    const lifetime = { kind: "scope", scope } as const;
    const answer = await this.order({ verb: "hold", targets: NO_TARGETS, lifetime, reason: "a fix" });
    if (!answer.ok) throw new Error(answer.words);
  }

  async close(scope: string): Promise<Report> {
    const answer = await this.order({ verb: "close", scope, reason: "fixed" });
    if (!answer.ok || answer.report === undefined) throw new Error(JSON.stringify(answer));
    return answer.report;
  }

  async report(scope: string | null, keeper = this.keeper): Promise<Report> {
    const answer = await keeper.report({ scope }, CONTEXT);
    if (!answer.ok) throw new Error(answer.words);
    return answer.report;
  }

  order(order: Order) {
    return this.keeper.decide(order, { ...CONTEXT, atMs: this.#tick() });
  }

  #send(): Promise<string> {
    return send(this.keeper, bodyOf(this.talk), { atMs: this.#tick() });
  }

  #tick(): number {
    this.#atMs += 1_000;
    return this.#atMs;
  }

  #id(): string {
    this.#count++;
    return `c${this.#count}`;
  }
}

/** One edit call. */
export function editOf(from: string, to: string, path = "/w/a.ts", more: object = {}): EditCall {
  return { tool: "Edit", input: { file_path: path, old_string: from, new_string: to, ...more } };
}

/** What a report says of one file; fails where it says nothing. */
export function fileIn(report: Report, path = "/w/a.ts"): ReportedFile {
  const file = report.files.find((one) => one.path === path);
  if (file === undefined) throw new Error(`no ${path} in ${JSON.stringify(report.files.map((one) => one.path))}`);
  return file;
}

/** Applies what the report says differs to the file before; fails unless it speaks of the whole file. */
export function afterBy(file: ReportedFile, before: string): string {
  if (file.net.kind === "none") return before;
  if (file.net.kind === "unknown" || !file.net.isWhole) throw new Error(file.net.words);
  return applyHunks(
    before,
    file.net.parts.flatMap(({ hunks }) => hunks),
  );
}
