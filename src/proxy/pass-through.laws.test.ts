import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../../test/support/proxy/client.ts";
import { type FakeUpstream, startUpstream } from "../../test/support/proxy/fake-upstream.ts";
import { createStage, type Stage } from "../../test/support/proxy/stage.ts";

let upstream: FakeUpstream;
let stage: Stage;

beforeAll(async () => {
  upstream = await startUpstream((response, received) => response.writeHead(200).end(received.body));
  stage = await createStage(upstream);
});

afterAll(() => stage.close());

const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/).map((name) => `X-${name}`);
const value = fc.stringMatching(/^[!-~\u00a1-\u00ff]{1,20}$/);
const segment = fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,;=:@%-]{0,10}$/);
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => `/x/${parts.join("/")}`);
const query = fc
  .option(fc.stringMatching(/^[A-Za-z0-9&=%?/[\]]{0,20}$/))
  .map((text) => (text === null ? "" : `?${text}`));

const exchange = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
  path: fc.tuple(path, query).map((parts) => parts.join("")),
  headers: fc.array(fc.tuple(token, value), { maxLength: 6 }).map((pairs) => pairs.flat()),
  body: fc.uint8Array({ minLength: 1, maxLength: 3000 }),
});

test("every method, path, header and body arrives as it was sent, and comes back so", async () => {
  await fc.assert(
    fc.asyncProperty(exchange, async (sent) => {
      const got = await send(stage.port, sent);
      const received = upstream.received.pop();
      expect(received?.method).toBe(sent.method);
      expect(received?.url).toBe(sent.path);
      const count = sent.headers.length;
      const start = received?.rawHeaders.findIndex((name) => name.startsWith("X-")) ?? -1;
      expect(count === 0 ? [] : received?.rawHeaders.slice(start, start + count)).toEqual(sent.headers);
      expect(received?.body.equals(sent.body)).toBe(true);
      expect(got.body.equals(sent.body)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("an unedited body of a claimed route arrives as it was sent, whatever its bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (body) => {
      await send(stage.port, { method: "POST", path: "/v1/messages", body });
      expect(upstream.received.pop()?.body.equals(body)).toBe(true);
      await stage.keeper.nextFinish();
    }),
    { numRuns: 100 },
  );
});
