/** Gets the result of `tools/list` from a gateway, for the servers that send the same bytes. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startGateway } from './gateway-process.ts';
import { openConnection } from './keep-alive.ts';
import type { RunningSubject, Surroundings } from './surroundings.ts';
import { toTarget } from './workloads.ts';

/** Writes the gateway's list to a file, and returns its path. */
export async function writeToolList(
  surroundings: Pick<Surroundings, 'upstream' | 'folder' | 'tools'>,
): Promise<string> {
  const alone = { ...surroundings, users: 1, postgresUrl: null, profileFile: null, listFile: '' };
  const gateway = await startGateway(alone);
  try {
    const answer = JSON.parse(await askForList(gateway)) as { result: { tools: unknown[] } };
    if (answer.result.tools.length !== surroundings.tools) {
      throw new Error(`the gateway lists ${answer.result.tools.length} tools, not ${surroundings.tools}`);
    }
    const file = path.join(surroundings.folder, 'tools.json');
    await writeFile(file, JSON.stringify(answer.result));
    return file;
  } finally {
    await gateway.stop();
  }
}

/** Sends one `tools/list`. @returns the body. @throws {Error} if the server is unreachable or does not answer 200. */
export async function askForList(
  server: Pick<RunningSubject, 'origin' | 'path' | 'toolName' | 'credentials'>,
): Promise<string> {
  const list = { method: 'tools/list', revision: '2025-11-25' } as const;
  const { heads, body } = toTarget(list, { ...server, origins: [server.origin] }, 1);
  return new Promise((resolve, reject) => {
    openConnection(server.origin, reject).then((connection) => {
      const onAnswer = ({ status, text }: { status: number; text: string }): void => {
        connection.close();
        if (status === 200) resolve(text);
        else reject(new Error(`tools/list was answered with ${status}: ${text.slice(0, 500)}`));
      };
      connection.send(`${heads[0]}${body[0]}100000000${body[1]}`, onAnswer, true);
    }, reject);
  });
}
