const DRIVE = /^[A-Za-z]:[\\/]/;
const SHARE = /^[\\/]{2}[^\\/]+[\\/]+[^\\/]+/;

/**
 * The path with `.` and `..` resolved, joined to `directory` where it is relative. POSIX and Windows forms are told
 * apart by the texts alone, never by the host. Without a directory a relative path stays as it is, a leading `./` apart.
 */
export function resolvePath(path: string, directory: string | null): string {
  if (isPlainPosix(path)) return path;
  const root = rootOf(path);
  if (root !== null) return rooted(root, path.slice(root.length));
  if (directory === null) return withoutDotPrefix(path);
  const base = rootOf(directory);
  if (base !== null) return rooted(base, `${directory.slice(base.length)}${separatorOf(base)}${path}`);
  return collapse(`${directory}/${path}`.split("/"), false).join("/") || ".";
}

/** True for a path that needs no working directory. */
export function isAbsolutePath(path: string): boolean {
  return rootOf(path) !== null;
}

/** Name after the last separator; "" for a path that ends in one. */
export function baseNameOf(path: string): string {
  const isWindows = isWindowsRoot(rootOf(path));
  return path.slice(Math.max(path.lastIndexOf("/"), isWindows ? path.lastIndexOf("\\") : -1) + 1);
}

/** The common case, which needs no taking apart. */
function isPlainPosix(path: string): boolean {
  return path.startsWith("/") && path.length > 1 && !path.endsWith("/") && !path.includes("/.") && !path.includes("//");
}

/** `/`, `C:\` or `\\host\share`, as it stands in the path; null for a relative path. */
function rootOf(path: string): string | null {
  if (DRIVE.test(path)) return path.slice(0, 3);
  const share = path.startsWith("\\\\") ? SHARE.exec(path) : null;
  if (share !== null) return share[0];
  return path.startsWith("/") ? "/" : null;
}

function isWindowsRoot(root: string | null): boolean {
  return root !== null && root !== "/";
}

function separatorOf(root: string): string {
  return root === "/" ? "/" : "\\";
}

function rooted(root: string, rest: string): string {
  if (root === "/") return `/${collapse(rest.split("/"), true).join("/")}`;
  const parts = collapse(rest.split(/[\\/]/), true).join("\\");
  if (DRIVE.test(root)) return `${root.charAt(0).toUpperCase()}:\\${parts}`;
  const share = root.split(/[\\/]+/).filter((part) => part !== "");
  return parts === "" ? `\\\\${share.join("\\")}` : `\\\\${share.join("\\")}\\${parts}`;
}

/** `..` at the root stays at the root; where there is no root, leading `..` remain. */
function collapse(parts: readonly string[], hasRoot: boolean): readonly string[] {
  const kept: string[] = [];
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!hasRoot) kept.push("..");
  }
  return kept;
}

function withoutDotPrefix(path: string): string {
  let rest = path;
  while (/^\.[\\/]+[^\\/]/.test(rest)) rest = rest.replace(/^\.[\\/]+/, "");
  return rest;
}
