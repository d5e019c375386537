/** True for a process of this user that runs: one that may not be signalled is of another user. */
export function isOwnProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
