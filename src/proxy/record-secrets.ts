/** Members of a body that hold credentials of other servers, which the provider is to use. */
const SECRET_MEMBERS = new Set(["authorization", "authorization_token", "api_key", "access_token"]);

/** Members under which servers of tools are named. */
const SERVER_LISTS = ["mcp_servers", "tools"];

const REDACTED = "(redacted)";

/**
 * The text of a body without the credentials for servers of tools in it. Every other character stays; a body that holds none is the
 * very same text. What people and tools wrote is not looked at.
 */
export function withoutSecrets(text: string): string {
  if (!text.includes('"mcp_servers"') && !text.includes('"mcp"')) return text;
  const body = parse(text);
  if (body === null) return text;
  const secrets = new Set(SERVER_LISTS.flatMap((name) => serversIn(body, name).flatMap(secretsOf)));
  let redacted = text;
  for (const secret of secrets) redacted = redacted.replaceAll(JSON.stringify(secret), JSON.stringify(REDACTED));
  return redacted;
}

function parse(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

function serversIn(body: object, name: string): readonly object[] {
  const list: unknown = Object.entries(body).find(([member]) => member === name)?.[1];
  return Array.isArray(list) ? list.filter((one): one is object => typeof one === "object" && one !== null) : [];
}

/** Texts under a member of a secret's name, and every value among headers. */
function secretsOf(server: object): readonly string[] {
  return Object.entries(server).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === "string") return SECRET_MEMBERS.has(name) && value !== "" ? [value] : [];
    if (typeof value !== "object" || value === null) return [];
    return name === "headers"
      ? Object.values(value).filter((one): one is string => typeof one === "string" && one !== "")
      : [];
  });
}
