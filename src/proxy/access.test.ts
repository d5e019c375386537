import { expect, test } from "vitest";
import { mayAsk } from "./access.ts";

const TOKEN = "the-token-of-this-user";
const HEADERS = ["Host", "127.0.0.1:4141", "Authorization", `Bearer ${TOKEN}`];

function without(name: string): string[] {
  const index = HEADERS.indexOf(name);
  return HEADERS.filter((_, position) => position !== index && position !== index + 1);
}

test.each(["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.8.8.8"])("a local connection from %s may ask", (address) => {
  expect(mayAsk({ address, headers: HEADERS }, TOKEN)).toBe(true);
});

test.each(["192.168.1.5", "::ffff:10.0.0.1", "fe80::1", undefined])("a connection from %s may not", (address) => {
  expect(mayAsk({ address, headers: HEADERS }, TOKEN)).toBe(false);
});

test.each([...["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]", "[::1]:4141"]])(
  "the host %s is this machine",
  (host) => {
    expect(mayAsk({ address: "::1", headers: ["host", host, ...without("Host")] }, TOKEN)).toBe(true);
  },
);

test.each([
  ...["evil.example", "evil.example:4141", "127.0.0.1.evil.example", "localhost.evil.example", "a@localhost", "[::2]"],
  ...["localhost:4141:1", "127.0.0.2", "0.0.0.0", "", "localhost, evil.example"],
])("the host %j is another name, as a rebinding page sends it", (host) => {
  expect(mayAsk({ address: "::1", headers: ["host", host, ...without("Host")] }, TOKEN)).toBe(false);
});

test("no host and two hosts are refused", () => {
  expect(mayAsk({ address: "::1", headers: without("Host") }, TOKEN)).toBe(false);
  expect(mayAsk({ address: "::1", headers: [...HEADERS, "host", "localhost"] }, TOKEN)).toBe(false);
});

test.each([
  ["Origin", "http://localhost:4141"],
  ["origin", "null"],
  ["Sec-Fetch-Site", "cross-site"],
  ["Sec-Fetch-Site", "same-site"],
  ["X-Forwarded-For", "127.0.0.1"],
  ["x-forwarded-host", "localhost"],
  ["Forwarded", "for=127.0.0.1"],
  ["X-Real-IP", "127.0.0.1"],
  ["Via", "1.1 proxy"],
])("a request with %s: %s comes from a page or through another proxy", (name, value) => {
  expect(mayAsk({ address: "127.0.0.1", headers: [...HEADERS, name, value] }, TOKEN)).toBe(false);
});

test.each([
  ...["Bearer wrong", TOKEN, `bearer ${TOKEN}`, `Bearer ${TOKEN} `, `Bearer ${TOKEN.slice(0, -1)}`, "Bearer ", ""],
])("the authorization %j opens nothing", (authorization) => {
  const headers = [...without("Authorization"), "Authorization", authorization];
  expect(mayAsk({ address: "127.0.0.1", headers }, TOKEN)).toBe(false);
});

test("a missing or doubled authorization opens nothing", () => {
  expect(mayAsk({ address: "127.0.0.1", headers: without("Authorization") }, TOKEN)).toBe(false);
  expect(mayAsk({ address: "127.0.0.1", headers: [...HEADERS, "authorization", `Bearer ${TOKEN}`] }, TOKEN)).toBe(
    false,
  );
});

test("without a configured token nothing opens", () => {
  expect(mayAsk({ address: "127.0.0.1", headers: [...without("Authorization"), "Authorization", "Bearer "] }, "")).toBe(
    false,
  );
});
