/** Fetches every descriptor that came from the network, and every list of an MCP server, again, one service after another. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { listServices } from '../../codegen/load/index.ts';
import { makeFolder } from '../../shared/cli/folders.ts';
import type { Output } from '../../shared/cli/output.ts';
import { UsageError } from '../../shared/cli/run.ts';
import type { LiveRules } from './mcp/live-server.ts';
import { loadLock } from './mcp/lock-file.ts';
import { loadRecord } from './record.ts';
import { writeUpdate } from './update.ts';

/**
 * Updates every service whose descriptor came from the network. If a service cannot be fetched or generated, the others are still updated.
 *
 * @param reports folder that gets `<service>.md` for each updated service, with its report or the reason why there is none. No reports are written if
 * it is null.
 * @returns false if one service failed
 */
export async function updateAll(
  { root, reports, ...rules }: LiveRules & { readonly root: string; readonly reports: string | null },
  output: Output,
): Promise<boolean> {
  let failed = 0;
  let updated = 0;
  for (const service of await listServices(root)) {
    const errorTexts: string[] = [];
    const recordingOutput: Output = {
      ...output,
      err: (text) => {
        errorTexts.push(text);
        output.err(text);
      },
    };
    try {
      const folder = path.join(root, 'specs', service);
      const isKnown = (await loadLock(folder)) !== null || (await loadRecord(folder))?.source !== undefined;
      if (!isKnown) continue;
      updated += 1;
      const report = await writeUpdate({ ...rules, root, service, source: null }, recordingOutput);
      if (report === null) failed += 1;
      else output.out(`\n${report.text}`);
      await writeReport(
        reports,
        service,
        report?.markdown ?? `Codegen has errors:\n\n\`\`\`text\n${errorTexts.join('')}\`\`\`\n`,
      );
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      failed += 1;
      output.err(`${service}: ${error.message}\n`);
      await writeReport(reports, service, `It was not updated: ${error.message}\n`);
    }
  }
  if (updated === 0)
    output.out('No service has a source.json that names an address, or an mcp.json: `add` and `update` write them.\n');
  return failed === 0;
}

async function writeReport(folder: string | null, service: string, text: string): Promise<void> {
  if (folder === null) return;
  await makeFolder(folder, '--reports');
  await writeFile(path.join(folder, `${service}.md`), text);
}
