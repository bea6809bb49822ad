/** A new service: its descriptor, a first `connector.yaml`, its tools, and what remains to be decided. */

import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Output } from '../../cli/output.ts';
import { UsageError } from '../../cli/run.ts';
import { runCodegen } from '../../codegen/command.ts';
import { generate } from '../../codegen/generate.ts';
import { formatDiagnostics } from '../../codegen/print.ts';
import { toAssumedConfig, toAssumptions } from './assumptions.ts';
import { toFirstConfig } from './first-config.ts';
import { readServiceFiles, type SourceRules, writeServiceFiles } from './service-files.ts';

const SERVICE_NAME = /^(?=.{1,32}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const SHOWN_DECISIONS = 12;

/**
 * Writes nothing where the descriptor cannot be read at all; where it can, the files stay, and errors say what to fix.
 *
 * @throws {UsageError} for a name that is taken or cannot name a service, and for a source that cannot be read.
 */
export async function addConnector(
  {
    root,
    source,
    service,
    ...rules
  }: { readonly root: string; readonly source: string; readonly service: string } & Omit<SourceRules, 'say'>,
  output: Output,
): Promise<boolean> {
  if (!SERVICE_NAME.test(service)) {
    throw new UsageError(
      `${JSON.stringify(service)} cannot name a service: lower-case words joined by hyphens, at most 32.`,
    );
  }
  const folder = path.join(root, 'specs', service);
  if ((await stat(folder).catch(() => null)) !== null) {
    throw new UsageError(`specs/${service}/ is there already; \`update ${service}\` replaces its descriptor.`);
  }
  const files = await readServiceFiles(source, { ...rules, say: output.err });
  await mkdir(folder, { recursive: true });
  await writeServiceFiles(folder, files);

  const result = await generate({ root, services: [service] });
  const bare = result.services[0]?.connector ?? null;
  if (bare === null) {
    await rm(folder, { recursive: true });
    output.err(formatDiagnostics(result.diagnostics, false));
    output.err(`Nothing was added: the descriptor has errors.\n`);
    return false;
  }
  const assumptions = toAssumptions(bare, result.diagnostics, source);
  const config = path.join(folder, 'connector.yaml');
  const assumed = toAssumedConfig(assumptions);
  if (assumed !== null) await writeFile(config, assumed);
  const again = assumed === null ? result : await generate({ root, services: [service] });
  const { text, decisions } = toFirstConfig(again.services[0]?.connector ?? bare, assumptions);
  await writeFile(config, text);
  const isUpToDate = await runCodegen({ root, services: [service] }, output);
  const written = [...files.files.keys(), 'connector.yaml'].map((name) => `specs/${service}/${name}`);
  output.out(`\nWrote ${written.slice(0, -1).join(', ')} and ${written.at(-1)}.\n`);
  output.out(`To decide, as comments in connector.yaml (${decisions.length}):\n`);
  for (const { place, text: what } of decisions.slice(0, SHOWN_DECISIONS)) output.out(`  ${place}: ${what}\n`);
  if (decisions.length > SHOWN_DECISIONS) output.out(`  … and ${decisions.length - SHOWN_DECISIONS} more\n`);
  output.out(`Then read generated/${service}/TOOLS.md.\n`);
  return isUpToDate;
}
