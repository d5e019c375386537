import type { Check } from "./check.ts";
import { agentsCheck } from "./checks/agents.ts";
import { clockCheck } from "./checks/clock.ts";
import { configurationCheck } from "./checks/configuration.ts";
import { dataFolderCheck } from "./checks/data-folder.ts";
import { diskCheck } from "./checks/disk.ts";
import { driverCheck } from "./checks/driver.ts";
import { nodeVersionCheck } from "./checks/node-version.ts";
import { otherProxiesCheck } from "./checks/other-proxies.ts";
import { programCheck } from "./checks/program.ts";
import { proxyCheck } from "./checks/proxy.ts";
import { requestsCheck } from "./checks/requests.ts";
import { selfTestCheck } from "./checks/self-test.ts";
import { storeCheck } from "./checks/store.ts";
import { tokenCheck } from "./checks/token.ts";

/** Every check, in the order in which they are run. */
export const CHECKS: readonly Check[] = [
  nodeVersionCheck,
  driverCheck,
  programCheck,
  configurationCheck,
  dataFolderCheck,
  diskCheck,
  tokenCheck,
  storeCheck,
  clockCheck,
  proxyCheck,
  otherProxiesCheck,
  agentsCheck,
  requestsCheck,
  selfTestCheck,
];
