/**
 * Tells whether a path matches any of the globs. `*` and `?` stay within one name, `**` crosses folders, `[abc]` is a
 * choice; a glob without a slash matches the file's name in any folder, one with a slash the end of the path, one that
 * starts with a slash the whole path. Letter case does not count.
 */
export function createPathMatcher(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.map(toPattern);
  return (path) => {
    const plain = path.replaceAll("\\", "/");
    return patterns.some((pattern) => pattern.test(plain));
  };
}

function toPattern(glob: string): RegExp {
  const start = glob.startsWith("/") ? "^" : "(?:^|/)";
  return new RegExp(`${start}${glob.replaceAll(TOKEN, sourceOf)}$`, "is");
}

const TOKEN = /\*\*\/|\*+|\?|\[!?[^\][/]+\]|[^*?[]+|\[/g;

function sourceOf(token: string): string {
  if (token === "**/") return "(?:[^/]+/)*";
  if (token === "*") return "[^/]*";
  if (token.startsWith("**")) return ".*";
  if (token === "?") return "[^/]";
  if (token.startsWith("[") && token.length > 1) return choiceSource(token);
  return token.replaceAll(/[\\^$.|+(){}[\]]/g, "\\$&");
}

function choiceSource(token: string): string {
  const isNegated = token.startsWith("[!");
  const letters = token.slice(isNegated ? 2 : 1, -1).replaceAll(/[\\^]/g, "\\$&");
  return isNegated ? `[^/${letters}]` : `[${letters}]`;
}
