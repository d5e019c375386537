import { parentPort, workerData } from "node:worker_threads";
import { answerComparisons } from "../dist/cli/comparison-thread.js";

answerComparisons(parentPort, workerData);
