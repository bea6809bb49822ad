/** Measures the time from a gateway's start to its first response. */

import { createDatabase, GATEWAY_ENDPOINT, SHIPPED_TOOLS, startGatewayProcess } from './gateway-process.ts';
import type { Stage } from './stage.ts';
import { askForList } from './tool-list.ts';

/** @returns milliseconds from the start of the process to the end of its first `tools/list`, one value per start. */
export async function measureStarts({ upstream, folder }: Stage, starts: number): Promise<number[]> {
  const { url, credentials } = await createDatabase({ folder, users: 1, postgresUrl: null });
  const times: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const server = await startGatewayProcess(url, { upstream, tools: SHIPPED_TOOLS, profileFile: null });
    await askForList({ ...GATEWAY_ENDPOINT, origin: server.origin, credentials });
    times.push(performance.now() - server.startedAt);
    await server.stop();
  }
  return times;
}
